"""The ranks of the Yarith Bespin Casino's Corellian Spike: two hand cards and the spike card.

After the casino's rules (CC BY-SA 4.0, credited on the rules page). Our readings:

====  ==============  ========================================  ==========================
rank  name            three cards                               then, in this order
====  ==============  ========================================  ==========================
1     Idiot's Array   a Sylop, a 2 and a 3 of whatever sign     +total over -total, sum+,
                                                                high+
2     Prime Sabacc    +10, -10 and a Sylop                      (always equal)
3     Yee-Haa         zero with any other pair and a Sylop      pair closest to zero, sum+,
                                                                high+
4     One Pair        zero with a pair                          as Yee-Haa
5     Sabacc          any other zero                            sum+, high+
6     Nulrhek         a total that is not zero                  closest, +total over -total,
                                                                sum+, high+
====  ==============  ========================================  ==========================

- ``sum+``: the sum of the positive cards; ``high+``: the highest of them. The
  sheet lists them as ranks of their own; they only ever part equal hands.
- Hands equal that far draw blind (``blind_key``): closest to zero wins, +n beats -n.
- A Sabacc pot goes to a winning zero. An Idiot's Array is never zero, so it
  takes the hand pot only (``idiots_array=both_pots`` lets it take both).
- ``idiots_array=none`` and ``prime=False`` drop a rank: the hand then counts as
  what else it is. ``pair_ties=highest`` turns the pair's order round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from .cards import Card
from .options import Toggle
from .showdown import Criterion, Ranked, Showdown, Tie, compare
from .words import key

CARDS = 3

TOGGLES = (
    Toggle("sabacc_pot", True, "There is a Sabacc pot, and the hand ante is 2; without it, 1."),
    Toggle(
        "idiots_array",
        "hand_pot",
        "What a winning Idiot's Array takes, or that this table does not know it.",
        ("hand_pot", "both_pots", "none"),
    ),
    Toggle(
        "idiots_cards",
        "any_sign",
        "Whether an Idiot's Array may hold negative cards.",
        ("any_sign", "positive"),
    ),
    Toggle("prime", True, "Prime Sabacc is a rank of its own, above Yee-Haa."),
    Toggle(
        "pair_ties",
        "closest",
        "Which pair wins between two pairs: the closest to zero or the highest.",
        ("closest", "highest"),
    ),
)

NAMES = (
    key("Idiot's Array"),
    key("Prime Sabacc"),
    key("Yee-Haa"),
    key("One Pair"),
    key("Sabacc"),
    key("Nulrhek"),
)
ARRAY, PRIME, YEE_HAA, ONE_PAIR, SABACC, NULRHEK = range(1, len(NAMES) + 1)

_SCORE, _SUM = Criterion.POSITIVE_SCORE, Criterion.POSITIVE_TOTAL
_HIGH = Criterion.HIGH_POSITIVE


def rank(cards: Sequence[Card], options: Mapping[str, Any]) -> Ranked:
    """Rank three cards, the spike card among them, under the table's toggles."""
    values = tuple(sorted(card.value for card in cards))
    rules = (options["idiots_array"], options["idiots_cards"], options["prime"])
    ranked = _ranked(values, *rules, options["pair_ties"] == "highest")
    return ranked if options["sabacc_pot"] else replace(ranked, takes_sabacc_pot=False)


def showdown(hands: Sequence[Sequence[Card]], options: Mapping[str, Any]) -> Showdown:
    """Compare one or more hands; a full tie always asks for a blind draw."""
    return compare([rank(hand, options) for hand in hands], Tie.BLIND_DRAW)


def blind_key(card: Card) -> tuple[int, int]:
    """Strength of a card drawn blind; the larger wins, equal ones draw again.

    >>> from companion.rules.cards import parse
    >>> [str(card) for card in sorted(parse("+4c -1t 0 +1s"), key=blind_key, reverse=True)]
    ['0', '+1s', '-1t', '+4c']
    """
    return -abs(card.value), int(card.value > 0)


@cache  # bounded: the deck has some two thousand sets of three values
def _ranked(
    values: tuple[int, ...], array: str, array_cards: str, prime: bool, highest: bool
) -> Ranked:
    number = _number(values, array, array_cards, prime)
    criteria = _criteria(number, highest)
    strengths = (_strength(criterion, values) for criterion in criteria)
    total = sum(values)
    takes = total == 0 or (number == ARRAY and array == "both_pots")
    return Ranked(number, NAMES[number - 1], total, criteria, (-number, *strengths), takes)


def _number(values: tuple[int, ...], array: str, array_cards: str, prime: bool) -> int:
    sizes = sorted(map(abs, values))
    signs_fit = array_cards == "any_sign" or values[0] == 0
    if array != "none" and sizes == [0, 2, 3] and signs_fit:
        return ARRAY
    if sum(values):
        return NULRHEK
    if 0 in values:  # zero with a Sylop leaves a value and its opposite
        return PRIME if prime and sizes[2] == 10 else YEE_HAA
    return ONE_PAIR if len(set(sizes)) < CARDS else SABACC


def _criteria(number: int, highest: bool) -> tuple[Criterion, ...]:
    pair = Criterion.HIGH_PAIR if highest else Criterion.LOW_PAIR
    chain = (_SCORE, _SUM, _HIGH)
    if number == NULRHEK:
        return (Criterion.CLOSENESS, *chain)
    return (pair, *chain) if number in (YEE_HAA, ONE_PAIR) else chain


def _strength(criterion: Criterion, values: tuple[int, ...]) -> int:
    match criterion:
        case Criterion.CLOSENESS:
            return -abs(sum(values))
        case Criterion.POSITIVE_SCORE:
            return int(sum(values) > 0)
        case Criterion.POSITIVE_TOTAL:
            return sum(value for value in values if value > 0)
        case Criterion.HIGH_POSITIVE:
            return max(0, *values)
        case Criterion.LOW_PAIR:
            return -_pair(values)
        case Criterion.HIGH_PAIR:
            return _pair(values)
        case _:
            raise ValueError(f"{criterion} decides nothing at the Yarith Bespin")


def _pair(values: tuple[int, ...]) -> int:
    """The absolute value two of the cards share."""
    sizes = [abs(value) for value in values]
    return next(size for size in sizes if size and sizes.count(size) > 1)
