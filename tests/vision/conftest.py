"""One enrolled station for all tests that only read with it."""

import pytest

from vision.recording import from_recording

from .film import SESSION


@pytest.fixture(scope="session")
def felt():
    return from_recording(SESSION, per_face=1)
