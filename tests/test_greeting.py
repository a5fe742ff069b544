"""Secrets are for a person at the terminal; a journal gets none."""

import io
import os
import stat

import pytest

from companion import bootstrap, cli, greeting
from companion.auth import Pin
from companion.config import Settings
from companion.database import Database


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_to_a_person_everything_is_told(monkeypatch):
    monkeypatch.setattr(greeting.sys, "stdout", Terminal())
    seen = greeting.at_terminal()
    told = "\n".join(greeting.lines("http://10.0.0.2:8080", "http://10.0.0.2:8080/join?t=x", seen))
    assert "join?t=x" in told


def test_to_a_journal_no_way_to_a_seat_is_told():
    told = "\n".join(greeting.lines("http://10.0.0.2:8080", "http://10.0.0.2:8080/join?t=x", False))
    assert "http://10.0.0.2:8080/dealer" in told
    assert "join?t=" not in told


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_the_pin_is_kept_for_its_owner_only_and_replaced(tmp_path, umask):
    before = os.umask(umask)
    try:
        (tmp_path / greeting.PIN_FILE).write_text("old, and open to all\n")
        (tmp_path / greeting.PIN_FILE).chmod(0o644)
        line = greeting.pin_line("123456", tmp_path, seen=False)
    finally:
        os.umask(before)
    file = tmp_path / greeting.PIN_FILE
    assert file.read_text() == "123456\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "123456" not in line
    assert str(file) in line


def test_a_link_laid_in_the_way_is_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    (tmp_path / greeting.PIN_FILE).symlink_to(elsewhere)
    greeting.pin_line("123456", tmp_path, seen=False)
    assert elsewhere.read_text() == "theirs"


def test_a_service_keeps_its_first_pin_in_the_file_and_prints_no_secret(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(bootstrap.Station, "serve", lambda self: None)
    for _ in range(2):  # the second start has a PIN and makes none
        assert cli.main(["serve", "--data-dir", str(tmp_path), "--host", "127.0.0.1"]) == 0
    out = capsys.readouterr().out
    pin = (tmp_path / greeting.PIN_FILE).read_text().strip()
    assert pin not in out
    assert out.count(greeting.PIN_FILE) == 1
    assert "join?t=" not in out
    database = Database.in_folder(Settings(data_dir=tmp_path).data_dir)
    assert Pin(database).check(pin) is None
    database.close()
