"""The mat of Crown & Spike: bets by symbol and colour, what is owed, runs at risk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.rules import crown_and_spike as rules
from companion.rules import crown_odds as odds
from companion.rules.actions import RecordRoll
from companion.rules.crown_state import odds_for
from companion.rules.dice import Colour, Symbol
from companion.rules.history import History
from companion.rules.model import Line, Offer, Table
from companion.rules.transfers import BANK, CROWN_POT, FELT

from .common import Chips, PotView, SeatView, bank, chips, felt, key, pots, seat_views
from .history import LastRoll
from .offers import OfferView, offer_view
from .pages import Missing, OwedView, Pages

BET_KINDS = frozenset({"place_bet", "change_bet", "take_back"})
PLAYER_KINDS = BET_KINDS | {"press", "take"}
ROUND_ACCOUNTS = frozenset({FELT, BANK, CROWN_POT})
NEXT_HINTS = {
    "open_round": key("bets open on every phone"),
    "settle_offers": key("who has not decided takes"),
}
COLOUR_LABELS = {"red": key("Two red"), "blue": key("Two blue"), "green": key("One of each")}


@dataclass(frozen=True, slots=True)
class BetView:
    """One stake on a place of the mat; ``state`` is ``lost`` once a roll has taken it."""

    seat: SeatView
    stake: int
    state: str = ""


@dataclass(frozen=True, slots=True)
class SpotView:
    """One place of the mat, for everybody."""

    on: str
    label: str
    colour: str
    total: int
    bets: tuple[BetView, ...]
    matches: int = 0  # how often the last roll showed it


@dataclass(frozen=True, slots=True)
class MatView:
    """The whole mat; ``rolled`` while it shows what the last roll did."""

    spots: tuple[SpotView, ...]
    colours: tuple[SpotView, ...]
    rolled: bool


@dataclass(frozen=True, slots=True)
class MySpot:
    """One place of the mat on a phone; ``open`` when it can be tapped."""

    on: str
    label: str
    colour: str
    mine: int
    others: int
    open: bool
    matches: int = 0


@dataclass(frozen=True, slots=True)
class RunView:
    """A win on a phone that may be taken or pressed."""

    on: str
    colour: str
    headline: Line
    winnings: int
    doubled: int
    take: OfferView | None = None
    press: OfferView | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class MyMat:
    """A phone's part: the wins still to be decided, and the mat with the own stakes."""

    runs: tuple[RunView, ...]
    spots: tuple[MySpot, ...]
    colours: tuple[MySpot, ...]

    @property
    def staked(self) -> int:
        """Credits this seat has on the mat."""
        return sum(spot.mine for spot in (*self.spots, *self.colours))


def playing(table: Table) -> bool:
    """Whether the table plays Crown & Spike."""
    return table.game == rules.CROWN_AND_SPIKE.key


def bets_open(table: Table) -> bool:
    """Whether stakes may be placed now."""
    return playing(table) and table.play.phase == "betting"


def _matches(table: Table) -> dict[str, int]:
    """How often the last roll shows each place, once it has settled the bets."""
    roll = table.play.last_roll
    if roll is None or table.play.phase not in ("offers", "rerun", "idle"):
        return {}
    return {symbol.value: roll.count(symbol) for symbol in Symbol if roll.count(symbol)}


def mat(table: Table) -> MatView | None:
    """The mat with everybody's stakes; None when another game or none is played."""
    if not playing(table):
        return None
    matches = _matches(table)
    stakes = _stakes(table)
    spots = tuple(_spot(s.value, s.value, s.colour, stakes, matches) for s in Symbol)
    colours = tuple(
        _spot(c.value, COLOUR_LABELS[c], c, stakes, matches)
        for c in (Colour.RED, Colour.BLUE, Colour.GREEN)
        if table.options.get("colour_bets")
    )
    return MatView(spots, colours, bool(matches))


def _stakes(table: Table) -> dict[str, tuple[BetView, ...]]:
    """What lies on each place: open bets, and the stakes of runs still undecided."""
    seats = {seat.number: seat for seat in seat_views(table)}
    lying = (*table.play.bets, *table.play.runs)
    found: dict[str, tuple[BetView, ...]] = {}
    for item in lying:
        found[item.on] = (*found.get(item.on, ()), BetView(seats[item.seat], item.stake))
    return found


