"""Sika: three chance cubes, a called colour, three rounds; the highest total wins the pot.

Mechanics after the rule sheet designed by Michael (www.gamesofthegalaxy.com).
House readings: a colour may be called anew until the cubes are due; a skipped turn
keeps the throws already made; who is left alone, in the game or in a tie, wins the pot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from .actions import Action, EndGame, RecordRoll, action
from .dice import CUBE_KIND, Colour, Expect, Roll
from .errors import Refusal
from .model import Ask, Line, Offer, Step, Table
from .options import ADVICE, Toggle
from .pot_game import (
    SCOREKEEPER,
    OpenGame,
    Retire,
    SkipTurn,
    VoidGame,
    ante_toggle,
    antes_back,
    opening,
    pot_won,
    why_not_open,
)
from .sika_state import CALLS, CUBES, ROUNDS, THROWS, End, Phase, Play, Row, leaders, throw_points
from .transfers import POT
from .words import key

__all__ = ["SIKA", "CallColour", "End", "Phase", "Play", "Row"]


@action("call_colour")
@dataclass(frozen=True)
class CallColour(Action):
    """Say which colour scores for this seat."""

    by_player: ClassVar[bool] = True
    local: ClassVar[bool] = True
    seat: int
    colour: Colour


TOGGLES = (
    ante_toggle(default=5, least=0),
    Toggle(
        "call",
        "per_game",
        "Whether a colour is called once a game or before every turn.",
        ("per_game", "per_turn"),
    ),
    Toggle(
        "tie_break",
        "tied_turn",
        "Who breaks a tie: the tied by a turn each, everyone by a round, the tied by a throw.",
        ("tied_turn", "everyone_round", "tied_throw"),
    ),
    SCOREKEEPER,
    ADVICE,
)

_PHASES: dict[str, tuple[Phase, ...]] = {
    OpenGame.kind: (Phase.IDLE,),
    EndGame.kind: (Phase.IDLE,),
    CallColour.kind: (Phase.CALLING,),
    RecordRoll.kind: (Phase.THROW,),
    SkipTurn.kind: (Phase.CALLING, Phase.THROW),
    Retire.kind: (Phase.CALLING, Phase.THROW),
    VoidGame.kind: (Phase.CALLING, Phase.THROW),
}

_NOT_NOW = {
    Phase.IDLE: key("No game is being played."),
    Phase.CALLING: key("Colours are being called first."),
    Phase.THROW: key("The colours are called; the cubes are due."),
}


class Sika:
    """The game as the table's engine knows it."""

    key = "sika"
    title = "Sika"
    toggles: tuple[Toggle, ...] = TOGGLES
    version = 1
    ends = End

    def new(self, table: Table) -> Play:
        """No game begun yet."""
        return Play()

    def ended(self, table: Table) -> End | None:
        """How the last game ended; None before the first and while one is played."""
        play: Play = table.play
        return play.ended

    def expects(self, table: Table) -> Expect | None:
        """Three cubes while a turn runs and its colour is called."""
        return {CUBE_KIND: CUBES} if table.play.phase is Phase.THROW else None

    def status(self, table: Table) -> Line:
        """Whose throw it is, or whose colour is still to be called."""
        play: Play = table.play
        match play.phase:
            case Phase.IDLE:
                return Line("Between games.")
            case Phase.CALLING if _calls_once(table):
                return Line("Red or blue? Every player calls a colour.")
            case Phase.CALLING:
                return Line("Red or blue? {seat} calls a colour.", {"seat": play.row.seat})
            case Phase.THROW:
                values = {"seat": play.row.seat, "n": len(play.thrown) + 1, "of": throws_due(table)}
                return Line("{seat} is on turn: throw {n} of {of}.", values)

    def in_play(self, table: Table, seat: int) -> bool:
        """Whether a seat plays in the present game and is not retired."""
        play: Play = table.play
        row = play.row_of(seat)
        return play.phase is not Phase.IDLE and row is not None and not row.retired

    def why_not(self, table: Table, action: Action) -> Refusal | None:
        """Phase first, then the action's own conditions."""
        play: Play = table.play
        phases = _PHASES.get(action.kind)
        if phases is None:
            return Refusal("unknown_action", "Sika has no {action}.", {"action": action.kind})
        if play.phase not in phases:
            return Refusal("not_now", _not_now(play, action))
        match action:
            case OpenGame():
                return why_not_open(table)
            case CallColour(seat=seat, colour=colour):
                return _why_not_call(table, seat, colour)
            case SkipTurn(seat=seat):
                return _why_not_skip(table, seat)
            case Retire(seat=seat) if not self.in_play(table, seat):
                return Refusal("not_playing", "This seat does not play in the present game.")
            case _:
                return None

    def apply(self, table: Table, action: Action) -> Step:
        """Do an action that ``why_not`` allows."""
        play: Play = table.play
        match action:
            case OpenGame():
                return _open(table)
            case CallColour(seat=seat, colour=colour):
                return _called(table, seat, colour)
            case RecordRoll(roll=roll):
                return _throw(table, roll)
            case SkipTurn(seat=seat):
                return _pass(table, play, Line("{seat} is skipped.", {"seat": seat}))
            case Retire(seat=seat):
                return _retire(table, seat)
            case VoidGame():
                return _void(table)
            case _:
                return Step(None, (), (Line("Sika ends."),))

    def legal_actions(self, table: Table, seat: int | None) -> tuple[Offer, ...]:
        """Every button: the dealer's (``seat`` None) or a seat's."""
        offers = _dealer_offers(table) if seat is None else _seat_offers(table, seat)
        return tuple(offers)


SIKA = Sika()


def throws_due(table: Table) -> int:
    """How many throws a turn of the present round has."""
    one = table.play.round_no > ROUNDS and table.options["tie_break"] == "tied_throw"
    return 1 if one else THROWS


def callers(table: Table) -> tuple[int, ...]:
    """Seats that may call a colour now."""
    play: Play = table.play
    if play.phase is not Phase.CALLING:
        return ()
    if not _calls_once(table):
        return (play.row.seat,)
    return tuple(play.rows[n].seat for n in play.playing)


def _calls_once(table: Table) -> bool:
    return bool(table.options["call"] == "per_game")


def _not_now(play: Play, action: Action) -> str:
    if isinstance(action, (OpenGame, EndGame)):
        return key("A game is being played; finish or void it first.")
    return _NOT_NOW[play.phase]


def _why_not_call(table: Table, seat: int, colour: Colour) -> Refusal | None:
    if seat not in callers(table):
        return Refusal("not_yours", "This seat has no colour to call now.")
    if colour not in CALLS:
        return Refusal("no_such_call", "A cube is red or blue.")
    return None


def _why_not_skip(table: Table, seat: int) -> Refusal | None:
    play: Play = table.play
    if play.phase is Phase.CALLING and _calls_once(table):
        return Refusal("not_now", _NOT_NOW[Phase.CALLING])
    if play.row.seat != seat:
        return Refusal("not_your_turn", "It is the turn of seat {seat}.", {"seat": play.row.seat})
    return None


def _open(table: Table) -> Step:
    play: Play = table.play
    number = play.game_no + 1
    begun = opening(table, table.options["scorekeeper"], number)
    rows = tuple(Row(seat) for seat in begun.order)
    field = tuple(range(len(rows)))
    fresh = Play(Phase.CALLING, number, rows, field=field)
    return Step(_turned(table, fresh, 0), begun.transfers, begun.lines)


def _turned(table: Table, play: Play, position: int) -> Play:
    """``position`` begins a turn, calling first where the table calls every turn."""
    row = play.rows[position]
    begun = replace(row, turns=(*row.turns, ()))
    if not _calls_once(table):
        begun = replace(begun, call=None)
    return _phased(table, replace(play.with_row(begun), turn=position))


def _phased(table: Table, play: Play) -> Play:
    """The cubes are due once nobody has a colour to call any more."""
    rows = [play.rows[n] for n in play.playing] if _calls_once(table) else [play.row]
    waiting = any(row.call is None for row in rows)
    return replace(play, phase=Phase.CALLING if waiting else Phase.THROW)


def _called(table: Table, seat: int, colour: Colour) -> Step:
    play: Play = table.play
    row = play.row_of(seat)
    assert row is not None  # why_not has looked
    called = play.with_row(replace(row, call=colour))
    line = Line("{seat} calls {on}.", {"seat": seat, "on": colour.value})
    return Step(_phased(table, called), (), (line,))


_SCORED = key("{seat} scores {points}: {total} in all.")
_LOST = key("{seat} misses and loses {points}: {total} in all.")


