"""Settings: defaults, then one TOML file, then environment, then flags; each checked once."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from companion.box import BoxError, ButtonSettings, LampSettings, section
from companion.webhooks import WebhookError, WebhookSettings, webhook_settings

PREFIX = "COMPANION_"
LANGUAGES = ("en", "de")  # those the screens are translated into
Chip = tuple[str, int]


class ConfigError(ValueError):
    """A setting cannot be used; the message names the key, what was found and what is allowed."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that may differ from one table to the next."""

    data_dir: Path = Path("var/table")
    host: str = "0.0.0.0"
    port: int = 8080
    camera: str = "disabled"
    station: Path | None = None  # the folder that calibrate and enrol made
    table_name: str = "Spike table"
    mdns_name: str = ""  # "spike" is announced as spike.local; empty: nothing is
    wifi: Path | None = None  # the file in which installing keeps its own hotspot's passphrase
    language: str = "en"  # what the table speaks where a display has not chosen: en or de
    seats: int = 8
    evidence_mb: int = 500
    buttons: ButtonSettings = field(default_factory=ButtonSettings)
    lamps: LampSettings = field(default_factory=LampSettings)
    webhooks: WebhookSettings = field(default_factory=WebhookSettings)
    chips: tuple[Chip, ...] = field(default=(("Bronzium", 5), ("Argentium", 25), ("Aurodium", 100)))

    def __post_init__(self) -> None:
        _within("port", self.port, 0, 65535)
        _within("seats", self.seats, 1, 8)
        _within("evidence_mb", self.evidence_mb, 10, 1_000_000)
        if not 1 <= len(self.table_name.strip()) <= 40:
            raise ConfigError("table_name: must have 1 to 40 characters")
        if not re.fullmatch(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?", self.mdns_name):
            raise ConfigError(
                f"mdns_name: letters a to z, digits and hyphens only, not {self.mdns_name!r}"
            )
        if self.language not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            raise ConfigError(f"language: must be one of {known}, not {self.language!r}")
        if not self.chips or any(value < 1 for _, value in self.chips):
            raise ConfigError("chips: needs at least one chip, each worth 1 credit or more")


def load(
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings in force. Raises ConfigError naming the key at fault."""
    values: dict[str, Any] = {}
    if file is not None:
        values.update(_checked(_read(file)))
    env = os.environ if environ is None else environ
    wanted = {n.removeprefix(PREFIX).lower(): v for n, v in env.items() if n.startswith(PREFIX)}
    known = {spec.name for spec in fields(Settings)}
    values.update(_checked({n: _from_text(n, v) for n, v in wanted.items() if n in known}))
    values.update(_checked({n: v for n, v in (flags or {}).items() if v is not None}))
    return Settings(**values)


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{file} does not exist; name the settings file you mean") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise ConfigError(f"{file} cannot be read: {fault}") from fault


def _checked(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _typed(name, value) for name, value in found.items()}


def _typed(name: str, value: Any) -> Any:
    if name in _PLAIN:
        return _plain(name, value)
    match name:
        case "data_dir" | "station" | "wifi":
            return Path(str(value)).expanduser()
        case "chips":
            return _chips(value)
        case "buttons":
            return _box(ButtonSettings, name, value)
        case "lamps":
            return _box(LampSettings, name, value)
        case "webhooks":
            return _webhooks(value)
        case _:
            known = [spec.name for spec in fields(Settings)]
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"
            raise ConfigError(f"{name}: there is no such setting{hint}")


# The settings that are a text or a whole number, as their fields say.
_PLAIN = {spec.name: spec.type for spec in fields(Settings) if spec.type in ("str", "int")}


def _plain(name: str, value: Any) -> Any:
    """The value of a setting that is a text or a whole number, if it is one."""
    number = _PLAIN[name] == "int"
    if type(value) is int if number else isinstance(value, str):
        return value
    kind = "a whole number" if number else "text"
    raise ConfigError(f"{name}: must be {kind}, not {value!r}")


def _box(kind: Any, name: str, value: Any) -> Any:
    try:
        return section(kind, name, value)
    except BoxError as fault:
        raise ConfigError(str(fault)) from None


def _webhooks(value: Any) -> WebhookSettings:
    try:
        return webhook_settings(value)
    except WebhookError as fault:
        raise ConfigError(str(fault)) from None


def _chips(value: Any) -> tuple[Chip, ...]:
    try:
        chips = tuple((str(name), worth) for name, worth in value)
    except (TypeError, ValueError):
        raise ConfigError('chips: must be a list like [["Bronzium", 5]]') from None
    if any(type(worth) is not int for _, worth in chips):
        raise ConfigError("chips: every chip is worth a whole number of credits")
    return chips


def _from_text(name: str, text: str) -> Any:
    """A setting of the environment: text, but where a whole number is wanted and given."""
    number = _PLAIN.get(name) == "int" and re.fullmatch(r"-?[0-9]+", text)
    return int(text) if number else text


def _within(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ConfigError(f"{name}: must be {least} to {most}, not {value}")
