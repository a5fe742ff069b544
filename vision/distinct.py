"""Of many candidates, best first, those that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def distinct(
    items: Iterable[Item], differ: Callable[[Item, Item], bool], besides: Iterable[Item] = ()
) -> Iterator[Item]:
    """Those of ``items`` that ``differ`` from all chosen before them, and from all ``besides``.

    As they are asked for: who needs only the first few has no others compared.
    """
    known = list(besides)
    for item in items:
        if all(differ(item, other) for other in known):
            known.append(item)
            yield item
