"""Who a join code lets in, also after the dealer has made a new one and after a restart."""

import pytest

from companion.auth import JoinTokens
from companion.database import Database, StorageError


@pytest.fixture
def database(tmp_path):
    made = Database.in_folder(tmp_path)
    yield made
    made.close()


def test_a_revoked_code_lets_nobody_in_after_a_restart_either(database):
    tokens = JoinTokens("key", database)
    old = tokens.issue()
    assert tokens.accepts(old)
    tokens.revoke()
    new = tokens.issue()
    for there in (tokens, JoinTokens("key", database)):
        assert not there.accepts(old)
        assert there.accepts(new)
    assert not JoinTokens("another key", database).accepts(new)


def test_a_code_that_could_not_be_revoked_on_disk_goes_on_working(database, monkeypatch):
    """What the screens show and what a restart would bring must not part."""
    tokens = JoinTokens("key", database)
    old = tokens.issue()

    def full(name, value):
        raise StorageError("the disk is full")

    monkeypatch.setattr(database, "set_setting", full)
    with pytest.raises(StorageError):
        tokens.revoke()
    assert tokens.accepts(old)