def _throw(table: Table, roll: Roll) -> Step:
    play: Play = table.play
    row = play.row
    assert row.call is not None  # nobody throws uncalled
    points = throw_points(roll, row.call)
    thrown = (*play.thrown, points)
    after = replace(row, turns=(*row.turns[:-1], thrown))
    values = {"seat": row.seat, "points": abs(points), "total": after.total}
    line = Line(_SCORED if points > 0 else _LOST, values)
    done = replace(play.with_row(after), last_roll=roll)
    if len(thrown) < throws_due(table):
        return Step(done, (), (line,))
    return _pass(table, done, line)


def _pass(table: Table, play: Play, *lines: Line) -> Step:
    """The cubes go to the left; a complete third or later round may decide the game."""
    field = [n for n in play.field if not play.rows[n].retired]
    later = [n for n in field if n > play.turn]
    if later:
        return Step(_turned(table, play, later[0]), (), lines)
    if play.round_no < ROUNDS:
        return Step(_next_round(table, play, play.playing), (), lines)
    best = leaders(play)
    if len(best) == 1:
        end = End.MOST_POINTS if play.round_no == ROUNDS else End.TIE_BROKEN
        return _won(table, play, play.rows[best[0]].seat, end, *lines)
    tie = Line(
        "A tie for first at {points}: it is played out.", {"points": play.rows[best[0]].total}
    )
    everyone = table.options["tie_break"] == "everyone_round"
    again = _next_round(table, play, play.playing if everyone else best)
    return Step(again, (), (*lines, tie))


def _next_round(table: Table, play: Play, field: tuple[int, ...]) -> Play:
    return _turned(table, replace(play, round_no=play.round_no + 1, field=field), field[0])


_WON = {
    End.MOST_POINTS: key("{seat} has the most points and wins the pot of {amount}."),
    End.TIE_BROKEN: key("{seat} breaks the tie and wins the pot of {amount}."),
    End.LAST_PLAYER: key("{seat} is the last player and wins the pot of {amount}."),
}


def _won(table: Table, play: Play, seat: int, end: End, *lines: Line) -> Step:
    over = replace(play, phase=Phase.IDLE, ended=end, winner=seat)
    line = Line(_WON[end], {"seat": seat, "amount": table.balance(POT)})
    return Step(over, pot_won(table, seat), (*lines, line))


def _retire(table: Table, seat: int) -> Step:
    play: Play = table.play
    row = play.row_of(seat)
    assert row is not None  # why_not has looked
    left = play.with_row(replace(row, retired=True))
    line = Line("{seat} is retired; the ante stays in the pot.", {"seat": seat})
    alone = _alone(table, left)
    if alone is not None:
        end = End.LAST_PLAYER if len(left.playing) == 1 else End.TIE_BROKEN
        return _won(table, left, left.rows[alone].seat, end, line)
    if play.row.seat == seat:
        return _pass(table, left, line)
    return Step(_phased(table, left), (), (line,))


def _alone(table: Table, play: Play) -> int | None:
    """The position of the only player left who can win: in the game, or in a tie of few."""
    tied = play.round_no > ROUNDS and table.options["tie_break"] != "everyone_round"
    field = [n for n in play.playing if not tied or n in play.field]
    return field[0] if len(field) == 1 else None


def _void(table: Table) -> Step:
    play: Play = table.play
    moves = antes_back(table, (play.rows[n].seat for n in play.playing))
    over = replace(play, phase=Phase.IDLE, ended=End.VOID, winner=None)
    return Step(over, moves, (Line("The game is void; the antes go back."),))


def _dealer_offers(table: Table) -> Iterator[Offer]:
    play: Play = table.play
    if play.phase is Phase.IDLE:
        if why_not_open(table) is None:
            yield Offer(OpenGame.kind, "Start game", primary=True)
        return
    if _why_not_skip(table, play.row.seat) is None:
        yield Offer(SkipTurn.kind, "Skip the turn", {"seat": play.row.seat})
    for position in play.playing:
        yield Offer(Retire.kind, "Retire", {"seat": play.rows[position].seat})
    yield Offer(VoidGame.kind, "Void game")


def _seat_offers(table: Table, seat: int) -> Iterator[Offer]:
    if seat in callers(table):
        ask = Ask("colour", tuple(colour.value for colour in CALLS))
        yield Offer(CallColour.kind, "Call a colour", {"seat": seat}, (ask,))
