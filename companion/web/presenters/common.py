"""Parts that every page shows: seats, sentences with names, chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.chips import fewest
from companion.rules.actions import Action
from companion.rules.model import Line, Seat, Table
from companion.rules.transfers import (
    BANK,
    CROWN_POT,
    FELT,
    HAND_POT,
    POT,
    SABACC_POT,
)
from companion.rules.words import key as key  # every presenter marks its words with it

SEAT_COLOURS = (
    key("amber"),
    key("teal"),
    key("rose"),
    key("violet"),
    key("lime"),
    key("sky"),
    key("coral"),
    key("sand"),
)
POTS = {
    POT: key("Pot"),
    HAND_POT: key("Hand pot"),
    SABACC_POT: key("Sabacc pot"),
    CROWN_POT: key("Crown Pot"),
}

Chips = Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class ChipCount:
    """``count`` chips worth ``value`` credits each; ``rank`` 0 is the table's smallest chip.

    With ``count`` 0 it is a rest of ``value`` credits that the table's chips cannot make.
    """

    name: str
    value: int
    count: int
    rank: int = 0


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat as any page may show it."""

    number: int
    name: str
    colour: str
    credits: int
    out: bool = False
    taken: bool = True


@dataclass(frozen=True, slots=True)
class PotView:
    """A pot or the bank; ``label`` is a translation key."""

    account: str
    label: str
    credits: int


def seat_view(table: Table, seat: Seat) -> SeatView:
    """One taken seat with its credits."""
    colour = seat.colour if seat.colour in SEAT_COLOURS else colour_of(seat.number)
    return SeatView(seat.number, seat.name, colour, table.credits(seat.number), seat.out)


def seat_views(table: Table) -> tuple[SeatView, ...]:
    """The taken seats, clockwise."""
    return tuple(seat_view(table, seat) for seat in table.seats)


def all_seats(table: Table, seats: int) -> tuple[SeatView, ...]:
    """Every place at the table, empty ones included."""
    taken = {view.number: view for view in seat_views(table)}
    empty = {n: SeatView(n, "", colour_of(n), 0, taken=False) for n in range(1, seats + 1)}
    return tuple({**empty, **taken}.values())


def colour_of(number: int) -> str:
    """The colour a seat has when its player chose none."""
    return SEAT_COLOURS[(number - 1) % len(SEAT_COLOURS)]


def free_colours(table: Table) -> tuple[str, ...]:
    """Seat colours nobody wears yet; all of them when none is left."""
    worn = {view.colour for view in seat_views(table)}
    return tuple(c for c in SEAT_COLOURS if c not in worn) or SEAT_COLOURS


def ranking(table: Table) -> tuple[SeatView, ...]:
    """Seats by credits, richest first; equal stacks in seat order."""
    return tuple(sorted(seat_views(table), key=lambda seat: (-seat.credits, seat.number)))


def named(line: Line, table: Table) -> Line:
    """``line`` with its seat number replaced by the player's name."""
    number = line.values.get("seat")
    if not isinstance(number, int):
        return line
    seat = table.seat(number)
    name = seat.name if seat else f"#{number}"
    return replace(line, values={**line.values, "seat": name})


def pots(table: Table) -> tuple[PotView, ...]:
    """The pots that hold something."""
    return tuple(
        PotView(account, label, table.balance(account))
        for account, label in POTS.items()
        if table.balance(account)
    )


def bank(table: Table) -> PotView:
    """The dealer's bankroll."""
    return PotView(BANK, key("Bank"), table.balance(BANK))


def felt(table: Table) -> PotView:
    """Stakes lying on the mat."""
    return PotView(FELT, key("On the mat"), table.balance(FELT))


def chips(amount: int, values: Chips) -> tuple[ChipCount, ...]:
    """The fewest physical chips that make ``amount``, and what no chip is small enough for.

    >>> [(chip.value, chip.count) for chip in chips(24, [("white", 5), ("red", 10)])]
    [(10, 2), (4, 0)]
    """
    ranks = {value: rank for rank, value in enumerate(sorted(value for _, value in values))}
    found = fewest(amount, values)
    counts = tuple(ChipCount(name, value, count, ranks[value]) for name, value, count in found)
    rest = amount - sum(chip.value * chip.count for chip in counts)
    return (*counts, ChipCount("", rest, 0)) if rest > 0 else counts


def action_title(action: Action) -> str:
    """The action's kind as words, e.g. ``Close bets``; a translation key."""
    return action.kind.replace("_", " ").capitalize()


def quick_amounts(values: Chips, times: int = 1) -> tuple[int, ...]:
    """Amounts for the quick buttons of a pad: ``times`` the table's chips, smallest first.

    >>> quick_amounts([("white", 5), ("red", 25)], times=20)
    (100, 500)
    """
    return tuple(sorted(value * times for _, value in values))[:5]
