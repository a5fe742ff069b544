"""The bank's take at Crown & Spike beside what the rules promise it, and how far chance may go.

Each throw's bets are known before it, so its mean and variance are exact: every one of the
216 throws and four pairs of cubes is counted. Over an evening means and variances add up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import product
from typing import Any

from companion.rules.actions import RecordRoll
from companion.rules.crown_odds import CUBES
from companion.rules.crown_state import (
    DICE,
    Bet,
    Phase,
    Play,
    Run,
    at_risk,
    called_colour,
    colour_payout,
)
from companion.rules.dice import Colour, Roll, Symbol
from companion.rules.history import Done

GAME = "crown_and_spike"
# Every throw of three dice once, with how many of the 216 ordered throws look like it.
ALL_THROWS = tuple(Counter(tuple(sorted(faces)) for faces in product(Symbol, repeat=DICE)).items())
COUNTED = tuple((Counter(symbol.value for symbol in faces), times) for faces, times in ALL_THROWS)


Gain = Callable[[Counter[str]], int]


class Wager(StrEnum):
    """What the bank can win or lose on."""

    SYMBOL = "symbol"
    COLOUR = "colour"
    DOUBLE = "double"  # double or nothing


@dataclass(frozen=True, slots=True)
class Take:
    """One kind of wager in one throw, in credits, seen from the bank."""

    entry: int
    wager: Wager
    staked: int
    seen: int
    expected: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """Many throws together. ``spread`` is one standard deviation of ``seen``, in credits."""

    wager: Wager | None  # None: all of them
    throws: int
    staked: int
    seen: int
    expected: Fraction
    spread: float

    @property
    def unusual(self) -> bool:
        """Whether chance alone rarely (one time in twenty) strays so far."""
        return abs(float(self.seen - self.expected)) > 1.96 * self.spread


def edge_rows(takes: Sequence[Take]) -> tuple[EdgeRow, ...]:
    """A row for each kind of wager there was, and one for all when there were several."""
    rows = [
        _row(wager, [take for take in takes if take.wager is wager])
        for wager in Wager
        if any(take.wager is wager for take in takes)
    ]
    return (*rows, _row(None, takes)) if len(rows) > 1 else tuple(rows)


def _row(wager: Wager | None, takes: Sequence[Take]) -> EdgeRow:
    """Variances add up: symbols and cubes are apart, and a later throw is fair to its own bets."""
    return EdgeRow(
        wager,
        len({take.entry for take in takes}),
        sum(take.staked for take in takes),
        sum(take.seen for take in takes),
        sum((take.expected for take in takes), Fraction(0)),
        math.sqrt(sum((take.variance for take in takes), Fraction(0))),
    )


def takes(done: Iterable[Done]) -> list[Take]:
    """Every settled throw of Crown & Spike, oldest first."""
    found: list[Take] = []
    for step in done:
        before = step.previous.table if step.previous else None
        if isinstance(step.action, RecordRoll) and before and before.game == GAME:
            found += throw_takes(step.no, before.play, step.action.roll, before.options)
    return found


def throw_takes(entry: int, play: Play, roll: Roll, options: Mapping[str, Any]) -> list[Take]:
    """What the bank stood to win in one throw, and what it won."""
    if play.phase is Phase.RERUN:
        return [_double_take(entry, play.runs, roll, options)]
    symbols = [bet for bet in play.bets if not bet.is_colour]
    colours = [bet for bet in play.bets if bet.is_colour]
    made = [_symbol_take(entry, symbols, roll)] if symbols else []
    return [*made, _colour_take(entry, colours, roll, options)] if colours else made


def _symbol_take(entry: int, bets: list[Bet], roll: Roll) -> Take:
    staked = _by_face((bet.on, bet.stake) for bet in bets)

    def gain(hits: Counter[str]) -> int:
        return sum(-stake * hits[on] if hits[on] else stake for on, stake in staked.items())

    return _take(entry, Wager.SYMBOL, staked, gain, roll.spikes)


def _double_take(entry: int, runs: Sequence[Run], roll: Roll, options: Mapping[str, Any]) -> Take:
    pays = _by_face((run.on, run.winnings) for run in runs)
    risks = _by_face((run.on, at_risk(run, options)) for run in runs)

    def gain(hits: Counter[str]) -> int:
        return sum(-pays[on] if hits[on] else risk for on, risk in risks.items())

    return _take(entry, Wager.DOUBLE, risks, gain, roll.spikes)


def _take(entry: int, wager: Wager, staked: Counter[str], gain: Gain, faces: Iterable[str]) -> Take:
    """``gain`` of a throw's faces, whose mean is taken over all 216 throws."""
    mean, variance = _moments([(gain(hits), times) for hits, times in COUNTED])
    return Take(entry, wager, staked.total(), gain(Counter(faces)), mean, variance)


def _colour_take(entry: int, bets: list[Bet], roll: Roll, options: Mapping[str, Any]) -> Take:
    def gain(called: str) -> int:
        return sum(-colour_payout(b, options) if b.on == called else b.stake for b in bets)

    cubes = product((Colour.RED, Colour.BLUE), repeat=CUBES)
    mean, variance = _moments([(gain(called_colour(faces)), 1) for faces in cubes])
    staked = sum(bet.stake for bet in bets)
    return Take(entry, Wager.COLOUR, staked, gain(called_colour(roll.cubes)), mean, variance)


def _by_face(amounts: Iterable[tuple[str, int]]) -> Counter[str]:
    summed: Counter[str] = Counter()
    for face, amount in amounts:
        summed[face] += amount
    return summed


def _moments(gains: Sequence[tuple[int, int]]) -> tuple[Fraction, Fraction]:
    """Mean and variance of gains, each with its weight."""
    weight = sum(times for _, times in gains)
    mean = Fraction(sum(gain * times for gain, times in gains), weight)
    square = Fraction(sum(gain * gain * times for gain, times in gains), weight)
    return mean, square - mean**2
