"""The figures of a table, from its log alone: dice, players, the bank and one evening."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from companion.edge import EdgeRow, Take, edge_rows, takes
from companion.fairness import Fairness, fairness
from companion.rounds import (
    Player,
    Round,
    Standing,
    Throw,
    during,
    evening_start,
    players,
    rounds,
    throws,
)
from companion.rules.actions import How
from companion.rules.dice import CUBE_KIND, SPIKE_KIND, Colour, Roll, Symbol
from companion.rules.history import History
from companion.table import LogRow

Worth = Callable[[Round], int]
FACES = {
    SPIKE_KIND: tuple(symbol.value for symbol in Symbol),
    CUBE_KIND: (Colour.RED.value, Colour.BLUE.value),
}


@dataclass(frozen=True, slots=True)
class RollCounts:
    """How the throws came into the log. The first three are of those in force."""

    read: int = 0  # taken unasked
    confirmed: int = 0  # the reader asked, the dealer said yes
    manual: int = 0  # entered by the dealer
    corrected: int = 0  # of all in force
    undone: int = 0  # not in force, and not counted above

    @property
    def in_force(self) -> int:
        """Throws that count."""
        return self.read + self.confirmed + self.manual


@dataclass(frozen=True, slots=True)
class Best:
    """A record of the evening and who holds it."""

    value: int
    names: tuple[str, ...]
    game: str = ""
    entry: int = 0


@dataclass(frozen=True, slots=True)
class Evening:
    """One evening at the table. ``games``: rounds played of each game, most first."""

    begun_utc: str
    ended_utc: str
    games: tuple[tuple[str, int], ...]
    players: tuple[Player, ...]
    biggest_pot: Best | None
    biggest_win: Best | None
    best_streak: Best | None
    rolls: RollCounts
    bank: int  # what the bank won

    @property
    def rounds(self) -> int:
        """Rounds, hands and games that ended."""
        return sum(count for _, count in self.games)


@dataclass(frozen=True, slots=True)
class SetDice:
    """The dice of one named set; an empty ``name`` holds all whose set is not known."""

    name: str
    found: Fairness


@dataclass(frozen=True, slots=True)
class Statistics:
    """Everything at one version of the log. ``times``: log entry -> when, for the charts."""

    version: int
    dice: tuple[Fairness, ...]
    sets: tuple[SetDice, ...]
    rolls: RollCounts
    players: tuple[Player, ...]
    edge: tuple[EdgeRow, ...]
    takes: tuple[Take, ...]
    evening: Evening
    times: dict[int, str]


def statistics(history: History, rows: Sequence[LogRow]) -> Statistics:
    """All figures; ``rows`` is the whole log, oldest first."""
    done = history.in_force()
    thrown, played = throws(history, rows), rounds(history.engine, done)
    everyone = players(history.engine, done, played)
    banked = tuple(takes(done))
    return Statistics(
        version=history.version,
        dice=tuple(found for kind in FACES if (found := _fairness(kind, thrown)).dice),
        sets=tuple(each for kind in FACES for each in set_dice(kind, thrown)),
        rolls=roll_counts(thrown),
        players=everyone,
        edge=edge_rows(banked),
        takes=banked,
        evening=evening(rows, thrown, played, during(everyone, _since(played, rows))),
        times={row.no: row.at_utc for row in rows},
    )


def _since(played: Iterable[Round], rows: Sequence[LogRow]) -> tuple[Round, ...]:
    start = evening_start(rows)
    return tuple(round_ for round_ in played if round_.entry >= start)


def _fairness(kind: str, thrown: Iterable[Throw]) -> Fairness:
    """Undone throws do not count: whether they ever lay there, the log cannot say."""
    shown = [t for t in thrown if t.standing is not Standing.UNDONE and faces(t.roll, kind)]
    read = [face for t in shown if t.by_reader for face in faces(t.roll, kind)]
    manual = [face for t in shown if not t.by_reader for face in faces(t.roll, kind)]
    return fairness(kind, FACES[kind], read, manual, len(shown))


def set_dice(kind: str, thrown: Iterable[Throw]) -> tuple[SetDice, ...]:
    """The dice of a kind set by set, those of no known set last; none where no set is known."""
    found = list(thrown)
    named = sorted({throw.sets[kind] for throw in found if kind in throw.sets})
    by_set = [
        SetDice(name, _fairness(kind, [t for t in found if t.sets.get(kind, "") == name]))
        for name in ([*named, ""] if named else [])
    ]
    return tuple(each for each in by_set if each.found.dice)


def faces(roll: Roll, kind: str) -> tuple[str, ...]:
    """The faces of one kind of die in a roll."""
    return tuple(face.value for face in (roll.spikes if kind == SPIKE_KIND else roll.cubes))


def roll_counts(thrown: Iterable[Throw]) -> RollCounts:
    """Throws by how they came in."""
    found = list(thrown)
    stands = [throw for throw in found if throw.standing is not Standing.UNDONE]

    def by(how: How) -> int:
        return sum(throw.how is how for throw in stands)

    return RollCounts(
        read=by(How.READ),
        confirmed=by(How.CONFIRMED),
        manual=by(How.MANUAL),
        corrected=sum(throw.standing is Standing.CORRECTED for throw in stands),
        undone=len(found) - len(stands),
    )


def evening(
    rows: Sequence[LogRow],
    thrown: Iterable[Throw],
    played: Iterable[Round],
    everyone: Iterable[Player],
) -> Evening:
    """The newest evening of the log; ``everyone`` with the rounds of that evening only."""
    start = evening_start(rows)
    tonight = [round_ for round_ in played if round_.entry >= start]
    sat = tuple(player for player in everyone if player.here or player.rounds)
    kinds = [round_.game for round_ in tonight]
    return Evening(
        begun_utc=rows[start - rows[0].no].at_utc if rows else "",
        ended_utc=rows[-1].at_utc if rows else "",
        games=tuple(sorted({k: kinds.count(k) for k in kinds}.items(), key=lambda g: -g[1])),
        players=tuple(sorted(sat, key=lambda player: -player.result)),
        biggest_pot=_biggest(tonight, sat, lambda r: r.pot),
        biggest_win=_biggest(tonight, sat, _best_win, lambda r: _ahead(r, _best_win(r))),
        best_streak=_streak(sat),
        rolls=roll_counts(throw for throw in thrown if throw.entry >= start),
        bank=sum(round_.bank for round_ in tonight),
    )


def _best_win(round_: Round) -> int:
    return max(round_.net.values(), default=0)


def _ahead(round_: Round, by: int) -> tuple[int, ...]:
    return tuple(seat for seat, credits in round_.net.items() if credits == by)


def _biggest(
    tonight: Sequence[Round],
    sat: Sequence[Player],
    worth: Worth,
    whose: Callable[[Round], tuple[int, ...]] = lambda round_: round_.winners,
) -> Best | None:
    best = max(tonight, key=worth, default=None)
    if best is None or worth(best) <= 0:
        return None
    names = tuple(_name(sat, seat, best.entry) for seat in whose(best))
    return Best(worth(best), names, best.game, best.entry)


def _name(sat: Iterable[Player], seat: int, entry: int) -> str:
    """Who sat in a seat at a log entry."""
    found = [p.name for p in sat if p.seat == seat and p.since < entry]
    return found[-1] if found else f"#{seat}"


def _streak(sat: Sequence[Player]) -> Best | None:
    most = max((player.best for player in sat), default=0)
    if most < 2:  # one win is no streak
        return None
    return Best(most, tuple(player.name for player in sat if player.best == most))
