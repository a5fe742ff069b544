"""Where the recorded stations lie, and what tests take of them."""

import shutil
from pathlib import Path

SESSIONS = Path(__file__).parents[1] / "fixtures" / "sessions"
RECORDING = SESSIONS / "cantina-felt"  # the demo's


def copy_first_faces(session: Path, kind: str, folder: Path) -> None:
    """The first picture of each face of a recorded kind, into a ``folder`` made for them."""
    folder.mkdir(parents=True)
    for path in (session / "faces" / kind).glob("*_1.jpg"):
        shutil.copy(path, folder)
