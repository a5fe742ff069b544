"""A second, slow reading of both card games' ranks, written without the first one's methods.

It looks for the cards of a figure by trying every choice of them, and builds
what decides as a plain tuple: the smaller tuple wins.
"""

from functools import cache
from itertools import combinations

MIXED = 1


def galaxy(cards, kinds="signed", pure="only_sylops"):
    """(rank, tie-breaks) of a hand of (value, suit) pairs; the smaller wins, equal ones tie."""
    suits = {suit for value, suit in cards if value}
    return _galaxy(tuple(value for value, _ in cards), 0 if len(suits) == 1 else MIXED, kinds, pure)


@cache  # the same values come in many suits
def _galaxy(values, suited, kinds, pure):
    plus = [value for value in values if value > 0]
    sylop = 0 if 0 in values else 1
    count, total, high = -len(values), -sum(plus), -max(plus, default=0)
    if sum(values):
        below = 1 if sum(values) < 0 else 0
        return 15, abs(sum(values)), below, count, total, high
    if all(value == 0 for value in values) or (pure == "both_sylops" and values.count(0) == 2):
        return (1,)
    figures = Figures(values, kinds)
    for rank, holds, ties in (
        (2, figures.triple_and_pair(), (total, high)),
        (3, figures.sylop_and_four(True), ()),
        (4, figures.sylop_and_four(False), (total,)),
        (5, figures.triple() and len(values) > 3, (count, total, high)),
        (6, figures.run_with_ten(), (suited, high)),
        (7, figures.only_four(), (total,)),
        (8, figures.run_of_four(), (total,)),
        (9, figures.two_pairs(), (count, suited, total, high)),
        (10, figures.pair_and_sylop(), (count, suited, total)),
    ):
        if holds:
            return rank, *ties
    return 16 - len(values), suited, sylop, total, high


class Figures:
    """What can be laid out with some of the cards."""

    def __init__(self, values, kinds):
        self.values, self.kinds = values, kinds

    def _same(self, some):
        return all(some) and len({abs(value) for value in some}) == 1

    def _rest(self, chosen):
        return [value for i, value in enumerate(self.values) if i not in chosen]

    def _choices(self, size):
        for chosen in combinations(range(len(self.values)), size):
            yield [self.values[i] for i in chosen], self._rest(chosen)

    def _three(self, some, rest):
        if self.kinds == "signed":
            return all(some) and len(set(some)) == 1
        return self._same(some) and abs(some[0]) not in map(abs, rest)

    def triple(self):
        return any(self._three(some, rest) for some, rest in self._choices(3))

    def triple_and_pair(self):
        return len(self.values) == 5 and any(
            self._three(some, rest) and self._same(rest) for some, rest in self._choices(3)
        )

    def sylop_and_four(self, tens):
        return any(
            rest == [0] and self._same(some) and (abs(some[0]) == 10) == tens
            for some, rest in self._choices(4)
        )

    def run_with_ten(self):
        return {abs(value) for value in self.values} == {1, 2, 3, 4, 10} and len(self.values) == 5

    def only_four(self):
        return len(self.values) == 4 and self._same(self.values)

    def run_of_four(self):
        low = min(abs(value) for value in self.values)
        wanted = {low, low + 1, low + 2, low + 3}
        return len(self.values) == 4 and low > 0 and {abs(value) for value in self.values} == wanted

    def two_pairs(self):
        return any(
            self._same(pair) and self._same(other)
            for some, _ in self._choices(4)
            for pair, other in (
                (some[:2], some[2:]),
                (some[::2], some[1::2]),
                (some[::3], some[1:3]),
            )
        )

    def pair_and_sylop(self):
        return 0 in self.values and any(self._same(pair) for pair, _ in self._choices(2))


def yarith(values, array="hand_pot", positive=False, prime=True, highest=False):
    """(rank, tie-breaks) of three values; the smaller wins, equal ones draw blind."""
    total = sum(values)
    plus = [value for value in values if value > 0]
    chain = (0 if total > 0 else 1, -sum(plus), -max(plus, default=0))
    idiots = [{0, 2, 3}] if positive else [{0, 2, 3}, {0, 2, -3}, {0, -2, 3}, {0, -2, -3}]
    if array != "none" and set(values) in idiots:
        return 1, *chain
    if total:
        return 6, abs(total), *chain
    pairs = [abs(a) for a, b in combinations(values, 2) if a and abs(a) == abs(b)]
    if prime and set(values) == {10, -10, 0}:
        return 2, *chain
    if not pairs:
        return 5, *chain
    pair = -pairs[0] if highest else pairs[0]
    return (3 if 0 in values else 4), pair, *chain
