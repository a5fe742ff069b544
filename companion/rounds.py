"""What the log tells of an evening: its throws, its rounds and its players.

A round is whatever a game ends with a reason: a round, a hand or a whole game of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise

from companion.rules.actions import How, JoinSeat, RecordRoll
from companion.rules.dice import Roll
from companion.rules.engine import Engine
from companion.rules.history import Done, History
from companion.rules.model import Table
from companion.rules.transfers import (
    BANK,
    CROWN_POT,
    HAND_POT,
    HOUSE,
    POT,
    SABACC_POT,
    Transfer,
    seat_account,
)
from companion.table import LogRow

POTS = frozenset({POT, HAND_POT, SABACC_POT, CROWN_POT})
BREAK = timedelta(hours=6)  # a pause so long begins a new evening
VOID = "void"
PAIR = 2


class Standing(StrEnum):
    """What became of a recorded roll."""

    IN_FORCE = "in_force"
    CORRECTED = "corrected"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Throw:
    """A recorded roll. ``roll`` are the faces in force, ``first`` those first recorded."""

    entry: int
    at_utc: str
    game: str
    roll: Roll
    first: Roll
    how: How  # as first recorded
    standing: Standing
    evidence: str | None
    sets: Mapping[str, str] = field(default_factory=dict)  # kind of die -> its named set

    @property
    def by_reader(self) -> bool:
        """Whether the faces counted are the reader's own."""
        return self.how is not How.MANUAL and self.standing is not Standing.CORRECTED


