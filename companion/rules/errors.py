"""Why something may not be done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .words import Line


@dataclass(frozen=True, slots=True)
class Refusal:
    """A stable ``code`` for programs and a sentence for the person who asked.

    ``text``, ``values`` and ``one`` are those of the sentence's Line.
    """

    code: str
    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    one: str = ""

    @property
    def line(self) -> Line:
        """The sentence as a screen translates it."""
        return Line(self.text, self.values, self.one)

    @property
    def sentence(self) -> str:
        """The sentence in English."""
        return self.line.english


class RuleError(Exception):
    """Raised by ``apply`` for an action that ``why_not`` refuses."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal
