"""Why something may not be done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """A stable ``code`` for programs and a ``sentence`` for the person who asked."""

    code: str
    sentence: str


class RuleError(Exception):
    """Raised by ``apply`` for an action that ``why_not`` refuses."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal
