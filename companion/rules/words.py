"""Sentences of the rules: an English template, which is the translation key, and its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


def key(text: str) -> str:
    """Marks ``text`` as a translation key for the catalogue; the screens translate it."""
    return text


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of the hand history: an English template and its values.

    Templates are the translation keys; values named ``seat`` hold seat numbers,
    which each screen shows by name. A value may itself be a Line. ``one`` is the
    template for a value ``n`` of 1, where a language's grammar tells them apart.
    """

    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    one: str = ""

    @property
    def english(self) -> str:
        """The sentence as the log, the exports and the command line have it.

        >>> Line("{n} cards", {"n": 1}, "{n} card").english
        '1 card'
        """
        template = self.one if self.one and self.values["n"] == 1 else self.text
        if not self.values:
            return template
        return template.format_map({name: _plain(value) for name, value in self.values.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, Line):
        return value.english
    return ", ".join(str(_plain(v)) for v in value) if isinstance(value, (tuple, list)) else value
