"""The dealer station's routes. Everything here needs the dealer PIN."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as BaseResponse

from companion.rolls import DeskState
from companion.rules.actions import (
    Action,
    ActionFormatError,
    ChooseGame,
    CorrectRoll,
    EndGame,
    LeaveSeat,
)
from companion.rules.dice import Roll
from companion.rules.model import Offer
from companion.table import Result, Snapshot

from . import context
from .context import Ticket, web
from .entry import join_host
from .forms import action_from_form, faces_from_form, options_from_form, whole
from .pictures import (
    evidence_picture,
    evidence_reading,
    jpeg_response,
    load_evidence,
    station_picture,
)
from .presenters import card_table, common, crown_and_spike
from .presenters.caller import newest_call
from .presenters.dealer import Station, dealer_view
from .presenters.games import game_view
from .presenters.history import LastRoll, LineView, last_roll, line_views, roll_at
from .presenters.offers import OfferView, game_offers
from .presenters.tray import slots
from .presenters.undo import undo_steps

bp = Blueprint("dealer", __name__, url_prefix="/dealer")
LINES = 60  # log rows looked through for the station's column
CALLSIGNS = ("Ace", "Nova", "Rook", "Comet", "Dusty", "Echo", "Flint", "Juno", "Kit", "Lark")


@bp.before_request
def only_dealer() -> BaseResponse | None:
    """Every route of the station is the dealer's alone; a person is shown the PIN pad."""
    if request.method == "GET" and not context.part() and not context.is_dealer():
        return redirect(url_for("entry.login"))
    context.dealer()
    return None


@bp.get("")
def station() -> str | BaseResponse:
    """The station; setting it up comes first where nobody has."""
    if web().setup.table.first_run and not context.part():
        return redirect(url_for("setup.home"))
    return station_page()


def station_page() -> str:
    """The station as it is now."""
    snapshot = web().service.snapshot()
    desk = web().desk.state()
    shown = station_picture(desk)
    view = dealer_view(
        Station(
            history=snapshot.history,
            desk=desk,
            offers=web().service.offers(context.dealer()),
            lines=_lines(snapshot),
            picture=shown.picture,
            live=shown.live,
            shown=shown.reading,
            table_name=web().table_name,
            seats=web().settings.seats,
            chips=web().settings.chips,
        )
    )
    return context.render(
        "dealer.html", v=view, version=snapshot.version, call=newest_call(snapshot.history)
    )


def _lines(snapshot: Snapshot) -> tuple[LineView, ...]:
    rows = web().service.log(after=max(0, snapshot.version - LINES))
    return line_views(snapshot.history, rows)


# Posts


@bp.post("/act")
def act() -> Response:
    """Any action of the dealer, as the forms describe it."""
    return _do(lambda: action_from_form(request.form))


@bp.post("/choose")
def choose() -> Response:
    """Start a game with the house rules of the game sheet."""
    return _do(_chosen_game)


def _chosen_game() -> Action:
    games = web().service.snapshot().history.engine.games
    game = games.get(request.form.get("game", ""))
    if game is None:
        raise ActionFormatError(gettext("There is no such game."))
    return ChooseGame(game.key, options_from_form(request.form, game))


@bp.post("/roll")
def correct_roll() -> Response:
    """Replace the faces of a recorded roll."""
    return _do(
        lambda: CorrectRoll(whole(request.form.get("entry", ""), "entry"), _roll_from_form())
    )


def _roll_from_form() -> Roll:
    faces = faces_from_form(request.form)
    return Roll.of(faces.get("spike", ()), faces.get("cube", ()))


def _do(action: Callable[[], Action]) -> Response:
    def submit(ticket: Ticket) -> Result:
        return web().service.submit(
            action(),
            context.dealer(),
            expected_version=ticket.expected_version,
            request_id=ticket.request_id,
        )

    return _carry_out(submit)


@bp.post("/confirm")
def confirm() -> Response:
    """Confirm the dice as read, or as chosen in the editor."""

    def submit(ticket: Ticket) -> Result:
        return web().desk.confirm(
            context.dealer(),
            faces_from_form(request.form) or None,
            reading=request.form.get("reading", ""),
            expected_version=ticket.expected_version,
            request_id=ticket.request_id,
        )

    return _carry_out(submit)


@bp.post("/dismiss")
def dismiss() -> Response:
    """Void the throw the page showed; the camera looks for the next one."""

    def drop(_: Ticket) -> Result:
        web().desk.dismiss(context.dealer(), context.field("reading"))
        return Result(web().service.version)

    return _carry_out(drop)


@bp.post("/code")
def new_code() -> Response:
    """Replace the join code; the old one stops working, taken seats stay."""
    context.ticket()
    web().tokens.revoke()
    text = gettext("There is a new join code.")
    back = url_for("dealer.station")
    return context.answer(text, status=200, back=back, page=station_page)


def _carry_out(do: Callable[[Ticket], Result]) -> Response:
    return context.carry_out(do, back=url_for("dealer.station"), page=station_page)


# Sheets


def sheet(name: str, title: str, snapshot: Snapshot, **values: Any) -> str:
    """A sheet of the station."""
    return render_template(
        f"sheet_{name}.html",
        title=title,
        style="dealer",
        back=url_for("dealer.station"),
        version=snapshot.version,
        **values,
    )


@bp.get("/seats")
def seats() -> str:
    """All places at the table."""
    snapshot = web().service.snapshot()
    places = common.all_seats(snapshot.table, web().settings.seats)
    return sheet("seats", gettext("Seats"), snapshot, seats=places, join_url=join_host())


