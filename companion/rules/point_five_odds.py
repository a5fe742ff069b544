"""Exact chances at Point Five, by following every throw that can still come.

The aim of a turn is its points, a win counting as the target of 100: the best of
calling and throwing again is found backwards from the sixth symbol.

>>> throw_mean((), Turn("last_throw"))
Fraction(13745, 2916)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from .dice import Symbol
from .model import Line, Table
from .point_five_state import ALL, TARGET, Phase, Play, throw_points, worth


@dataclass(frozen=True, slots=True)
class Turn:
    """What the value of a turn depends on besides its throws.

    ``short``: points that would win at a call; None when a call cannot win at once.
    """

    scoring: str
    short: int | None = TARGET

    @classmethod
    def of(cls, options: Mapping[str, Any], points: int) -> Turn:
        """The turn of a player who has ``points`` under the table's house rules."""
        at_once = options["finish"] == "immediate"
        return cls(options["scoring"], TARGET - points if at_once else None)


def bust_chance(thrown: int) -> Fraction:
    """Chance that the next throw shows one of ``thrown`` different symbols."""
    return Fraction(thrown, ALL)


def sixth_chance(thrown: int = 0) -> Fraction:
    """Chance to have all six symbols by throwing on, never calling."""
    chance = Fraction(1)
    for shown in range(thrown, ALL):
        chance *= 1 - bust_chance(shown)
    return chance


def mean_throws() -> Fraction:
    """Throws of a turn that is never called, on average."""
    return sum((sixth_chance() / sixth_chance(shown) for shown in range(ALL)), Fraction(0))


def call_value(thrown: tuple[Symbol, ...], turn: Turn) -> Fraction:
    """What calling now is worth: its points, or the target when they win."""
    points = worth(thrown, turn.scoring)
    wins = turn.short is not None and points >= turn.short
    return Fraction(TARGET if wins else points)


def throw_mean(thrown: tuple[Symbol, ...], turn: Turn) -> Fraction:
    """What throwing on is worth on average when every later choice is the best one."""
    return _throw_mean(frozenset(thrown), worth(thrown, turn.scoring), turn)


@lru_cache(maxsize=4096)
def _throw_mean(shown: frozenset[Symbol], points: int, turn: Turn) -> Fraction:
    fresh = (symbol for symbol in Symbol if symbol not in shown)
    return sum((_after(shown, points, symbol, turn) for symbol in fresh), Fraction(0)) / ALL


def _after(shown: frozenset[Symbol], points: int, symbol: Symbol, turn: Turn) -> Fraction:
    """The value of the better choice once ``symbol`` lies beside ``shown``."""
    if len(shown) == ALL - 1:
        return Fraction(TARGET)
    grown = points_after(len(shown) + 1, points, symbol, turn.scoring)
    wins = turn.short is not None and grown >= turn.short
    call = Fraction(TARGET if wins else grown)
    return max(call, _throw_mean(shown | {symbol}, grown, turn))


def points_after(number: int, points: int, symbol: Symbol, scoring: str) -> int:
    """Points of a call after throw ``number`` shows ``symbol``, ``points`` before it."""
    added = throw_points(number, symbol)
    return points + added if scoring == "cumulative" else added


def better_to_call(thrown: tuple[Symbol, ...], turn: Turn) -> bool:
    """Whether a call is worth at least as much as throwing on."""
    return call_value(thrown, turn) >= throw_mean(thrown, turn)


def hint(table: Table, seat: int) -> tuple[Line, ...]:
    """The chances of the turn for ``seat`` when it is theirs and the table shows advice."""
    play: Play = table.play
    if not table.options["advice"] or play.phase is Phase.IDLE or play.board.seat != seat:
        return ()
    thrown = play.board.thrown
    turn = Turn.of(table.options, play.board.points)
    chances = {
        "bust": 100 * bust_chance(len(thrown)),
        "each": Fraction(100, ALL),
        "sixth": 100 * sixth_chance(len(thrown)),
    }
    lines = (
        Line("Next throw: {bust} % bust, {each} % for each symbol still missing.", chances),
        Line("All six by throwing on: {sixth} %.", chances),
    )
    return (*lines, _choice(thrown, turn)) if play.phase is Phase.CHOICE else lines


def _choice(thrown: tuple[Symbol, ...], turn: Turn) -> Line:
    values = {"call": call_value(thrown, turn), "on": throw_mean(thrown, turn)}
    if better_to_call(thrown, turn):
        return Line("Call: worth {call}; throwing on {on} on average, a win as 100.", values)
    return Line("Throw on: worth {on} on average, a win as 100; a call {call}.", values)
