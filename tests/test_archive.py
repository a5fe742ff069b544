"""Backups: whole or not at all, never over another, and a way back."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3

import pytest

from companion.archive import ArchiveError, copy_table
from companion.archive_commands import faults_of
from companion.bootstrap import build
from companion.cli import main
from companion.config import Settings
from companion.rules.actions import BuyIn, JoinSeat
from tests.test_table import DEALER, read


@pytest.fixture
def running(tmp_path):
    """A station at work, with a roll's picture kept."""
    station = build(Settings(data_dir=tmp_path / "data"))
    for action in (JoinSeat(1, "=Nova"), BuyIn(1, 50)):
        station.services.service.submit(action, DEALER)
    station.services.desk.evidence.save(b"jpeg", read("sun").reading)
    yield station
    station.close()


@pytest.fixture
def data(running):
    return running.services.settings.data_dir


def test_a_backup_of_a_running_table_is_whole_and_comes_back(running, data, tmp_path, capsys):
    copy, again = tmp_path / "copy", tmp_path / "deep" / "again"
    (data / "station").mkdir()
    (data / "station" / "tray.json").write_text("{}")
    assert main(["backup", str(data), str(copy)]) == 0
    running.services.service.submit(BuyIn(1, 7), DEALER)
    assert main(["restore", str(copy), str(again)]) == 0
    assert "1 pictures" in capsys.readouterr().out
    assert sorted(path.name for path in copy.iterdir()) == ["evidence", "station", "table.db"]
    assert (again / "station" / "tray.json").read_text() == "{}"
    assert (copy / "table.db").stat().st_mode & 0o077 == 0
    back = build(Settings(data_dir=again))
    assert back.services.service.snapshot().table.credits(1) == 50
    assert back.services.secret_key == running.services.secret_key
    names = {path.name for path in (data / "evidence").iterdir()}
    assert {path.name for path in (again / "evidence").iterdir()} == names
    back.close()


@pytest.mark.parametrize("there", ["table.db", "note.txt"])
def test_nothing_is_ever_overwritten(data, tmp_path, there, capsys):
    target = tmp_path / "taken"
    target.mkdir()
    (target / there).write_text("mine")
    assert main(["backup", str(data), str(target)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert {path.name: path.read_text() for path in target.iterdir()} == {there: "mine"}


def test_a_damaged_table_is_not_taken_for_a_backup(running, data, tmp_path):
    running.close()
    broken = tmp_path / "broken"
    shutil.copytree(data, broken)
    with sqlite3.connect(broken / "table.db") as database:
        database.execute("UPDATE ledger SET amount = amount + 1")
    with pytest.raises(ArchiveError, match="not sound"):
        copy_table(broken, tmp_path / "copy", faults_of)
    assert not (tmp_path / "copy").exists()


def test_a_full_disk_leaves_nothing_half_done(data, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("companion.archive.shutil.copy2", full)
    with pytest.raises(ArchiveError, match="No space left"):
        copy_table(data, tmp_path / "copy", faults_of)
    assert not (tmp_path / "copy").exists()


def test_a_backup_does_not_go_into_what_it_copies(data, capsys):
    assert main(["backup", str(data), str(data / "backups" / "one")]) == 2
    assert "lies inside" in capsys.readouterr().err
    assert not (data / "backups").exists()


def test_a_folder_without_a_table_is_named(tmp_path, capsys):
    for command in ("backup", "restore"):
        assert main([command, str(tmp_path), str(tmp_path / "to")]) == 2
        assert "holds no table" in capsys.readouterr().err
    assert main(["export", str(tmp_path)]) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["log", "ledger", "rolls"])
def test_export_writes_both_forms_to_standard_output(data, what, capsysbinary):
    assert main(["export", str(data), "--what", what, "--format", "json"]) == 0
    rows = json.loads(capsysbinary.readouterr().out)
    assert main(["export", str(data), "--what", what, "--format", "csv"]) == 0
    lines = capsysbinary.readouterr().out.decode("utf-8-sig").splitlines()
    assert len(list(csv.DictReader(lines))) == len(rows)
    assert bool(rows) is (what != "rolls")
