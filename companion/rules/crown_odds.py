"""Exact chances at Crown & Spike, by counting every throw.

>>> success()
Fraction(91, 216)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from .crown_state import (
    COLOURS,
    DICE,
    Bet,
    Phase,
    Play,
    Run,
    at_risk,
    called_colour,
    colour_payout,
)
from .dice import Colour, Symbol
from .model import Line, Table
from .words import key

CUBES = 2


@lru_cache(maxsize=1)
def matches() -> dict[int, Fraction]:
    """Chance of 0 to 3 dice showing one given symbol."""
    wanted = Symbol.SPIKE
    counts = Counter(throw.count(wanted) for throw in product(Symbol, repeat=DICE))
    total = sum(counts.values())
    return {hits: Fraction(count, total) for hits, count in sorted(counts.items())}


def success() -> Fraction:
    """Chance that Double or Nothing comes off."""
    return 1 - matches()[0]


def run_chance(doublings: int) -> Fraction:
    """Chance that a fresh bet wins and then doubles ``doublings - 1`` times more."""
    return success() ** doublings


def symbol_edge() -> Fraction:
    """The bank's edge on a symbol bet, as a share of the stake."""
    mean = sum((Fraction(hits or -1) * chance for hits, chance in matches().items()), Fraction(0))
    return -mean


def press_mean(run: Run, options: Mapping[str, Any]) -> Fraction:
    """Credits that going double or nothing once gains on average over taking now."""
    return success() * run.winnings - (1 - success()) * at_risk(run, options)


def limit_chance(run: Run, options: Mapping[str, Any]) -> Fraction:
    """Chance that a run, pressed every time, reaches the table's limit of doublings."""
    return success() ** (int(options["run_limit"]) - run.doublings)


def colour_chance(on: str) -> Fraction:
    """Chance that two cubes call the colour ``on``."""
    throws = list(product((Colour.RED, Colour.BLUE), repeat=CUBES))
    return Fraction(sum(called_colour(throw) == on for throw in throws), len(throws))


def colour_mean(bet: Bet, options: Mapping[str, Any]) -> Fraction:
    """Credits a colour bet gains on average, its payout rounded down as it is paid."""
    chance = colour_chance(bet.on)
    return chance * colour_payout(bet, options) - (1 - chance) * bet.stake


def hint(table: Table, seat: int) -> tuple[Line, ...]:
    """The chances that matter to ``seat`` now, where the table shows advice."""
    return tuple(_hints(table, seat)) if table.options["advice"] else ()


def _hints(table: Table, seat: int) -> Iterator[Line]:
    play: Play = table.play
    match play.phase:
        case Phase.BETTING:
            edge = {"hit": 100 * success(), "edge": 100 * symbol_edge()}
            yield Line("A symbol shows {hit} % of the time; a stake loses {edge} % a round.", edge)
            yield from (_colour_line(table, on) for on in COLOURS if table.options["colour_bets"])
        case Phase.OFFERS | Phase.RERUN:
            runs = [run for run in play.runs if run.seat == seat]
            yield from (_run_line(run, table.options) for run in runs)
        case _:
            return


def _colour_line(table: Table, on: str) -> Line:
    """Said for a stake that the odds divide evenly by, so that rounding takes nothing."""
    even = Bet(0, on, 20)
    loss = -100 * colour_mean(even, table.options) / even.stake
    values = {"on": on, "hit": 100 * colour_chance(on), "edge": loss}
    return Line("{on} comes {hit} % of the time; a stake loses {edge} % a round.", values)


def _run_line(run: Run, options: Mapping[str, Any]) -> Line:
    values = {
        "on": run.on,
        "hit": 100 * success(),
        "mean": press_mean(run, options),
        "limit": 100 * limit_chance(run, options),
    }
    text = key(
        "{on}: doubling comes off {hit} % of the time, {mean} credits on average; "
        "to the limit {limit} %."
    )
    return Line(text, values)
