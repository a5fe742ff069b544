"""Comparing ranked hands: who wins, by what, and whether a tie is left.

A hand's strength is its rank and then, in the order of its game's tie-break
list, one number for each criterion; the larger number wins each comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .words import Line, key


class Criterion(StrEnum):
    """What decides between hands of one rank."""

    CLOSENESS = "closeness"  # minus the distance to zero
    POSITIVE_SCORE = "positive_score"  # 1 for a total above zero
    CARDS = "cards"
    SUITED = "suited"  # 1 when all cards but Sylops are of one suit
    SYLOP = "sylop"  # 1 with a Sylop
    POSITIVE_TOTAL = "positive_total"
    HIGH_POSITIVE = "high_positive"
    LOW_PAIR = "low_pair"  # minus the pair's distance to zero
    HIGH_PAIR = "high_pair"


class Tie(StrEnum):
    """How hands equal to the last criterion are parted."""

    SPLIT = "split"
    BLIND_DRAW = "blind_draw"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hand as its game sees it. Of two hands the one with the larger ``key`` wins."""

    rank: int  # 1 is the best
    name: str
    total: int
    criteria: tuple[Criterion, ...]
    key: tuple[int, ...]  # minus the rank, then the strength in each criterion
    takes_sabacc_pot: bool  # if it wins


@dataclass(frozen=True, slots=True)
class Showdown:
    """Hands compared; ``winners`` are their indices, several only in a tie."""

    hands: tuple[Ranked, ...]
    winners: tuple[int, ...]
    takes_sabacc_pot: bool
    tie: Tie | None
    whys: tuple[Line, ...]  # one sentence a hand


def compare(hands: Sequence[Ranked], ties: Tie) -> Showdown:
    """Find the winners among one or more hands and say why."""
    best = max(hand.key for hand in hands)
    winners = tuple(i for i, hand in enumerate(hands) if hand.key == best)
    top = hands[winners[0]]
    tie = ties if len(winners) > 1 else None
    return Showdown(tuple(hands), winners, top.takes_sabacc_pot, tie, _whys(hands, winners, tie))


def _whys(hands: Sequence[Ranked], winners: tuple[int, ...], tie: Tie | None) -> tuple[Line, ...]:
    top = hands[winners[0]]
    rest = [hand for hand in hands if hand.key != top.key]
    if tie:
        won = Line(_TIED[tie], {"hand": Line(top.name), "n": len(winners)})
    elif rest:
        second = max(rest, key=lambda hand: hand.key)
        won = Line("Wins: {reason}.", {"reason": reason(top, second)})
    else:
        won = Line("{hand}, with nobody to beat.", {"hand": Line(top.name)})
    return tuple(won if hand.key == top.key else _lost(top, hand) for hand in hands)


def _lost(top: Ranked, hand: Ranked) -> Line:
    return Line("Loses: {reason}.", {"reason": reason(top, hand)})


def reason(winner: Ranked, loser: Ranked) -> Line:
    """What decides between two hands that are not equal, without the full stop."""
    hand = Line(winner.name)
    if winner.rank != loser.rank:
        return Line("{hand} beats {other}", {"hand": hand, "other": Line(loser.name)})
    pairs = zip(winner.criteria, winner.key[1:], loser.key[1:], strict=True)
    criterion, more, less = next(pair for pair in pairs if pair[1] != pair[2])
    sizes = {"more": abs(more), "less": abs(less)}  # a distance is kept as its negative
    phrase = Line(_PHRASES[criterion], sizes)
    return Line("both are {hand}, and {phrase}", {"hand": hand, "phrase": phrase})


_TIED: Mapping[Tie, str] = {
    Tie.SPLIT: key("{hand}: {n} hands are equal to the last tie-break; the pot is split."),
    Tie.BLIND_DRAW: key("{hand}: {n} hands are equal to the last tie-break; a blind draw decides."),
}
_PHRASES: Mapping[Criterion, str] = {
    Criterion.CLOSENESS: key("{more} from zero is closer than {less}"),
    Criterion.POSITIVE_SCORE: key("a positive total beats a negative one"),
    Criterion.CARDS: key("{more} cards beat {less}"),
    Criterion.SUITED: key("one suit beats mixed suits"),
    Criterion.SYLOP: key("a Sylop beats none"),
    Criterion.POSITIVE_TOTAL: key("positive cards of {more} beat {less}"),
    Criterion.HIGH_POSITIVE: key("highest positive card {more} beats {less}"),
    Criterion.LOW_PAIR: key("a pair of {more} is closer to zero than of {less}"),
    Criterion.HIGH_PAIR: key("a pair of {more} is higher than of {less}"),
}
