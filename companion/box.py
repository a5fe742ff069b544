"""Settings of the dealer's box: which button and which lamp is on which pin."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

DISABLED = "disabled"


class BoxError(ValueError):
    """A setting of the box cannot be used; the message names the key."""


@dataclass(frozen=True, slots=True)
class ButtonSettings:
    """GPIO numbers, as in ``GPIO17``; a button without one is not there. Times in seconds."""

    confirm: int | None = None
    correct: int | None = None
    undo: int | None = None
    next: int | None = None
    bounce_s: float = 0.03
    hold_s: float = 0.9  # next held for so long voids

    def pins(self) -> dict[str, int]:
        """The buttons there are, with their pins."""
        return _pins(self)


@dataclass(frozen=True, slots=True)
class LampSettings:
    """GPIO numbers; a lamp without one is not there."""

    ready: int | None = None
    ask: int | None = None
    trouble: int | None = None
    ring: int | None = None
    buzzer: int | None = None

    def pins(self) -> dict[str, int]:
        """The lamps there are, with their pins."""
        return _pins(self)


LIMITS = {"bounce_s": (0.0, 0.2), "hold_s": (0.4, 5.0)}
Section = TypeVar("Section", ButtonSettings, LampSettings)


def section(kind: type[Section], name: str, value: Any) -> Section:
    """The table ``[name]`` of the settings file, or the word disabled. Raises BoxError."""
    if isinstance(value, kind):
        return value
    if value == DISABLED:
        return kind()
    if not isinstance(value, Mapping):
        raise BoxError(f'{name}: must be a table like [{name}], or "{DISABLED}", not {value!r}')
    known = [spec.name for spec in fields(kind)]
    return kind(**{key: _checked(f"{name}.{key}", key, v, known) for key, v in value.items()})


def _checked(where: str, key: str, value: Any, known: list[str]) -> Any:
    if key not in known:
        near = difflib.get_close_matches(key, known, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"
        raise BoxError(f"{where}: there is no such setting{hint}")
    if key not in LIMITS:
        if type(value) is not int:
            raise BoxError(f"{where}: must be the number of a GPIO pin, not {value!r}")
        return value
    least, most = LIMITS[key]
    if type(value) not in (int, float) or not least <= value <= most:
        raise BoxError(f"{where}: must be {least} to {most} seconds, not {value!r}")
    return float(value)


def _pins(settings: ButtonSettings | LampSettings) -> dict[str, int]:
    named = {spec.name: getattr(settings, spec.name) for spec in fields(settings)}
    return {name: pin for name, pin in named.items() if type(pin) is int}
