"""The units as systemd itself judges them, and as the program needs them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from companion import config

ROOT = Path(__file__).parents[2]
UNITS = ROOT / "systemd"
SERVICE = UNITS / "spike-companion.service"
PROGRAMS = ("opt/spike-companion/.venv/bin/python", "usr/bin/cage", "usr/bin/chromium")
EXPOSURE = 20  # tenths; 2.0 of 10

needs_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="systemd-analyze is missing: apt-get install systemd (it need not run)",
)


@pytest.fixture
def machine(tmp_path):
    """A root folder in which the programs that the units start exist."""
    for name in PROGRAMS:
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    units = tmp_path / "etc" / "systemd" / "system"
    units.mkdir(parents=True)
    for unit in UNITS.glob("*.service"):
        shutil.copy(unit, units)
    return tmp_path


def analyze(*arguments):
    command = ["systemd-analyze", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def verify(machine):
    names = [unit.name for unit in sorted(UNITS.glob("*.service"))]
    done = analyze("verify", "--recursive-errors=no", f"--root={machine}", *names)
    return done.returncode, done.stdout + done.stderr


@needs_analyze
def test_the_units_verify_without_a_word(machine):
    assert verify(machine) == (0, "")


@needs_analyze
def test_verify_would_have_found_a_misspelt_setting(machine):
    unit = machine / "etc" / "systemd" / "system" / SERVICE.name
    unit.write_text(unit.read_text().replace("WatchdogSec=", "WatchdogSecs="))
    assert "WatchdogSecs" in verify(machine)[1]


@needs_analyze
def test_the_station_is_hardly_exposed():
    done = analyze("security", "--offline=true", f"--threshold={EXPOSURE}", SERVICE)
    assert done.returncode == 0, done.stdout[-300:]


@needs_analyze
def test_the_threshold_would_have_found_a_lost_hardening(tmp_path):
    bare = tmp_path / SERVICE.name
    bare.write_text(SERVICE.read_text().replace("SystemCallFilter=", "#"))
    done = analyze("security", "--offline=true", f"--threshold={EXPOSURE}", bare)
    assert done.returncode != 0


def values(key):
    return re.findall(rf"^{key}=(.*)$", SERVICE.read_text(), re.MULTILINE)


def test_the_station_may_reach_its_devices_and_no_others():
    assert values("DevicePolicy") == ["closed"]
    assert {line.split()[0] for line in values("DeviceAllow")} == {
        "char-video4linux", "char-media", "char-gpiochip", "char-dma_heap"
    }  # fmt: skip
    assert values("SupplementaryGroups") == ["video gpio"]


def test_the_unit_keeps_the_data_in_its_state_directory():
    environ = dict(pair.split("=", 1) for line in values("Environment") for pair in line.split())
    assert str(config.load(environ=environ).data_dir) == "/var/lib/" + values("StateDirectory")[0]
    assert environ["LG_WD"] == "/run/" + values("RuntimeDirectory")[0]


def test_the_watchdog_waits_longer_than_the_camera_is_vouched_for():
    """Else a short silence that the station is about to mend would restart it."""
    from companion.watching import SILENCE_S

    assert values("Type") == ["notify"]
    assert float(values("WatchdogSec")[0].removesuffix("s")) > SILENCE_S


@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="systemd-sysusers is missing")
def test_the_users_and_groups_can_be_made(tmp_path):
    (tmp_path / "etc").mkdir()
    for _ in range(2):  # twice: an upgrade finds them there
        made = subprocess.run(
            ["systemd-sysusers", f"--root={tmp_path}", UNITS / "spike-companion.sysusers"],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
    groups = dict(line.split(":", 1) for line in (tmp_path / "etc/group").read_text().splitlines())
    for group in values("SupplementaryGroups")[0].split():
        assert "spike-companion" in groups[group].rpartition(":")[2].split(",")