@bp.get("/seat/<int:number>")
def seat(number: int) -> str:
    """One place: sit someone down, or hand out and take back credits."""
    snapshot = web().service.snapshot()
    places = common.all_seats(snapshot.table, web().settings.seats)
    place = next((s for s in places if s.number == number), None)
    if place is None:
        abort(404)
    bound = snapshot.history.why_not(LeaveSeat(number)) if place.taken else None
    return sheet(
        "seat",
        place.name or gettext("Seat"),
        snapshot,
        s=place,
        s_chips=common.chips(place.credits, web().settings.chips),
        colours=common.free_colours(snapshot.table),
        suggestion=_callsign(snapshot),
        adds=common.quick_amounts(web().settings.chips),
        bound=bound.line if bound else "",
        cash_out=place.credits > 0 and bound is None,
        may_play=_may_play(snapshot, number),
    )


def _may_play(snapshot: Snapshot, number: int) -> bool:
    """Whether there is anything to do for a seat besides what the station's board has."""
    offers = snapshot.history.engine.legal_actions(snapshot.table, number)
    spots = crown_and_spike.open_spots(snapshot.table, offers)
    return bool(_acts(offers) or spots)


def _acts(offers: Sequence[Offer]) -> tuple[OfferView, ...]:
    return game_offers(offers, {"place_bet", "change_bet"} | card_table.SHOWN)


@bp.get("/seat/<int:number>/play")
def play_for(number: int) -> str:
    """Act for a player without a phone."""
    snapshot = web().service.snapshot()
    player = snapshot.table.seat(number)
    if player is None:
        abort(404)
    offers = snapshot.history.engine.legal_actions(snapshot.table, number)
    others = _acts(offers)
    return sheet(
        "play_for",
        player.name,
        snapshot,
        s=common.seat_view(snapshot.table, player),
        spots=crown_and_spike.open_spots(snapshot.table, offers),
        offers=others,
        adds=common.quick_amounts(web().settings.chips),
    )


def _callsign(snapshot: Snapshot) -> str:
    taken = {seat.name.casefold() for seat in snapshot.table.seats}
    return next((name for name in CALLSIGNS if name.casefold() not in taken), "")


@bp.get("/game")
def game() -> str:
    """The games with their house rules."""
    snapshot = web().service.snapshot()
    engine = snapshot.history.engine
    busy = snapshot.history.why_not(EndGame()) if snapshot.table.game else None
    return sheet(
        "game",
        gettext("Game"),
        snapshot,
        games=[game_view(g, snapshot.table, web().settings.chips) for g in engine.games.values()],
        present=engine.game(snapshot.table),
        busy=busy.line if busy else "",
    )


@bp.get("/bank")
def bank() -> str:
    """The bankroll."""
    snapshot = web().service.snapshot()
    table = snapshot.table
    return sheet(
        "bank",
        gettext("Bank"),
        snapshot,
        bank=common.bank(table),
        figures=(common.bank(table), *crown_and_spike.cover(table), *common.pots(table)),
        adds=common.quick_amounts(web().settings.chips, times=20),
    )


@bp.get("/history")
def history() -> str:
    """Steps that can be taken back, with what each would undo."""
    snapshot = web().service.snapshot()
    return sheet(
        "history",
        gettext("History"),
        snapshot,
        steps=undo_steps(snapshot.history, limit=30),
        redo=bool(snapshot.history.redo_to),
    )


@bp.get("/more")
def more() -> str:
    """Everything needed seldom."""
    return sheet("more", gettext("More"), web().service.snapshot())


@bp.get("/correct")
def correct() -> str:
    """The dice editor: for the throw that is due, or for a roll already recorded."""
    snapshot = web().service.snapshot()
    state = web().desk.state()
    entry = request.args.get("entry", type=int)
    if entry is None and state.expect is not None:
        web().desk.opened_editor()
        return _throw_editor(snapshot, state)
    roll = roll_at(snapshot.history, entry) if entry else last_roll(snapshot.history)
    return _roll_editor(snapshot, roll)


def _throw_editor(snapshot: Snapshot, state: DeskState) -> str:
    pending = state.pending
    return sheet(
        "correct",
        gettext("Which faces lie in the tray?"),
        snapshot,
        slots=slots(state.expect or {}, pending.reading if pending else None),
        picture=evidence_picture(pending.evidence_id if pending else None),
        hint="" if pending else gettext("Nothing has been read; choose every face yourself."),
        target=url_for("dealer.confirm"),
        submit_label=gettext("Use these faces"),
        entry=None,
        reading=pending.id if pending else "",
    )


def _roll_editor(snapshot: Snapshot, roll: LastRoll | None) -> str:
    kept = evidence_reading(roll.evidence) if roll else None
    faces = {"spike": roll.roll.spikes, "cube": roll.roll.cubes} if roll else {}
    return sheet(
        "correct",
        gettext("Correct a recorded roll"),
        snapshot,
        slots=slots(roll.roll.expect, kept, faces) if roll else (),
        picture=evidence_picture(roll.evidence if roll else None),
        hint=gettext("What followed is replayed with the new faces; all payouts are put right."),
        target=url_for("dealer.correct_roll"),
        submit_label=gettext("Correct the roll"),
        entry=roll.entry if roll else None,
    )


# Pictures


@bp.get("/tray.jpg")
def tray_picture() -> Response:
    """The newest camera frame."""
    return jpeg_response(web().live_frame())


@bp.get("/evidence/<evidence_id>.jpg")
def evidence(evidence_id: str) -> Response:
    """The kept picture of a roll."""
    kept = load_evidence(evidence_id)
    return jpeg_response(kept[0] if kept else None)
