"""Credits as physical chips."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def fewest(amount: int, chips: Sequence[tuple[str, int]]) -> list[tuple[str, int, int]]:
    """The fewest chips worth at most ``amount``: ``(name, value, count)``, dearest first.

    Where chip values do not divide each other the greedy choice can be wrong, so
    the pieces are counted by dynamic programme.

    >>> fewest(30, [("ten", 10), ("one", 1), ("fifteen", 15)])
    [('fifteen', 15, 2)]
    """
    ordered = sorted(chips, key=lambda chip: -chip[1])
    values = [value for _, value in ordered]
    if amount <= 0 or not ordered:
        return []
    divisible = all(more % less == 0 for more, less in pairwise(values))
    counts = _greedy(amount, values) if divisible else _few(amount, values)
    return [(name, value, n) for (name, value), n in zip(ordered, counts, strict=True) if n]


def payable(amount: int, chips: Sequence[tuple[str, int]]) -> bool:
    """Whether ``amount`` can be laid down in these chips without change.

    >>> payable(30, [("five", 5), ("ten", 10)]), payable(2, [("five", 5)])
    (True, False)
    """
    return sum(value * count for _, value, count in fewest(amount, chips)) == amount


def _greedy(amount: int, values: list[int]) -> list[int]:
    counts = []
    for value in values:
        count, amount = divmod(amount, value)
        counts.append(count)
    return counts


def _few(amount: int, values: list[int]) -> list[int]:
    """Counts of each value with the fewest chips for the largest payable sum up to ``amount``."""
    none = amount + 1
    best = [0] + [none] * amount  # the fewest chips for each sum
    last = [0] * (amount + 1)  # the chip laid last
    for total in range(1, amount + 1):
        for index, value in enumerate(values):
            if value <= total and best[total - value] + 1 < best[total]:
                best[total], last[total] = best[total - value] + 1, index
    total = max(payable for payable, count in enumerate(best) if count < none)
    counts = [0] * len(values)
    while total:
        counts[last[total]] += 1
        total -= values[last[total]]
    return counts
