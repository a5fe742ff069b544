"""Faults that a person is told of: a sentence, and the values in it."""

from __future__ import annotations


class ToldError(ValueError):
    """``text`` is a template for ``values``, so that a screen can say it in its own language."""

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text.format_map(values) if values else text)
        self.text = text
        self.values = values  # themselves sentences, where they are text