def _spot(
    on: str, label: str, colour: Colour, stakes: dict[str, tuple[BetView, ...]], hit: dict[str, int]
) -> SpotView:
    bets = stakes.get(on, ())
    return SpotView(on, label, colour.value, sum(bet.stake for bet in bets), bets, hit.get(on, 0))


def cover(table: Table) -> tuple[PotView, ...]:
    """What the bank could still pay beyond the worst case of the open bets."""
    if not playing(table):
        return ()
    _, spare = rules.bank_cover(table)
    return (PotView("spare", key("Can still cover"), spare),)


def missing(table: Table) -> Missing | None:
    """Bets are against a bank that has nothing yet."""
    if table.balance(BANK) or table.play.phase != "idle":
        return None
    return Missing("bank", key("Fund the bank"), key("it covers every bet"))


def waiting(table: Table) -> str:
    """What the station waits for while there is no next step."""
    return key("Waiting for bets") if bets_open(table) else ""


# What is owed


def wealth(table: Table, seat: int) -> int:
    """A seat's credits with its share of the mat: stakes, and winnings still at risk."""
    bets = sum(bet.stake for bet in table.play.bets if bet.seat == seat)
    runs = sum(run.stake + run.winnings for run in table.play.runs if run.seat == seat)
    return int(table.credits(seat) + bets + runs)


def has_stake(table: Table, seat: int) -> bool:
    """Whether a seat has anything lying on the mat."""
    return any(item.seat == seat for item in (*table.play.bets, *table.play.runs))


def net(last: LastRoll, seat: int) -> int | None:
    """What a roll won or lost for a seat; None when the seat had no stake in it."""
    before = last.done.previous.table if last.done.previous else None
    if before is None or not playing(before) or not has_stake(before, seat):
        return None
    return wealth(last.done.table, seat) - wealth(before, seat)


def owed(history: History, values: Chips) -> tuple[OwedView, ...]:
    """Winnings that wait for a decision, then what the last roll has already paid."""
    table = history.table
    if not playing(table):
        return ()
    seats = {seat.number: seat for seat in seat_views(table)}
    waiting = tuple(_owed_run(run, seats[run.seat], values) for run in table.play.runs)
    paid = tuple(
        OwedView(seats[number], amount, chips(amount, values), tag=key("paid"), tone="take")
        for number, amount in sorted(paid_since_roll(history).items())
        if number in seats
    )
    return (*waiting, *paid)


def _owed_run(run: rules.Run, seat: SeatView, values: Chips) -> OwedView:
    colour = Symbol(run.on).colour.value
    tag, tone = (key("double or nothing"), "press") if run.decision else (key("deciding"), "")
    return OwedView(seat, run.winnings, chips(run.winnings, values), run.on, colour, tag, tone)


def paid_since_roll(history: History) -> dict[int, int]:
    """Credits handed to each seat by the last roll and what followed it in the same round."""
    paid: dict[int, int] = {}
    head = history.heads[-1]
    while head is not None and not isinstance(head.action, rules.OpenRound):
        for move in head.transfers:
            if move.target.startswith("seat:") and move.source in ROUND_ACCOUNTS:
                number = int(move.target.removeprefix("seat:"))
                paid[number] = paid.get(number, 0) + move.amount
        if isinstance(head.action, RecordRoll):
            return paid
        head = head.previous
    return {}


# A phone's own part


def my_spots(
    table: Table, seat: int, offers: Sequence[Offer]
) -> tuple[tuple[MySpot, ...], tuple[MySpot, ...]]:
    """The mat as one seat sees it: symbols, then colours."""
    whole = mat(table)
    if whole is None:
        return (), ()
    touchable = {o.fields.get("on") for o in offers if o.kind in BET_KINDS}
    return (
        tuple(_my_spot(spot, seat, touchable) for spot in whole.spots),
        tuple(_my_spot(spot, seat, touchable) for spot in whole.colours),
    )


def _my_spot(spot: SpotView, seat: int, touchable: set[object]) -> MySpot:
    mine = sum(bet.stake for bet in spot.bets if bet.seat.number == seat)
    return MySpot(
        spot.on,
        spot.label,
        spot.colour,
        mine,
        spot.total - mine,
        spot.on in touchable,
        spot.matches,
    )


