"""Install, upgrade and uninstall under a root folder, with a stand-in for systemctl."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from companion.address import HOTSPOT_GUEST
from companion.wifi import Wifi, read_wifi

ROOT = Path(__file__).parents[2]
SCRIPTS = [ROOT / "systemd" / f"{name}.sh" for name in ("install", "upgrade", "uninstall")]
VM = [ROOT / "tests/pi/vm" / name for name in ("run", "make-disk", "inside", "hotspot", "removal")]
OPT, ETC, DATA = "opt/spike-companion", "etc/spike-companion", "var/lib/spike-companion"


class Machine:
    """A root folder; ``said`` holds what the service manager was told."""

    def __init__(self, folder):
        self.root = folder / "root"
        self.root.mkdir()
        self.log = folder / "systemctl.log"
        self.fails = folder / "fails"  # holds how many of the next starts fail
        self.systemctl = folder / "systemctl"
        self.systemctl.write_text(
            "#!/bin/sh\n"
            f'echo "$*" >>"{self.log}"\n'
            f'[ "$1" = restart ] && [ -s "{self.fails}" ] && sed -i 1d "{self.fails}" && exit 1\n'
            "exit 0\n"
        )
        self.systemctl.chmod(0o755)

    def run(self, script, *options, source=ROOT):
        return subprocess.run(
            ["sh", source / "systemd" / f"{script}.sh", "--root", self.root, *options],
            env={"PATH": os.environ["PATH"], "SYSTEMCTL": str(self.systemctl)},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    def ok(self, script, *options, source=ROOT):
        done = self.run(script, *options, source=source)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def files(self):
        """Every file with what it holds."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file()
        }

    def said(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture
def newer(tmp_path):
    """The checkout as a later version would be."""
    copy = tmp_path / "newer"
    kept = shutil.ignore_patterns("__pycache__")
    for part in ("companion", "vision", "hardware", "systemd"):
        shutil.copytree(ROOT / part, copy / part, ignore=kept)
    for name in ("requirements-pi.txt", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    (copy / "companion" / "newer.py").write_text('"""A later version."""\n')
    return copy


def test_install_lays_out_a_program_that_runs_and_starts_it(machine):
    machine.ok("install")
    version = subprocess.run(
        [sys.executable, "-m", "companion", "--version"],
        cwd=machine.root / OPT / "app", capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert version.stdout.strip()
    assert machine.said() == [
        "daemon-reload",
        "enable --quiet spike-companion.service",
        "restart spike-companion.service",
        "is-active --quiet spike-companion.service",
    ]
    assert not [name for name in machine.files() if "kiosk.service" in name and "/app/" not in name]


def test_the_installed_settings_are_accepted_and_every_line_of_them_is_known(machine, tmp_path):
    from companion import config

    machine.ok("install")
    text = (machine.root / ETC / "table.toml").read_text()
    config.load(machine.root / ETC / "table.toml", {})
    everything = tmp_path / "all.toml"
    lines = [line.removeprefix("# ") if _is_setting(line) else line for line in text.splitlines()]
    everything.write_text("\n".join(lines))
    settings = config.load(everything, {})
    assert len(settings.buttons.pins()) == 4
    assert len(settings.lamps.pins()) == 5


def _is_setting(line):
    return line.startswith("# [") or (" = " in line and line.startswith("# "))


def test_installing_twice_changes_nothing_and_keeps_the_owners_settings(machine):
    machine.ok("install", "--kiosk")
    machine.write(f"{ETC}/table.toml", 'table_name = "Ours"\n')
    machine.write(f"{DATA}/table.db", "the books")
    before = machine.files()
    machine.ok("install")
    assert machine.files() == before
    assert "etc/systemd/system/spike-companion-kiosk.service" in before


def test_uninstall_keeps_settings_and_data_and_purge_keeps_nothing(machine):
    machine.ok("install", "--kiosk")
    machine.write(f"{DATA}/table.db", "the books")
    machine.ok("uninstall")
    assert set(machine.files()) == {f"{ETC}/table.toml", f"{DATA}/table.db"}
    assert "disable --now --quiet spike-companion.service" in machine.said()
    machine.ok("uninstall")  # again: nothing to do, nothing to fail
    machine.ok("uninstall", "--purge")
    assert machine.files() == {}


WIFI = f"{ETC}/wifi.toml"
NETWORK = "etc/NetworkManager/system-connections/spike-companion.nmconnection"


def test_a_hotspot_is_made_once_kept_secret_and_undone(machine):
    machine.ok("install", "--hotspot", "Spike Table")
    wifi = read_wifi(machine.root / WIFI)
    assert wifi.ssid == "Spike Table"
    assert re.fullmatch("[a-z2-9]{12}", wifi.passphrase)
    network = configparser.ConfigParser()
    network.read(machine.root / NETWORK)
    assert network["wifi"]["mode"] == "ap"
    assert network["wifi"]["ssid"] == wifi.ssid
    assert network["wifi-security"]["psk"] == wifi.passphrase
    assert network["ipv4"]["address1"].startswith(HOTSPOT_GUEST.rpartition(".")[0])
    for file, mode in ((WIFI, 0o640), (NETWORK, 0o600)):
        assert stat.S_IMODE((machine.root / file).stat().st_mode) == mode
    before = machine.files()
    assert wifi.passphrase not in machine.ok("install", "--hotspot", "Spike Table")
    machine.ok("install")
    assert machine.files() == before
    machine.ok("install", "--hotspot", "Another")  # phones that know the passphrase keep it
    assert read_wifi(machine.root / WIFI) == Wifi("Another", wifi.passphrase)
    machine.ok("uninstall")
    assert not {WIFI, NETWORK} & set(machine.files())


@pytest.mark.parametrize("name", ["", " ", "a;b", 'a"b', "x" * 33, "two\nlines", "$(id)"])
def test_a_network_name_that_would_spoil_a_file_is_refused_before_anything_is_done(machine, name):
    done = machine.run("install", "--hotspot", name)
    assert done.returncode == 1
    assert "--hotspot" in done.stderr
    assert machine.files() == {}


def test_the_unit_and_the_installation_mean_the_same_file_of_the_hotspot():
    unit = (ROOT / "systemd" / "spike-companion.service").read_text()
    assert f"COMPANION_WIFI=/{WIFI}\n" in unit


def test_upgrade_backs_the_data_up_and_puts_the_new_version_in(machine, newer):
    machine.ok("install")
    machine.write(f"{DATA}/table.db", "the books")
    machine.log.unlink()
    machine.ok("upgrade", source=newer)
    files = machine.files()
    assert f"{OPT}/app/companion/newer.py" in files
    backups = [name for name in files if name.startswith("var/backups/")]
    assert [files[name] for name in backups] == [b"the books"]
    assert machine.said()[0] == "stop spike-companion.service"
    assert not (machine.root / f"{OPT}.previous").exists()


def test_an_upgrade_that_does_not_start_puts_program_and_data_back(machine, newer):
    machine.ok("install")
    machine.write(f"{DATA}/table.db", "the books")
    before = machine.files()
    machine.fails.write_text("x\n")
    (newer / "systemd" / "spike-companion.service").write_text("[Service]\n")
    done = machine.run("upgrade", source=newer)
    assert done.returncode == 1
    assert "the old version runs again with the data as they were" in done.stderr
    after = {name: held for name, held in machine.files().items() if "backups" not in name}
    assert after == before


def test_an_upgrade_that_breaks_half_way_puts_everything_back(machine, newer):
    machine.ok("install")
    before = machine.files()
    (newer / "requirements-pi.txt").unlink()
    assert machine.run("upgrade", source=newer).returncode == 1
    after = {name: held for name, held in machine.files().items() if "backups" not in name}
    assert after == before


def test_when_nothing_starts_the_backup_is_named(machine, newer):
    machine.ok("install")
    machine.write(f"{DATA}/table.db", "the books")
    machine.fails.write_text("x\nx\n")
    done = machine.run("upgrade", source=newer)
    assert done.returncode == 1
    assert "does not start either" in done.stderr
    assert str(machine.root / "var/backups/spike-companion") in done.stderr


def test_old_backups_are_let_go(machine, newer):
    machine.ok("install")
    machine.write(f"{DATA}/table.db", "the books")
    for year in range(2001, 2010):
        machine.write(f"var/backups/spike-companion/{year}0101T000000Z-1/table.db", "old")
    machine.ok("upgrade", source=newer)
    kept = sorted(path.name for path in (machine.root / "var/backups/spike-companion").iterdir())
    assert len(kept) == 5
    assert kept[0].startswith("2006")


def test_what_cannot_be_done_is_said(machine):
    assert "use install.sh" in machine.run("upgrade").stderr
    assert "Unknown option --frce" in machine.run("install", "--frce").stderr
    machine.ok("install")
    own = machine.root / OPT / "app"
    assert "not from the installed one" in machine.run("upgrade", source=own).stderr


def test_a_start_that_fails_is_said_with_where_to_look(machine):
    machine.fails.write_text("x\n")
    done = machine.run("install")
    assert done.returncode == 1
    assert "journalctl -u spike-companion" in done.stderr


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="apt-get install shellcheck")
@pytest.mark.parametrize("script", [*SCRIPTS, *VM], ids=lambda path: path.name)
def test_shellcheck_has_nothing_to_say(script):
    done = subprocess.run(
        ["shellcheck", "-x", "-a", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_pis_packages_are_the_locked_ones_and_name_no_host():
    def pinned(name):
        lines = (ROOT / name).read_text().splitlines()
        return {line.removesuffix(" \\") for line in lines if "==" in line}

    station = pinned("requirements-pi.txt")
    assert station <= pinned("requirements.txt")
    names = {line.partition("==")[0] for line in station}
    assert {"flask", "gpiozero", "waitress"} <= names
    assert not {"numpy", "opencv-python-headless", "pytest"} & names
    assert "://" not in (ROOT / "requirements-pi.txt").read_text()
