"""What the caller says: the newest thing worth saying aloud, and from which log entry on.

Only what everybody at the table may know is ever said: rolls, opened and closed bets, and who
took what. Shown hands stay on the screens, and what a seat holds or draws is in no sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from companion.rules.actions import RecordRoll
from companion.rules.crown_and_spike import CloseBets, OpenRound
from companion.rules.dice import Roll
from companion.rules.history import Done, History
from companion.rules.model import Line
from companion.rules.point_five import Call as CallTurn
from companion.rules.transfers import POT

from . import crown_and_spike
from .common import named, seat_views
from .history import LastRoll

LOOK_BACK = 24  # entries; older news is no news


class Tone(StrEnum):
    """Which short sound goes with a call."""

    OPEN = "open"
    CLOSED = "closed"
    ROLL = "roll"
    WIN = "win"


@dataclass(frozen=True, slots=True)
class Call:
    """Sentences to be spoken once. ``no`` is the log entry that made them true."""

    no: int
    tone: Tone
    sentences: tuple[Line, ...]


def newest_call(history: History) -> Call | None:
    """The newest call of the actions in force; a screen says it when its ``no`` is a new one.

    After an undo the number is one that was said before, so a screen stays silent; a corrected
    roll counts from its correction on, so its new result is said.
    """
    for done in islice(_back(history.heads[-1]), LOOK_BACK):
        tone, sentences = _said(done)
        if sentences:
            return Call(_true_since(history, done), tone, sentences)
    return None


def _back(head: Done | None) -> Iterator[Done]:
    while head is not None:
        yield head
        head = head.previous


def _true_since(history: History, done: Done) -> int:
    """The entry that put ``done`` in force: its own, or the correction that replayed it."""
    if history.heads[done.no] is done:
        return done.no
    return next(no for no in range(done.no + 1, history.version + 1) if _holds(history, no, done))


def _holds(history: History, no: int, done: Done) -> bool:
    chain = _back(history.heads[no])
    return any(head is done for head in chain if head.no <= done.no)


def _said(done: Done) -> tuple[Tone, tuple[Line, ...]]:
    """A sound and the sentences for one action; no sentences where there is nothing to say."""
    paid = any(move.source == POT and move.reason == "pot" for move in done.transfers)
    match done.action:
        case RecordRoll() as action if crown_and_spike.playing(done.table):
            return _mat_roll(done, action)
        case RecordRoll(roll=roll):
            single = len(roll.spikes) + len(roll.cubes) == 1 and done.lines
            shown = () if single else (_faces(roll),)
            return (Tone.WIN if paid else Tone.ROLL), (*shown, *_named(done))
        case CloseBets():
            return Tone.CLOSED, _named(done)
        case OpenRound():
            return Tone.OPEN, _named(done)
        case CallTurn():
            return (Tone.WIN if paid else Tone.ROLL), _named(done)
        case _ if paid:
            return Tone.WIN, _named(done)
        case _:
            return Tone.WIN, _pots_won(done)


def _named(done: Done) -> tuple[Line, ...]:
    return tuple(named(line, done.table) for line in done.lines)


def _faces(roll: Roll) -> Line:
    return Line("{faces}.", {"faces": (*roll.spikes, *roll.cubes)})


def _mat_roll(done: Done, action: RecordRoll) -> tuple[Tone, tuple[Line, ...]]:
    """The faces, then what each seat has won with them, not the mat's every line."""
    last = LastRoll(done.no, action.roll, action.how, action.evidence, done)
    nets = [(seat.name, crown_and_spike.net(last, seat.number)) for seat in seat_views(done.table)]
    won = tuple(_wins(name, net) for name, net in nets if net is not None and net > 0)
    lost = any(net is not None for _, net in nets) and not won
    nobody = (Line("Nobody wins."),) if lost else ()
    return (Tone.WIN if won else Tone.ROLL), (_faces(action.roll), *won, *nobody)


def _wins(name: str, amount: int) -> Line:
    return Line("{seat} wins {amount}.", {"seat": name, "amount": amount})


def _pots_won(done: Done) -> tuple[Line, ...]:
    """Who took the pots of a hand of cards."""
    won: dict[str, int] = {}
    for move in done.transfers:
        if move.reason.startswith("win_"):
            won[move.target] = won.get(move.target, 0) + move.amount
    names = {f"seat:{seat.number}": seat.name for seat in seat_views(done.table)}
    return tuple(_wins(names.get(account, account), amount) for account, amount in won.items())
