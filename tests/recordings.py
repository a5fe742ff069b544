"""Where the recorded stations lie, and what tests take of them."""

import json
import shutil
from collections.abc import Collection
from pathlib import Path

SESSIONS = Path(__file__).parents[1] / "fixtures" / "sessions"
RECORDING = SESSIONS / "cantina-felt"  # the demo's


def copy_first_faces(session: Path, kind: str, folder: Path) -> None:
    """The first picture of each face of a recorded kind, into a ``folder`` made for them."""
    folder.mkdir(parents=True)
    for path in (session / "faces" / kind).glob("*_1.jpg"):
        shutil.copy(path, folder)


def part_of_recording(folder: Path, images: Collection[str]) -> Path:
    """The demo's recording with only these ``images`` and one picture a face, in a new folder."""
    shutil.copytree(RECORDING / "empty", folder / "empty")
    for kind in ("spike", "cube"):
        copy_first_faces(RECORDING, kind, folder / "faces" / kind)
    for image in images:
        (folder / image).parent.mkdir(exist_ok=True)
        shutil.copy(RECORDING / image, folder / image)
    shutil.copy(RECORDING / "recording.json", folder)
    lines = (RECORDING / "truth.jsonl").read_text().splitlines()
    told = [line for line in lines if json.loads(line)["image"] in images]
    (folder / "truth.jsonl").write_text("\n".join(told) + "\n")
    return folder
