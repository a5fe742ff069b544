"""One station to a table: a second one in its folder would go on from an older table."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing

import pytest

from companion import bootstrap
from companion.bootstrap import CannotListen, build
from companion.config import Settings
from companion.database import Database, StorageError


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=tmp_path, camera="disabled")


def test_a_second_station_is_refused_until_the_first_has_closed(settings):
    first = build(settings)
    try:
        with pytest.raises(StorageError, match="another program holds the data"):
            build(settings)
        with closing(Database.in_folder(settings.data_dir)) as looked_at:  # as the audit does
            assert looked_at.get_setting("schema")
    finally:
        first.close()
    build(settings).close()


def test_one_that_cannot_be_made_holds_nothing(settings, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(bootstrap, "EvidenceStore", lambda *_: (_ for _ in ()).throw(OSError()))
        with pytest.raises(OSError):  # noqa: PT011 - what failed does not matter
            build(settings)
    build(settings).close()


def test_one_that_died_holds_nothing(settings):
    program = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from companion.database import Database\n"
        "held = Database.in_folder(Path(sys.argv[1]), alone=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, "-c", program, str(settings.data_dir)]
    assert subprocess.run(command, timeout=60, check=False).returncode == -9
    build(settings).close()


def test_a_port_in_use_is_one_sentence(settings, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        station = build(Settings(data_dir=tmp_path, host="127.0.0.1", port=port, camera="disabled"))
        try:
            with pytest.raises(CannotListen, match=f"port {port} of 127.0.0.1 .* kept as it was"):
                station.serve()
        finally:
            station.close()
