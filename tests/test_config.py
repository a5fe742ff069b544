"""What a settings file may say, and what is said of one that cannot be used."""

from dataclasses import fields
from pathlib import Path

import pytest

from companion.config import ConfigError, Settings, load
from tests.settings_files import written

# Of every setting but the sections, something a file may say that is not what it is anyway.
SAID = {
    "data_dir": ('"var/other"', Path("var/other")),
    "host": ('"127.0.0.1"', "127.0.0.1"),
    "port": ("9090", 9090),
    "camera": ('"usb:0"', "usb:0"),
    "station": ('"var/station"', Path("var/station")),
    "table_name": ('"Pit 4"', "Pit 4"),
    "mdns_name": ('"spike"', "spike"),
    "wifi": ('"wifi.toml"', Path("wifi.toml")),
    "language": ('"de"', "de"),
    "seats": ("6", 6),
    "evidence_mb": ("200", 200),
    "chips": ('[["Nova", 20]]', (("Nova", 20),)),
}
SECTIONS = {"buttons", "lamps", "webhooks"}  # tried where they are used


def test_every_setting_is_tried_here():
    assert set(SAID) | SECTIONS == {spec.name for spec in fields(Settings)}


@pytest.mark.parametrize("name", SAID)
def test_a_setting_in_the_file_is_in_force(tmp_path, name):
    said, meant = SAID[name]
    settings = written(tmp_path, f"{name} = {said}\n")
    assert getattr(settings, name) == meant != getattr(Settings(), name)


@pytest.mark.parametrize("name", ["language", "port", "seats", "table_name"])
def test_a_setting_in_the_environment_is_in_force(name):
    said, meant = SAID[name]
    settings = load(environ={f"COMPANION_{name.upper()}": said.strip('"')})
    assert getattr(settings, name) == meant


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seats = 9", "seats: must be 1 to 8, not 9"),
        ("seats = true", "seats: must be a whole number"),
        ('evidence_mb = "two"', "evidence_mb: must be a whole number"),
        ("language = 7", "language: must be text"),
        ('language = "fr"', "language: must be one of en, de"),
        ('langage = "de"', "did you mean language"),
        ("port = 70000", "port: must be 0 to 65535"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said):
        written(tmp_path, text)


def test_a_table_may_be_named_by_a_number_in_the_environment():
    assert load(environ={"COMPANION_TABLE_NAME": "2187"}).table_name == "2187"


@pytest.mark.parametrize("said", ["--5", "²", "8o8o", ""])
def test_a_port_in_the_environment_that_is_no_number_is_named(said):
    with pytest.raises(ConfigError, match="port: must be a whole number"):
        load(environ={"COMPANION_PORT": said})
