"""Exact chances at Sika: points of a throw and of a game, and who can still win.

>>> mean(after_throws(1))
Fraction(21, 8)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product

from .dice import Colour, Roll
from .model import Line, Table
from .sika_state import CALLS, CUBES, ROUNDS, THROWS, Phase, Play, throw_points

Spread = Mapping[int, Fraction]  # points -> chance


@lru_cache(maxsize=64)
def after_throws(throws: int) -> Spread:
    """Chances of the points that ``throws`` throws add up to, by convolution."""
    if not throws:
        return {0: Fraction(1)}
    spread: dict[int, Fraction] = {}
    for points, chance in after_throws(throws - 1).items():
        for more, share in _throw().items():
            sofar = spread.get(points + more, Fraction(0))
            spread[points + more] = sofar + chance * share
    return spread


@lru_cache(maxsize=1)
def _throw() -> Spread:
    throws = list(product(CALLS, repeat=CUBES))
    counts = Counter(throw_points(Roll(cubes=faces), Colour.RED) for faces in throws)
    return {points: Fraction(n, len(throws)) for points, n in counts.items()}


def mean(spread: Spread) -> Fraction:
    """Points on average."""
    return sum((points * chance for points, chance in spread.items()), Fraction(0))


def tie_chance(players: int) -> Fraction:
    """Chance that the first place of a game is shared after the three rounds."""
    spread = after_throws(ROUNDS * THROWS)
    return 1 - players * sum(
        (chance * _below(spread, points) ** (players - 1) for points, chance in spread.items()),
        Fraction(0),
    )


def _below(spread: Spread, points: int) -> Fraction:
    return sum((chance for other, chance in spread.items() if other < points), Fraction(0))


def lead_chances(table: Table) -> dict[int, Fraction]:
    """For each seat the chance to be first alone after the three rounds.

    What is missing to 1 is the chance of a tie. Empty once a tie is played out.
    """
    play: Play = table.play
    if play.phase is Phase.IDLE or play.round_no > ROUNDS:
        return {}
    finals = {play.rows[n].seat: _final(play, n) for n in play.playing}
    return {seat: _alone_first(seat, finals) for seat in finals}


def _final(play: Play, position: int) -> Spread:
    """Chances of a player's total after the three rounds."""
    row = play.rows[position]
    spread = after_throws(_throws_left(play, position))
    return {row.total + points: chance for points, chance in spread.items()}


def _throws_left(play: Play, position: int) -> int:
    full = ROUNDS - play.round_no  # rounds after this one
    if position < play.turn:
        return full * THROWS
    here = THROWS - len(play.thrown) if position == play.turn else THROWS
    return full * THROWS + here


def _alone_first(seat: int, finals: Mapping[int, Spread]) -> Fraction:
    whole = Fraction(0)
    for points, chance in finals[seat].items():
        for other, spread in finals.items():
            if other != seat:
                chance *= _below(spread, points)
        whole += chance
    return whole


def hint(table: Table, seat: int) -> tuple[Line, ...]:
    """The chances of ``seat``, where the table shows advice."""
    play: Play = table.play
    if not table.options["advice"] or play.phase is Phase.IDLE or play.row_of(seat) is None:
        return ()
    missed = 100 * _throw()[min(_throw())]
    throw = Line(
        "A throw: {mean} points on average, {missed} % miss.",
        {"mean": mean(_throw()), "missed": missed},
    )
    chances = lead_chances(table)
    if seat not in chances:
        return (throw,)
    tie = 1 - sum(chances.values(), Fraction(0))
    values = {"win": 100 * chances[seat], "tie": 100 * tie}
    return (throw, Line("First alone after three rounds: {win} %; a tie: {tie} %.", values))
