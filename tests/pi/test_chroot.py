"""The camera class on the real picamera2; asked for by COMPANION_CHROOT=FOLDER (see chroot/run)."""

import os
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "chroot" / "run"


@pytest.mark.pi
@pytest.mark.skipif(
    not os.environ.get("COMPANION_CHROOT"),
    reason="minutes long, needs root and debootstrap: set COMPANION_CHROOT to a scratch folder",
)
def test_the_camera_class_reads_a_throw_through_the_real_library():
    command = [RUN, os.environ["COMPANION_CHROOT"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert done.stdout.rstrip().endswith("all well")
