"""The dealer station's view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.rolls import DeskState
from companion.rules.actions import How
from companion.rules.dice import Expect, Roll
from companion.rules.history import History
from companion.rules.model import Line, Offer, Table
from vision.reading import Reading, TrayState, Verdict

from .common import Chips, PotView, SeatView, all_seats, key, named, seat_views
from .history import LastRoll, LineView, last_roll
from .offers import OfferView, game_offers, offer_view, primary
from .pages import OwedView
from .registry import pages_of
from .tray import STATE_HELP, STATE_LABELS, DieView, Picture, die_views, tone
from .undo import UndoStep, undo_steps

HOW_LABELS = {
    How.READ: key("read by the camera"),
    How.CONFIRMED: key("confirmed by the dealer"),
    How.MANUAL: key("entered by the dealer"),
}
WAIT_FOR_DICE = {
    TrayState.EMPTY: key("the camera is watching the tray"),
    TrayState.HAND: key("a hand is over the tray"),
    TrayState.ROLLING: key("the dice are still moving"),
    TrayState.SETTLED: key("reading the dice"),
    TrayState.READ: key("clear the tray, then throw"),
    TrayState.NUDGED: key("clear the tray, then throw"),
    TrayState.MOVED: key("put the camera back, or enter the faces"),
    TrayState.DARK: key("switch the lamp on"),
    TrayState.FROZEN: key("enter the faces with Correct"),
    TrayState.OFFLINE: key("enter the faces with Correct"),
}


@dataclass(frozen=True, slots=True)
class TrayPanel:
    """The tray picture and what is known about the dice on it."""

    label: str
    tone: str
    picture: Picture | None
    live: bool
    dice: tuple[DieView, ...] = ()
    sentences: tuple[str, ...] = ()
    camera: Line | str = ""
    pending: bool = False
    last_roll: Roll | None = None
    last_entry: int = 0
    last_how: str = ""
    hint: Line | None = None


@dataclass(frozen=True, slots=True)
class ActionBar:
    """The four buttons of the station: undo, correct, confirm, next."""

    undo: UndoStep | None
    redo: bool
    correct: str  # what Correct would correct; empty when nothing
    confirm: tuple[str, ...]  # the faces one press would confirm
    confirm_sheet: bool  # a pending reading with dice that must be chosen first
    reading: str  # which reading a press of Confirm is about
    next: OfferView | None
    next_sheet: str = ""
    next_label: str | Line = ""
    next_hint: str | Line = ""
    void: OfferView | None = None


@dataclass(frozen=True, slots=True)
class DealerView:
    """Everything on the station."""

    table_name: str
    game_title: str
    status: Line | None
    tray: TrayPanel
    figures: tuple[PotView, ...]
    board: Any
    board_page: str
    owed_title: str
    owed: tuple[OwedView, ...]
    seats: tuple[SeatView, ...]
    lines: tuple[LineView, ...]
    bar: ActionBar
    offers: tuple[OfferView, ...]
    turn_offers: tuple[OfferView, ...]
    seat_offers: tuple[SeatOffer, ...]


@dataclass(frozen=True, slots=True)
class SeatOffer:
    """Something seldom that the dealer may do about one player."""

    seat: SeatView
    offer: OfferView


@dataclass(frozen=True, slots=True)
class Station:
    """What the view is made from."""

    history: History
    desk: DeskState
    offers: Sequence[Offer]
    lines: tuple[LineView, ...]
    picture: Picture | None
    live: bool
    shown: Reading | None  # the reading drawn on the picture
    table_name: str
    seats: int
    chips: Chips


def dealer_view(station: Station) -> DealerView:
    """The station as the dealer sees it now."""
    table = station.history.table
    game = station.history.engine.game(table)
    pages = pages_of(table)
    last = last_roll(station.history)
    bar = action_bar(station, last)
    shown = {o.kind for o in (bar.next, bar.void) if o}
    offers = game_offers(station.offers, pages.shown | shown)
    seats = {seat.number: seat for seat in seat_views(table)}
    return DealerView(
        table_name=station.table_name,
        game_title=game.title if game else "",
        status=named(game.status(table), table) if game else None,
        tray=tray_panel(station, last),
        figures=pages.figures(table),
        board=pages.board(table),
        board_page=pages.page("station"),
        owed_title=key("Payouts"),
        owed=pages.owed(station.history, station.chips),
        seats=all_seats(table, station.seats),
        lines=station.lines,
        bar=bar,
        offers=tuple(o for o in offers if o.seat is None),
        turn_offers=tuple(
            offer_view(o) for o in station.offers if o.kind in pages.shown and o.kind not in shown
        ),
        seat_offers=tuple(SeatOffer(seats[o.seat], o) for o in offers if o.seat in seats),
    )


def tray_panel(station: Station, last: LastRoll | None) -> TrayPanel:
    """The tray, with the dice of the reading that waits or was just taken."""
    desk = station.desk
    reading = desk.pending.reading if desk.pending else None
    verdict = reading.verdict if reading else Verdict.ACCEPT
    return TrayPanel(
        label=STATE_LABELS[desk.tray],
        tone=tone(desk.tray, verdict),
        picture=station.picture,
        live=station.live,
        dice=die_views(station.shown, _size(station.picture)),
        sentences=reading.sentences() if reading else (),
        camera=desk.camera or STATE_HELP.get(desk.tray, ""),
        hint=Line("They showed {faces} when they were read.", {"faces": desk.before})
        if desk.before
        else None,
        pending=desk.pending is not None,
        last_roll=last.roll if last else None,
        last_entry=last.entry if last else 0,
        last_how=HOW_LABELS[last.how] if last else "",
    )


def action_bar(station: Station, last: LastRoll | None) -> ActionBar:
    """Which of the four buttons do something now, and what."""
    table = station.history.table
    steps = undo_steps(station.history, limit=1)
    faces = certain_faces(station.desk)
    void = next((offer_view(o) for o in station.offers if o.kind == pages_of(table).void), None)
    bar = ActionBar(
        undo=steps[0] if steps else None,
        redo=bool(station.history.redo_to),
        correct=_correctable(station, last),
        confirm=faces or (),
        confirm_sheet=station.desk.pending is not None and faces is None,
        reading=station.desk.pending.id if station.desk.pending else "",
        next=None,
        void=void,
    )
    return _with_next(bar, station, table)


def certain_faces(desk: DeskState) -> tuple[str, ...] | None:
    """The faces a single press may confirm; None when a die must be chosen first."""
    if desk.pending is None:
        return None
    reading = desk.pending.reading
    faces = tuple(die.face for die in reading.dice)
    counted = all(len(reading.faces(kind)) == n for kind, n in (desk.expect or {}).items())
    if desk.expect is None or not counted or len(faces) != sum(desk.expect.values()):
        return None
    return tuple(face for face in faces if face) if all(faces) else None


def _correctable(station: Station, last: LastRoll | None) -> str:
    if station.desk.expect is not None:
        return key("these dice") if station.desk.pending else key("enter by hand")
    return key("the last roll") if last else ""


def _with_next(bar: ActionBar, station: Station, table: Table) -> ActionBar:
    """The one natural next step, whatever it takes."""
    expect = station.history.engine.expects(table)
    pages = pages_of(table)
    step = primary(station.offers)
    if table.game is None:
        return _sheet_next(bar, "game", key("Choose a game"), key("and its house rules"))
    if station.desk.pending is not None:
        return _wait(bar, key("Check the dice"), key("then confirm or correct them"))
    if expect is not None and step is None:
        return _wait(bar, throw(expect), WAIT_FOR_DICE[station.desk.tray])
    if step is not None and expect is not None:
        return replace(bar, next=step, next_hint=_step_hint(bar, table, step))
    if (gap := pages.missing(table)) is not None:
        return _sheet_next(bar, gap.sheet, gap.label, gap.hint)
    if not table.seats:
        return _sheet_next(bar, "seats", key("Seat players"), key("or let them scan"))
    if step is not None:
        return replace(bar, next=step, next_hint=_step_hint(bar, table, step))
    if label := pages.waiting(table):
        return _wait(bar, label, _void_hint(bar))
    return _wait(bar, key("Wait"), key("nothing to do just now"))


def _step_hint(bar: ActionBar, table: Table, step: OfferView) -> str | Line:
    """What the next step does, or else that a long press voids."""
    return pages_of(table).next_hint(table, step.kind) or _void_hint(bar)


def _void_hint(bar: ActionBar) -> str:
    return key("hold to void") if bar.void else ""


def _sheet_next(bar: ActionBar, sheet: str, label: str, hint: str) -> ActionBar:
    return replace(bar, next_sheet=sheet, next_label=label, next_hint=hint)


def _wait(bar: ActionBar, label: str | Line, hint: str) -> ActionBar:
    return replace(bar, next_label=label, next_hint=hint)


def throw(expect: Expect) -> Line:
    """What is to be thrown."""
    spikes, cubes = expect.get("spike", 0), expect.get("cube", 0)
    if spikes and cubes:
        values = {"spikes": spikes, "cubes": cubes}
        return Line("Throw {spikes} dice and {cubes} cubes", values)
    if (spikes, cubes) == (1, 0):
        return Line("Throw one die")
    if cubes:
        return Line("Throw {cubes} cubes", {"cubes": cubes})
    return Line("Throw {spikes} dice", {"spikes": spikes})


def _size(picture: Picture | None) -> tuple[int, int]:
    return (picture.width, picture.height) if picture else (0, 0)
