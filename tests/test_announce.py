"""The station's name on the network: told once for each address, and taken back."""

import socket
from types import SimpleNamespace

import pytest

from companion import announce
from companion.announce import Announcer


class Library:
    """Stands in for zeroconf; ``done`` is what it was asked."""

    def __init__(self, refuses=False):
        self.done = []
        self.refuses = refuses

    def Zeroconf(self, interfaces):  # noqa: N802 - the library's name
        if self.refuses:
            raise OSError("no network")
        self.done.append(("open", interfaces))
        return SimpleNamespace(
            register_service=lambda service, allow_name_change: self.done.append(service),
            close=lambda: self.done.append("close"),
        )

    def ServiceInfo(self, kind, name, **facts):  # noqa: N802 - the library's name
        return {"kind": kind, "name": name, **facts}


def announcer(library, addresses):
    waiting = iter(addresses)
    return Announcer("spike", "Docking Bay 9.4", 8080, lambda: next(waiting), library)


def test_the_name_is_told_with_the_address_and_the_port():
    library = Library()
    announcer(library, ["192.168.1.7"]).look()
    opened, service = library.done
    assert opened == ("open", ["192.168.1.7"])
    assert service["server"] == "spike.local."
    assert service["addresses"] == [socket.inet_aton("192.168.1.7")]
    assert service["port"] == 8080
    assert service["name"] == "Docking Bay 9 4._http._tcp.local."


def test_only_another_address_is_told_anew_and_none_is_told_while_alone():
    library = Library()
    named = announcer(library, ["127.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.3", "127.0.0.1"])
    for _ in range(5):
        named.look()
    told = [line if isinstance(line, str) else "" for line in library.done]
    assert told == ["", "", "close", "", ""]


def test_a_network_that_refuses_is_said_once_and_tried_again(caplog):
    library = Library(refuses=True)
    named = announcer(library, ["10.0.0.2"] * 3)
    named._try()
    named._try()
    assert caplog.text.count("spike.local cannot be announced: no network") == 1
    library.refuses = False
    named._try()
    assert len(library.done) == 2


def test_without_the_library_the_station_goes_on(monkeypatch, caplog):
    monkeypatch.setitem(__import__("sys").modules, "zeroconf", None)
    named = Announcer("spike", "Table", 8080, lambda: "10.0.0.2")
    named.start()
    named._thread.join(timeout=30)
    named.close()
    assert "the package zeroconf is missing" in caplog.text


def test_the_real_library_answers_for_the_name_until_closed(monkeypatch):
    zeroconf = pytest.importorskip("zeroconf", reason="the extra mdns is not installed")
    monkeypatch.setattr(announce, "ALONE", "none")  # loopback is the only network sure to be there
    named = Announcer("spike-test", "Table under test", 8123, lambda: "127.0.0.1")
    named.start()
    asking = zeroconf.Zeroconf(interfaces=["127.0.0.1"])
    try:
        found = asking.get_service_info(announce.KIND, f"Table under test.{announce.KIND}", 20_000)
        assert found.server == "spike-test.local."
        assert (found.parsed_addresses(), found.port) == (["127.0.0.1"], 8123)
    finally:
        asking.close()
        named.close()
