"""A station made as scripts make one: by the commands alone."""

from pathlib import Path

from companion.cli import main
from tests.recordings import RECORDING


def calibrate_and_enrol(station: Path, faces: Path) -> None:
    """The demo's station by commands: corners and size found, pictures of ``faces / kind``."""
    empty = [str(path) for path in sorted((RECORDING / "empty").glob("*.jpg"))]
    assert main(["calibrate", "--station", str(station), "--empty", *empty]) == 0
    for kind, size in (("spike", "16"), ("cube", "15")):
        arguments = ["--station", str(station), "--kind", kind, "--faces", str(faces / kind)]
        assert main(["enrol", *arguments, "--dice-mm", size]) == 0
