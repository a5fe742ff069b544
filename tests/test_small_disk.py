"""A disk that is full or may not be written to: what is said, and that nothing is lost.

Each check runs in a mount namespace of its own, with a small disk in memory mounted there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UNSHARE = ["unshare", "--user", "--map-root-user", "--mount"]
MOUNT = 'mount -t tmpfs -o size=2m none "$0" && exec "$@"'


def _can_mount() -> bool:
    command = [*UNSHARE, "sh", "-c", MOUNT, "/mnt", "true"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


pytestmark = pytest.mark.skipif(
    not _can_mount(), reason="this system lets no program mount a disk of its own (unshare)"
)

SHARED = """
import contextlib
import io
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from companion import cli

DISK = Path(sys.argv[1])
DATA = DISK / "data"
TAKEN = socket.create_server(("127.0.0.1", 0))


def fill():
    with open(DISK / "fill", "wb", buffering=0) as file:
        size = 1 << 16
        while size:
            try:
                file.write(b"x" * size)
            except OSError:
                size //= 2


def companion(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        with contextlib.redirect_stderr(io.StringIO()) as err:
            returncode = cli.main([str(argument) for argument in arguments])
    return SimpleNamespace(returncode=returncode, stdout=out.getvalue(), stderr=err.getvalue())


def serve():
    # On a port that is taken: with room enough the start ends there.
    place = ["--host", "127.0.0.1", "--port", TAKEN.getsockname()[1]]
    return companion("serve", *place, "--camera", "disabled", "--data-dir", DATA)


def a_table():
    from companion.auth import Actor, Role
    from companion.bootstrap import build
    from companion.config import Settings
    from companion.rules.actions import BuyIn, ChooseGame, FundBank, JoinSeat
    from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet

    station = build(Settings(data_dir=DATA, camera="disabled"))
    for action in (
        FundBank(500), JoinSeat(1, "Nova", "teal"), BuyIn(1, 100), ChooseGame("crown_and_spike"),
        OpenRound(), PlaceBet(1, "eye", 10), CloseBets(),
    ):
        station.services.service.submit(action, Actor(Role.DEALER, None, "dealer"))
    return station


def refused(done, why):
    assert done.returncode == 2, done
    assert done.stderr.startswith("companion: Not stored, and all that was stored before is kept: ")
    assert why in done.stderr and done.stderr.rstrip().endswith("then try again."), done.stderr
    assert done.stderr.count("\\n") == 1, done.stderr


"""


def on_a_small_disk(tmp_path, check: str) -> None:
    program = tmp_path / "check.py"
    program.write_text(SHARED + textwrap.dedent(check))
    disk = tmp_path / "disk"
    disk.mkdir()
    command = [*UNSHARE, "sh", "-c", MOUNT, disk, sys.executable, program, disk]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_throw_on_a_full_disk_waits_and_is_recorded_once_there_is_room(tmp_path):
    on_a_small_disk(
        tmp_path,
        """
        from companion.auth import Actor, Role
        from companion.database import StorageError
        from vision.reading import DieReading, Reading, TrayEvent, TrayState, Verdict

        def die(face):
            return DieReading("spike", face, ((0, 0), (1, 0), (1, 1), (0, 1)), 1.0, (), ())

        dice = tuple(map(die, ("eye", "sun", "crown")))
        reading = Reading(Verdict.ACCEPT, dice, (), 1.0, {"spike": 3}, ())
        dealer = Actor(Role.DEALER, None, "dealer")
        station = a_table()
        desk, table = station.services.desk, station.services.service
        version = table.version
        fill()
        desk.on_event(TrayEvent(1, TrayState.EMPTY))
        desk.on_event(TrayEvent(2, TrayState.READ, reading, b"j" * 100_000))
        pending = desk.state().pending
        assert pending.evidence_id is None, "no picture was kept, so nothing is recorded unasked"
        assert list((DATA / "evidence").iterdir()) == [], "nor half a one"

        def confirm():
            desk.confirm(dealer, None, reading=pending.id, expected_version=version, request_id="a")

        for _ in range(3):
            try:
                confirm()
                raise AssertionError("said to be stored on a full disk")
            except StorageError as fault:
                assert "the disk is full. Free some space" in str(fault)
        assert table.version == version and desk.state().pending == pending
        assert station.web.test_client().get("/display").status_code == 200
        (DISK / "fill").unlink()
        confirm()
        assert table.version == version + 1
        assert table.audit() == []
        station.close()
        assert companion("audit", DATA).stdout.startswith("Sound")
        """,
    )


def test_a_full_disk_at_the_start_is_one_sentence_and_leaves_the_table(tmp_path):
    on_a_small_disk(
        tmp_path,
        """
        fill()
        refused(serve(), "the disk is full. Free some space")
        (DISK / "fill").unlink()
        a_table().close()
        fill()
        refused(serve(), "the disk is full. Free some space")
        refused(companion("audit", DATA), "the disk is full")
        tested = companion("selftest", "--camera", "disabled", "--data-dir", DATA)
        assert tested.returncode == 1 and "FAIL  disk" in tested.stdout, tested
        assert "the disk is full" in tested.stdout and "heat" in tested.stdout, tested
        (DISK / "fill").unlink()
        assert companion("audit", DATA).stdout.startswith("Sound")
        """,
    )


def test_wherever_the_start_runs_out_of_room_the_next_one_finds_all_in_order(tmp_path):
    """The database, the folders, the first PIN; with room for all, only the port is in the way."""
    on_a_small_disk(
        tmp_path,
        """
        import shutil

        for room in range(4, 2000, 8):
            shutil.rmtree(DATA, ignore_errors=True)
            free = os.statvfs(DISK)
            (DISK / "fill").write_bytes(bytes(free.f_bavail * free.f_bsize - room * 1024))
            done = serve()
            (DISK / "fill").unlink()
            if "port" in done.stderr:
                break
            refused(done, "the disk is full. Free some space")
            again = serve()
            assert again.returncode == 2 and "close the program that has it" in again.stderr.lower()
            assert (DATA / "dealer-pin").stat().st_size == 7, "a first PIN was made and can be read"
            assert companion("audit", DATA).stdout.startswith("Sound"), room
        assert room > 30, "it was never short of room"
        assert "the table is kept as it was" in done.stderr, done
        """,
    )


def test_a_disk_that_may_not_be_written_to_is_said(tmp_path):
    on_a_small_disk(
        tmp_path,
        """
        def remount(how):
            subprocess.run(["mount", "-o", f"remount,{how}", str(DISK)], check=True)

        remount("ro")
        made = serve()
        assert made.returncode == 2 and "name another data_dir" in made.stderr, made
        remount("rw")
        a_table().close()
        remount("ro")
        refused(serve(), "the data folder cannot be written to. Make it writable")
        tested = companion("selftest", "--camera", "disabled", "--data-dir", DATA)
        assert tested.returncode == 1 and "FAIL  disk" in tested.stdout, tested
        remount("rw")
        assert companion("audit", DATA).stdout.startswith("Sound")
        """,
    )
