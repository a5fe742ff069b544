"""What is made of the committed recordings: once for all tests, as each takes seconds."""

from functools import cache

from tests.recordings import SESSIONS
from vision.outline import Outline, find_outline
from vision.recording import from_recording
from vision.station import Station, pictures_in, read_image


def taught(name: str, per_face: int | None = None) -> Station:
    """The recorded table of that name; ``per_face`` limits the pictures it learns each face of."""
    return _taught(name, per_face)


@cache  # by what is asked for, however it is: a default that is named would be another call to it
def _taught(name: str, per_face: int | None) -> Station:
    return from_recording(SESSIONS / name, per_face)


@cache
def outlined(name: str) -> Outline:
    """Where the recorded table's tray is found in its empty pictures."""
    return find_outline([read_image(path) for path in pictures_in(SESSIONS / name / "empty")])
