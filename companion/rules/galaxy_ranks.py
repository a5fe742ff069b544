"""The fifteen ranks of Galaxy Series and what decides between hands of one rank.

Ranks after the Galaxy Series sheet of the Games of the Galaxy Holodex
(www.gamesofthegalaxy.com). Our readings, hands of two to five cards:

====  ================  ==============================================  ======================
rank  name              zero hands with (15: any other hand)            then, in this order
====  ================  ==============================================  ======================
1     Pure Sabacc       both Sylops and nothing else                    (cannot tie)
2     Rhylet            three of a kind and a pair                      sum+, high+
3     Full Sabacc       a Sylop and four tens                           (cannot tie)
4     Fleet             a Sylop and four of a kind other than tens      sum+
5     Banthas Wild      three of a kind and one or two others           cards, sum+, high+
6     Gee Whiz!         1, 2, 3, 4 and 10 of whatever sign              suited, high+
7     Squadron          four of a kind and nothing else                 sum+
8     Straight Khyron   four neighbouring values and nothing else       sum+
9     Rule of Two       two pairs, perhaps a fifth card                 cards, suited, sum+, high+
10    Yee-Haa           a pair and a Sylop, three to five cards         cards, suited, sum+
11    5-Card Sabacc     five cards                                      (11 to 14:) suited,
12    4-Card Sabacc     four cards                                      Sylop, sum+, high+
13    3-Card Sabacc     three cards
14    Sabacc Pair       two cards
15    Nulrhek           a total that is not zero                        closest, +n over -n,
                                                                        cards, sum+, high+
====  ================  ==============================================  ======================

- A hand has the first rank that fits it, so a Rhylet is never a Rule of Two.
- Pairs and fours are of one absolute value, threes of one *signed* value
  (``kinds=absolute``: threes too are of one absolute value, and exactly three;
  four of one value with a fifth card are then two pairs).
- ``suited``: all cards but Sylops are of one suit. ``Sylop``: holding at least one.
- ``sum+``: the sum of the positive cards; ``high+``: the highest of them.
- Yee-Haa's list ends at sum+, Squadron's, Fleet's and Khyron's have it alone:
  hands equal that far are equal, whatever their single cards.
- ``pure=both_sylops``: every zero hand with both Sylops is a Pure Sabacc.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from .cards import Card
from .options import Toggle
from .showdown import Criterion, Ranked, Showdown, Tie, compare
from .words import key

LEAST, MOST = 2, 5

TOGGLES = (
    Toggle(
        "kinds",
        "signed",
        "Whether three of a kind are equal with their sign or by absolute value.",
        ("signed", "absolute"),
    ),
    Toggle(
        "pure",
        "only_sylops",
        "Whether Pure Sabacc is the two Sylops alone or any zero hand holding both.",
        ("only_sylops", "both_sylops"),
    ),
    Toggle(
        "ties",
        "split",
        "Whether a full tie splits the pots or is decided by a blind draw.",
        ("split", "blind_draw"),
    ),
)

NAMES = (
    key("Pure Sabacc"),
    key("Rhylet"),
    key("Full Sabacc"),
    key("Fleet"),
    key("Banthas Wild"),
    key("Gee Whiz!"),
    key("Squadron"),
    key("Straight Khyron"),
    key("Rule of Two"),
    key("Yee-Haa"),
    key("5-Card Sabacc"),
    key("4-Card Sabacc"),
    key("3-Card Sabacc"),
    key("Sabacc Pair"),
    key("Nulrhek"),
)
NULRHEK = len(NAMES)

_CARDS, _SUITED, _SYLOP = Criterion.CARDS, Criterion.SUITED, Criterion.SYLOP
_SUM, _HIGH = Criterion.POSITIVE_TOTAL, Criterion.HIGH_POSITIVE
_PLAIN = (_SUITED, _SYLOP, _SUM, _HIGH)
_CRITERIA: Mapping[int, tuple[Criterion, ...]] = {
    1: (),
    2: (_SUM, _HIGH),
    3: (),
    4: (_SUM,),
    5: (_CARDS, _SUM, _HIGH),
    6: (_SUITED, _HIGH),
    7: (_SUM,),
    8: (_SUM,),
    9: (_CARDS, _SUITED, _SUM, _HIGH),
    10: (_CARDS, _SUITED, _SUM),
    11: _PLAIN,
    12: _PLAIN,
    13: _PLAIN,
    14: _PLAIN,
    15: (Criterion.CLOSENESS, Criterion.POSITIVE_SCORE, _CARDS, _SUM, _HIGH),
}


def rank(cards: Sequence[Card], options: Mapping[str, Any]) -> Ranked:
    """Rank a hand of 2 to 5 cards under the table's ``kinds`` and ``pure``."""
    values = tuple(sorted([card.value for card in cards]))
    suited = len({card.suit for card in cards if card.suit}) == 1
    absolute, any_pure = options["kinds"] == "absolute", options["pure"] == "both_sylops"
    return _ranked(values, suited, absolute, any_pure)


