"""Exact chances at Crown & Spike, by counting every throw.

>>> success()
Fraction(91, 216)
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

from .crown_state import DICE
from .dice import Symbol


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
