"""Box and service on a real kernel; asked for by COMPANION_VM=FOLDER (see vm/run)."""

import os
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "vm" / "run"


@pytest.mark.pi
@pytest.mark.skipif(
    not os.environ.get("COMPANION_VM"),
    reason="half an hour, needs root, debootstrap and QEMU: set COMPANION_VM to a scratch folder",
)
def test_box_and_service_on_a_real_kernel():
    command = [RUN, os.environ["COMPANION_VM"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert done.stdout.rstrip().splitlines()[-1].startswith("all well")
