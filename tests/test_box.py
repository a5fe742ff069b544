"""The box's settings, and a press on a pin that becomes an action on the table."""

import socket
import threading
from dataclasses import fields

import pytest
from gpiozero.pins.mock import MockFactory

from companion.auth import Actor, Role
from companion.bootstrap import PinsError, build
from companion.box import LampSettings
from companion.config import ConfigError, Settings
from companion.rules.actions import FundBank
from hardware.lamps import Lamp
from tests.settings_files import written

BOX = """
[buttons]
confirm = 17
correct = 27
undo = 22
next = 23
hold_s = 1.5
[lamps]
ready = 5
ring = 19
buzzer = 26
"""


def settings_from(tmp_path, text):
    return written(tmp_path, text, data_dir=str(tmp_path / "data"))


def test_pins_come_from_the_settings_file(tmp_path):
    settings = settings_from(tmp_path, BOX)
    assert settings.buttons.pins() == {"confirm": 17, "correct": 27, "undo": 22, "next": 23}
    assert settings.buttons.hold_s == 1.5
    assert settings.lamps.pins() == {"ready": 5, "ring": 19, "buzzer": 26}


@pytest.mark.parametrize("text", ["", 'buttons = "disabled"\nlamps = "disabled"', "[buttons]"])
def test_no_box_needs_no_pins(tmp_path, text):
    settings = settings_from(tmp_path, text)
    assert (settings.buttons.pins(), settings.lamps.pins()) == ({}, {})
    build(settings).close()  # and no library for them


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("buttons = 3", r"buttons: must be a table like \[buttons\]"),
        ("[buttons]\nconfrm = 4", "buttons.confrm: there is no such setting; did you mean confirm"),
        ("[buttons]\nundo = true", "buttons.undo: must be the number of a GPIO pin, not True"),
        ('[lamps]\nask = "6"', "lamps.ask: must be the number of a GPIO pin, not '6'"),
        ("[buttons]\nhold_s = 0.1", "buttons.hold_s: must be 0.4 to 5.0 seconds, not 0.1"),
        ("[buttons]\nhold_s = nan", "buttons.hold_s: must be 0.4 to 5.0 seconds"),
        ('[buttons]\nbounce_s = "long"', "buttons.bounce_s: must be 0.0 to 0.2 seconds"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, text, sentence):
    with pytest.raises(ConfigError, match=sentence):
        settings_from(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[buttons]\nundo = 6\n[lamps]\nask = 6", "buttons.undo and lamps.ask are both on GPIO 6"),
        ("[buttons]\nundo = 6\nnext = 6", "buttons.undo and buttons.next are both on GPIO 6"),
        ("[lamps]\nring = 99", "lamps.ring: GPIO 99 cannot be used"),
    ],
)
def test_a_conflict_is_refused_at_the_start_naming_both(tmp_path, text, sentence):
    with pytest.raises(PinsError, match=sentence):
        build(settings_from(tmp_path, text), pin_factory=MockFactory())


def test_a_press_on_the_pin_is_the_dealers_action_and_lamps_show_the_table(tmp_path):
    factory = MockFactory()
    text = BOX.replace("hold_s = 1.5", "bounce_s = 0.0\nhold_s = 5.0")
    station = build(settings_from(tmp_path, text), pin_factory=factory)
    service = station.services.service
    service.submit(FundBank(70), Actor(Role.DEALER, None, "dealer"))
    hub = station.services.hub.subscribe()
    station.start()
    assert factory.pin(19).state  # the tray is lit
    factory.pin(22).drive_low()
    factory.pin(22).drive_high()
    next(event for event in hub if event.kind == "table")
    assert service.snapshot().table.balance("bank") == 0
    assert service.log()[-1].actor == "box"
    station.close()
    assert factory.pin(19).function == "input"  # given back


def test_the_service_manager_hears_ready_when_pages_answer_and_stopping_at_the_end(
    tmp_path, monkeypatch
):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(30)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        settings = Settings(data_dir=tmp_path / "data", host="127.0.0.1", port=0)
        station = build(settings)
        station.start()
        serving = threading.Thread(target=station.serve, daemon=True)
        serving.start()
        said = []
        while "READY=1" not in said:
            said.append(manager.recv(300).decode())
        port = manager.recv(300).decode()
        while not port.startswith("STATUS="):
            port = manager.recv(300).decode()
        with socket.create_connection(("127.0.0.1", int(port.rsplit(maxsplit=1)[-1])), 30):
            pass
        station.close()
        while "STOPPING=1" not in said:
            said.append(manager.recv(300).decode())
        assert "WATCHDOG=1" in said  # a table without a camera is well


def test_every_lamp_of_the_settings_is_a_lamp_of_the_board():
    assert {spec.name for spec in fields(LampSettings)} == {lamp.value for lamp in Lamp}
