"""House rules: named, typed, documented toggles of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import Refusal
from .words import Line

Value = bool | int | str


@dataclass(frozen=True, slots=True)
class Toggle:
    """One house rule. ``choices`` for words, ``least``/``most`` for whole numbers."""

    name: str
    default: Value
    meaning: str  # one line, shown beside the switch
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None

    def fault(self, value: Any) -> Line | None:
        """What is wrong with ``value`` for this toggle."""
        if type(value) is not type(self.default):
            return Line("must be a {kind}", {"kind": type(self.default).__name__})
        if self.choices and value not in self.choices:
            return Line("must be one of {choices}", {"choices": self.choices})
        if isinstance(value, int):
            return self._fault_in_size(value)
        return None

    def _fault_in_size(self, value: int) -> Line | None:
        if self.least is not None and value < self.least:
            return Line("must be at least {least}", {"least": self.least})
        if self.most is not None and value > self.most:
            return Line("must be at most {most}", {"most": self.most})
        return None


def settle_options(
    toggles: tuple[Toggle, ...], wanted: Mapping[str, Any]
) -> tuple[dict[str, Value], Refusal | None]:
    """Every toggle with its value, defaults filled in, and why ``wanted`` is refused, if it is."""
    known = {toggle.name: toggle for toggle in toggles}
    for name, value in wanted.items():
        if name not in known:
            return {}, Refusal(
                "unknown_option", "This game has no house rule called {name}.", {"name": name}
            )
        if fault := known[name].fault(value):
            return {}, Refusal(
                "bad_option", "House rule {name} {fault}.", {"name": name, "fault": fault}
            )
    return {toggle.name: wanted.get(toggle.name, toggle.default) for toggle in toggles}, None


# Advice may be switched off by a table that wants to keep players guessing.
ADVICE = Toggle("advice", True, "Exact chances are shown to players.")