def my_spot(table: Table, seat: int, on: str, offers: Sequence[Offer]) -> MySpot | None:
    """One place of the mat for one seat; None when there is no such place."""
    spots, colours = my_spots(table, seat, offers)
    return next((spot for spot in (*spots, *colours) if spot.on == on), None)


def bet_offer(offers: Iterable[Offer], kind: str, on: str) -> OfferView | None:
    """The offer of a kind for one place of the mat."""
    found = (o for o in offers if o.kind == kind and o.fields.get("on") == on)
    return next((offer_view(offer) for offer in found), None)


def open_spots(table: Table, offers: Iterable[Offer]) -> tuple[SpotView, ...]:
    """The places where a seat may still lay a stake, for a dealer who lays it for the player."""
    whole = mat(table)
    touchable = {o.fields.get("on") for o in offers if o.kind == "place_bet"}
    spots = (*whole.spots, *whole.colours) if whole else ()
    return tuple(spot for spot in spots if spot.on in touchable)


def my_runs(table: Table, seat: int, offers: Sequence[Offer]) -> tuple[RunView, ...]:
    """The wins of a seat that may still be pressed or taken, and those already pressed."""
    if not playing(table):
        return ()
    return tuple(_my_run(table, run, offers) for run in table.play.runs if run.seat == seat)


def _my_run(table: Table, run: rules.Run, offers: Sequence[Offer]) -> RunView:
    take, press = bet_offer(offers, "take", run.on), bet_offer(offers, "press", run.on)
    values = {"on": Symbol(run.on), "amount": run.winnings}
    text = (
        key("{on}: {amount} at risk, double or nothing")
        if run.decision
        else key("{on}: {amount} won")
    )
    refused = take is not None and press is None and run.decision is None
    return RunView(
        run.on,
        Symbol(run.on).colour.value,
        Line(text, values),
        run.winnings,
        2 * run.winnings,
        take,
        press,
        key("The bank cannot cover doubling this.") if refused else "",
    )


def payout_note(table: Table, on: str) -> Line:
    """What a place pays, said before the stake is laid."""
    if on not in COLOUR_LABELS:
        return Line("Pays your stake once for every die that shows it; lost when none does.")
    odds = odds_for(on, table.options)
    values = {"odds": f"{odds.numerator}:{odds.denominator}"}
    return Line("The two cubes decide. Pays {odds}, rounded down to whole credits.", values)


def why_no_bet(table: Table, seat: int, on: str) -> str:
    """Why nothing can be staked on a place just now."""
    if not bets_open(table):
        return key("Bets are closed.")
    if not table.credits(seat):
        return key("You have no credits left for a bet.")
    return key("The bank cannot cover another bet here.")


def my_headline(table: Table, seat: int) -> Line | None:
    """What this seat may do or waits for, where the game's own status would mislead it."""
    if not playing(table):
        return None
    mine = [run for run in table.play.runs if run.seat == seat]
    match str(table.play.phase):
        case "betting":
            return Line("Bets are open. Tap a symbol to bet.")
        case "offers" if any(run.decision is None for run in mine):
            return Line("You won. Take it, or double or nothing?")
        case "offers":
            return Line("The others decide.")
        case "rerun" if mine:
            return Line("Double or nothing: the dice are thrown again.")
        case _:
            return None


def my_mat(table: Table, seat: int, offers: Sequence[Offer]) -> MyMat:
    """The game on the phone of ``seat``."""
    spots, colours = my_spots(table, seat, offers)
    return MyMat(my_runs(table, seat, offers), spots, colours)


PAGES = Pages(
    folder="crown_and_spike",
    shown=PLAYER_KINDS,
    void="void_round",
    board=mat,
    my_board=my_mat,
    figures=lambda table: (bank(table), *cover(table), felt(table), *pots(table)),
    room_figures=lambda table: (*pots(table), bank(table)),
    owed=owed,
    net=net,
    my_headline=my_headline,
    room_headline=lambda table: key("Bets are open") if bets_open(table) else "",
    missing=missing,
    next_hint=lambda table, kind: NEXT_HINTS.get(kind, ""),
    waiting=waiting,
    hints=odds.hint,
)