@dataclass(frozen=True, slots=True)
class Round:
    """``net``: credits each seat that took part won or lost; ``pot``: paid out of the pots."""

    entry: int
    game: str
    end: str
    net: Mapping[int, int]
    pot: int
    winners: tuple[int, ...]
    bank: int = 0  # what the bank won


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody in a seat from sitting down to leaving, so two people are never one.

    ``balances``: (log entry, credits) whenever they changed while nothing was at stake.
    ``result``: credits won or lost, those in the present round not counted as lost.
    """

    seat: int
    name: str
    colour: str
    since: int  # the log entry with which the player sat down
    until: int  # the last one of the stay
    here: bool
    credits: int  # in front of the seat at the end, stakes left out
    balances: tuple[tuple[int, int], ...]
    bought: int
    cashed: int
    rounds: int = 0
    won: int = 0
    result: int = 0
    best: int = 0  # most rounds won one after another
    worst: int = 0  # most rounds lost one after another


def evening_start(rows: Sequence[LogRow]) -> int:
    """The first log entry of the newest evening: none before it within six hours."""
    start = rows[0].no if rows else 1
    for earlier, later in pairwise(rows):
        if _time(later.at_utc) - _time(earlier.at_utc) >= BREAK:
            start = later.no
    return start


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def throws(history: History, rows: Iterable[LogRow]) -> tuple[Throw, ...]:
    """Every roll ever recorded, undone ones too, oldest first."""
    standing = {done.no: done for done in history.in_force()}
    return tuple(
        _throw(row, row.action, standing.get(row.no), history)
        for row in rows
        if isinstance(row.action, RecordRoll)
    )


def _throw(row: LogRow, action: RecordRoll, done: Done | None, history: History) -> Throw:
    now = done.action.roll if done and isinstance(done.action, RecordRoll) else action.roll
    state = Standing.UNDONE if done is None else Standing.IN_FORCE
    if now != action.roll:
        state = Standing.CORRECTED
    head = history.heads[row.no] if row.no < len(history.heads) else None
    game = (head.table.game if head else None) or ""
    sets = {pair[0]: pair[1] for pair in action.sets if len(pair) == PAIR}
    return Throw(
        row.no, row.at_utc, game, now, action.roll, action.how, state, action.evidence, sets
    )


def rounds(engine: Engine, done: Sequence[Done]) -> tuple[Round, ...]:
    """Every round that ended, oldest first."""
    found: list[Round] = []
    moves: list[Transfer] = []
    for step in done:
        moves += step.transfers
        before = step.previous.table if step.previous else Table()
        game = step.table.game
        if game is None or game != before.game:
            moves = []
        elif (end := _ended(engine, step.table)) and _ended(engine, before) is None:
            found.append(_round(step, game, end, moves))
            moves = []
    return tuple(found)


def _ended(engine: Engine, table: Table) -> str | None:
    game = engine.game(table)
    end = game.ended(table) if game else None
    return None if end is None else str(end.value)


def _round(step: Done, game: str, end: str, moves: Sequence[Transfer]) -> Round:
    played = [move for move in moves if HOUSE not in (move.source, move.target)]
    net: Counter[int] = Counter()
    for seat in range(1, 9):
        own = seat_account(seat)
        if any(own in (move.source, move.target) for move in played):
            net[seat] = sum(move.amount * _towards(own, move) for move in played)
    pot = sum(move.amount for move in played if move.source in POTS and end != VOID)
    bank = sum(move.amount * _towards(BANK, move) for move in played)
    return Round(step.no, game, end, dict(net), pot, _winners(step, net, end), bank)


def _towards(account: str, move: Transfer) -> int:
    return (move.target == account) - (move.source == account)


def _winners(step: Done, net: Mapping[int, int], end: str) -> tuple[int, ...]:
    """Who came out ahead; where nothing was staked, whom the game calls its winner."""
    if end == VOID:
        return ()
    ahead = tuple(seat for seat, credits in net.items() if credits > 0)
    named = getattr(step.table.play, "winner", None)
    return ahead or ((named,) if named is not None else ())


def players(engine: Engine, done: Sequence[Done], played: Sequence[Round]) -> tuple[Player, ...]:
    """Everyone who sat at the table, in the order of sitting down."""
    joined = [step for step in done if isinstance(step.action, JoinSeat)]
    return during([_player(engine, step, done) for step in joined], played)


def during(sat: Iterable[Player], played: Sequence[Round]) -> tuple[Player, ...]:
    """The same players with what they won and lost in the rounds given."""
    return tuple(_with_rounds(player, played) for player in sat)


def _player(engine: Engine, joined: Done, done: Sequence[Done]) -> Player:
    assert isinstance(joined.action, JoinSeat)
    number = joined.action.seat
    stay = list(_stay(joined, done))
    sitting = joined.table.seat(number)
    own = seat_account(number)
    return Player(
        seat=number,
        name=sitting.name if sitting else "",
        colour=sitting.colour if sitting else "",
        since=joined.no,
        until=stay[-1].no,
        here=done[-1].table.seat(number) is not None and stay[-1] is done[-1],
        credits=stay[-1].table.credits(number),
        balances=tuple(_balances(engine, stay, number)),
        bought=_moved(stay, HOUSE, own),
        cashed=_moved(stay, own, HOUSE),
    )


def _with_rounds(player: Player, played: Sequence[Round]) -> Player:
    stayed = (r for r in played if player.since < r.entry <= player.until)
    mine = [round_ for round_ in stayed if _took_part(round_, player.seat)]
    return replace(
        player,
        rounds=len(mine),
        won=sum(player.seat in r.winners for r in mine),
        result=sum(r.net.get(player.seat, 0) for r in mine),
        best=_longest(player.seat in r.winners for r in mine),
        worst=_longest(r.net.get(player.seat, 0) < 0 for r in mine),
    )


def _stay(joined: Done, done: Sequence[Done]) -> Iterator[Done]:
    """From sitting down to leaving, the leaving included."""
    assert isinstance(joined.action, JoinSeat)
    seat = joined.action.seat
    for step in done[joined.depth - 1 :]:
        yield step
        if step.table.seat(seat) is None:
            return


def _took_part(round_: Round, seat: int) -> bool:
    return round_.end != VOID and (seat in round_.net or seat in round_.winners)


def _moved(stay: Iterable[Done], source: str, target: str) -> int:
    moves = (move for step in stay for move in step.transfers)
    return sum(move.amount for move in moves if (move.source, move.target) == (source, target))


def _balances(engine: Engine, stay: Iterable[Done], seat: int) -> Iterator[tuple[int, int]]:
    shown: int | None = None
    for step in stay:
        credits = step.table.credits(seat)
        if credits == shown or step.table.seat(seat) is None:
            continue
        game = engine.game(step.table)
        if game is None or not game.in_play(step.table, seat):
            shown = credits
            yield step.no, credits


def _longest(row: Iterable[bool]) -> int:
    """The longest run of what is true.

    >>> _longest([True, False, True, True])
    2
    """
    best = run = 0
    for good in row:
        run = run + 1 if good else 0
        best = max(best, run)
    return best
