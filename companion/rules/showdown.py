"""Comparing ranked hands: who wins, by what, and whether a tie is left.

A hand's strength is its rank and then, in the order of its game's tie-break
list, one number for each criterion; the larger number wins each comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


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
    whys: tuple[str, ...]  # one sentence a hand


def compare(hands: Sequence[Ranked], ties: Tie) -> Showdown:
    """Find the winners among one or more hands and say why."""
    best = max(hand.key for hand in hands)
    winners = tuple(i for i, hand in enumerate(hands) if hand.key == best)
    top = hands[winners[0]]
    tie = ties if len(winners) > 1 else None
    return Showdown(tuple(hands), winners, top.takes_sabacc_pot, tie, _whys(hands, winners, tie))


def _whys(hands: Sequence[Ranked], winners: tuple[int, ...], tie: Tie | None) -> tuple[str, ...]:
    top = hands[winners[0]]
    rest = [hand for hand in hands if hand.key != top.key]
    if tie:
        parted = "the pot is split" if tie is Tie.SPLIT else "a blind draw decides"
        won = f"{top.name}: {len(winners)} hands are equal to the last tie-break; {parted}."
    elif rest:
        won = f"Wins: {reason(top, max(rest, key=lambda hand: hand.key))}."
    else:
        won = f"{top.name}, with nobody to beat."
    return tuple(won if hand.key == top.key else f"Loses: {reason(top, hand)}." for hand in hands)


def reason(winner: Ranked, loser: Ranked) -> str:
    """What decides between two hands that are not equal, without the full stop."""
    if winner.rank != loser.rank:
        return f"{winner.name} beats {loser.name}"
    pairs = zip(winner.criteria, winner.key[1:], loser.key[1:], strict=True)
    criterion, more, less = next(pair for pair in pairs if pair[1] != pair[2])
    return f"both are {winner.name}, and {_PHRASES[criterion](more, less)}"


_PHRASES: Mapping[Criterion, Callable[[int, int], str]] = {
    Criterion.CLOSENESS: lambda more, less: f"{-more} from zero is closer than {-less}",
    Criterion.POSITIVE_SCORE: lambda *_: "a positive total beats a negative one",
    Criterion.CARDS: lambda more, less: f"{more} cards beat {less}",
    Criterion.SUITED: lambda *_: "one suit beats mixed suits",
    Criterion.SYLOP: lambda *_: "a Sylop beats none",
    Criterion.POSITIVE_TOTAL: lambda more, less: f"positive cards of {more} beat {less}",
    Criterion.HIGH_POSITIVE: lambda more, less: f"highest positive card {more} beats {less}",
    Criterion.LOW_PAIR: lambda more, less: f"a pair of {-more} is closer to zero than of {-less}",
    Criterion.HIGH_PAIR: lambda more, less: f"a pair of {more} is higher than of {less}",
}