def showdown(hands: Sequence[Sequence[Card]], options: Mapping[str, Any]) -> Showdown:
    """Compare one or more hands under the table's toggles."""
    return compare([rank(hand, options) for hand in hands], Tie(options["ties"]))


@cache  # bounded: the deck has some fifty thousand sets of two to five values
def _ranked(values: tuple[int, ...], suited: bool, absolute: bool, any_pure: bool) -> Ranked:
    number = _number(values, absolute, any_pure)
    criteria = _CRITERIA[number]
    strengths = (_strength(criterion, values, suited) for criterion in criteria)
    total = sum(values)
    return Ranked(number, NAMES[number - 1], total, criteria, (-number, *strengths), total == 0)


def _strength(criterion: Criterion, values: tuple[int, ...], suited: bool) -> int:
    match criterion:
        case Criterion.CLOSENESS:
            return -abs(sum(values))
        case Criterion.POSITIVE_SCORE:
            return int(sum(values) > 0)
        case Criterion.CARDS:
            return len(values)
        case Criterion.SUITED:
            return int(suited)
        case Criterion.SYLOP:
            return int(0 in values)
        case Criterion.POSITIVE_TOTAL:
            return sum(value for value in values if value > 0)
        case Criterion.HIGH_POSITIVE:
            return max(0, *values)
        case Criterion.LOW_PAIR | Criterion.HIGH_PAIR:
            raise ValueError(f"{criterion} decides nothing at Galaxy Series")


def _number(values: tuple[int, ...], absolute: bool, any_pure: bool) -> int:
    """The first rank that fits ``values``, which are sorted."""
    if sum(values):
        return NULRHEK
    sylops = values.count(0)
    if sylops == 2 and (any_pure or len(values) == 2):
        return 1
    sizes = sorted(abs(value) for value in values if value)
    alike = Counter(sizes)
    triple = 3 in (alike if absolute else Counter(filter(None, values))).values()
    shape = sorted(alike.values(), reverse=True)
    ranks = _by_kinds(shape, sylops, triple, sizes)
    return ranks if ranks else _by_cards(len(values))


def _by_kinds(shape: list[int], sylops: int, triple: bool, sizes: list[int]) -> int | None:
    """Ranks 2 to 10. ``shape``: how many cards share each absolute value, most first."""
    if triple and shape == [3, 2]:
        return 2
    if shape == [4] and sylops:
        return 3 if sizes[0] == 10 else 4
    if triple:
        return 5
    if sizes == [1, 2, 3, 4, 10]:
        return 6
    if shape == [4]:
        return 7
    if len(sizes) == 4 and not sylops and sizes == list(range(sizes[0], sizes[0] + 4)):
        return 8
    if sum(count // 2 for count in shape) == 2:
        return 9
    if shape[0] > 1 and sylops:
        return 10
    return None


def _by_cards(count: int) -> int:
    return {5: 11, 4: 12, 3: 13, 2: 14}[count]
