"""Spike dice and chance cubes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

Expect = Mapping[str, int]  # dice kind -> how many, the form the reader understands

SPIKE_KIND = "spike"
CUBE_KIND = "cube"


class Colour(StrEnum):
    """Board colours; a cube shows only red or blue."""

    RED = "red"
    BLUE = "blue"
    GREEN = "green"


class Symbol(StrEnum):
    """The six faces of a Spike die, in the order of their values 1 to 6."""

    SPIKE = "spike"
    FLASK = "flask"
    CROWN = "crown"
    COMPASS = "compass"
    EYE = "eye"
    SUN = "sun"

    @property
    def points(self) -> int:
        """The face's value, 1 to 6."""
        return list(Symbol).index(self) + 1

    @property
    def colour(self) -> Colour:
        """The board's colour for the symbol, whatever ink the die is printed in."""
        return _BOARD_COLOUR[self]


_BOARD_COLOUR: Mapping[Symbol, Colour] = {
    Symbol.SPIKE: Colour.GREEN,
    Symbol.FLASK: Colour.BLUE,
    Symbol.CROWN: Colour.RED,
    Symbol.COMPASS: Colour.BLUE,
    Symbol.EYE: Colour.RED,
    Symbol.SUN: Colour.GREEN,
}


@dataclass(frozen=True, slots=True)
class Roll:
    """The faces of one throw, in no particular order.

    >>> Roll.of(["crown", "sun"]).count(Symbol.CROWN)
    1
    """

    spikes: tuple[Symbol, ...] = ()
    cubes: tuple[Colour, ...] = ()

    @classmethod
    def of(cls, spikes: Iterable[str] = (), cubes: Iterable[str] = ()) -> Roll:
        """Build from face names; raises ValueError on a name no die carries."""
        colours = tuple(Colour(name) for name in cubes)
        if Colour.GREEN in colours:
            raise ValueError("a chance cube has no green face")
        return cls(tuple(Symbol(name) for name in spikes), colours)

    @property
    def expect(self) -> Expect:
        """How many dice of each kind the roll holds; kinds with none are left out."""
        counts = {SPIKE_KIND: len(self.spikes), CUBE_KIND: len(self.cubes)}
        return {kind: n for kind, n in counts.items() if n}

    def count(self, symbol: Symbol) -> int:
        """How many Spike dice show ``symbol``."""
        return self.spikes.count(symbol)
