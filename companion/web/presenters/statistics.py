"""The statistics as pages show them: sentences, tables and charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import groupby

from companion.edge import EdgeRow, Take, Wager
from companion.fairness import Fairness, Verdict
from companion.rounds import Player
from companion.rules.dice import SPIKE_KIND
from companion.rules.engine import Games
from companion.rules.model import Line
from companion.statistics import Evening, RollCounts, SetDice, Statistics
from companion.web.charts import BarChart, Curve, LineChart, bar_chart, line_chart

from .common import SEAT_COLOURS, SeatView, colour_of, key

LIKELY = 1.96  # standard deviations either side that hold 95 of 100 outcomes
LEAST_CURVE = 2  # points below which a line would show nothing
WAGERS = {
    Wager.SYMBOL: key("Symbols"),
    Wager.COLOUR: key("Colours"),
    Wager.DOUBLE: key("Double or nothing"),
    None: key("All together"),
}
TONES = {
    Verdict.TOO_FEW: "calm",
    Verdict.UNREMARKABLE: "good",
    Verdict.NOTABLE: "warn",
    Verdict.STRONG: "bad",
}


@dataclass(frozen=True, slots=True)
class FaceRow:
    """One face in the table beside the chart. ``off``: beyond what chance usually does."""

    face: str
    total: int
    read: int
    manual: int
    percent: Fraction
    off: bool


@dataclass(frozen=True, slots=True)
class SetView:
    """One set of a kind; ``name`` is the table's own word for it or a key."""

    name: str
    dice: int
    chi2: Fraction | None
    counts: tuple[tuple[str, int], ...]  # face, times
    tone: str
    sentence: Line


@dataclass(frozen=True, slots=True)
class DiceView:
    """One kind of die, altogether and set by set where sets are known."""

    kind: str
    title: str
    tone: str
    sentence: Line
    power: Line
    facts: Line
    rows: tuple[FaceRow, ...]
    chart: BarChart
    manual: bool  # whether any face was entered by hand
    sets: tuple[SetView, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeView:
    """One row of the bank's table, in credits."""

    title: str
    throws: int
    staked: int
    seen: int
    expected: Fraction
    low: int
    high: int
    unusual: bool


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """One player of the evening."""

    seat: SeatView
    player: Player
    here: bool


@dataclass(frozen=True, slots=True)
class StatsView:
    """Everything on the statistics page of the dealer; a phone shows parts of it."""

    table_name: str
    dice: tuple[DiceView, ...]
    rolls: tuple[Line, ...]
    players: tuple[PlayerRow, ...]
    balances: LineChart | None
    edge: tuple[EdgeView, ...]
    edge_chart: LineChart | None
    evening: EveningView


@dataclass(frozen=True, slots=True)
class EveningView:
    """The summary of one evening."""

    day: str
    begun: str
    ended: str
    games: tuple[tuple[str, int], ...]
    rounds: int
    records: tuple[Line, ...]
    rolls: tuple[Line, ...]
    bank: int
    figures: Evening


Local = Callable[[datetime], datetime]


def stats_view(
    figures: Statistics, games: Games, table_name: str, local: Local = datetime.astimezone
) -> StatsView:
    """All of it; ``local`` turns a moment into the house's own time."""
    sat = tuple(player_row(player) for player in figures.evening.players)
    return StatsView(
        table_name=table_name,
        dice=tuple(dice_view(found, figures.sets) for found in figures.dice),
        rolls=_roll_lines(figures.rolls),
        players=sat,
        balances=balance_chart(figures, figures.evening.players, local),
        edge=tuple(_edge_view(row) for row in figures.edge),
        edge_chart=edge_chart(figures.takes),
        evening=_evening_view(figures.evening, games, local),
    )


# Dice


def dice_view(found: Fairness, sets: Sequence[SetDice] = ()) -> DiceView:
    """Counts, chart and honest words for one kind of die, and for each of its sets."""
    return DiceView(
        kind=found.kind,
        title=key("Spike dice") if found.kind == SPIKE_KIND else key("Chance cubes"),
        tone=TONES[found.verdict],
        sentence=_verdict_line(found),
        power=_power_line(found),
        facts=_facts(found),
        rows=tuple(_face_row(found, i) for i in range(len(found.faces))),
        chart=bar_chart(
            [(face.face, face.total, face.manual) for face in found.faces],
            found.expected,
            _likely(found),
        ),
        manual=any(face.manual for face in found.faces),
        sets=tuple(_set_view(each) for each in sets if each.found.kind == found.kind),
    )


def _set_view(each: SetDice) -> SetView:
    found = each.found
    return SetView(
        name=each.name or key("unknown set"),
        dice=found.dice,
        chi2=None if found.chi2 is None else Fraction(round(found.chi2 * 100), 100),
        counts=tuple((face.face, face.total) for face in found.faces),
        tone=TONES[found.verdict],
        sentence=_verdict_line(found),
    )


def _likely(found: Fairness) -> tuple[float, float]:
    """Where one face's count ends up 95 times in 100 when the dice are fair."""
    chance = 1 / len(found.faces)
    spread = LIKELY * math.sqrt(found.dice * chance * (1 - chance))
    return max(0.0, found.expected - spread), found.expected + spread


def _face_row(found: Fairness, position: int) -> FaceRow:
    face = found.faces[position]
    low, high = _likely(found)
    share = Fraction(100 * face.total, found.dice) if found.dice else Fraction(0)
    off = found.p is not None and not low <= face.total <= high
    return FaceRow(face.face, face.total, face.read, face.manual, share, off)


def _verdict_line(found: Fairness) -> Line:
    values = {"p": _percent(found.p), "wanted": found.wanted}
    match found.verdict:
        case Verdict.TOO_FEW:
            return Line("Too few to tell: {wanted} more dice before a test means anything.", values)
        case Verdict.UNREMARKABLE:
            return Line(
                "Nothing unusual: fair dice stray this far or further {p} % of the time.", values
            )
        case Verdict.NOTABLE:
            text = key("Unusual: fair dice stray this far only {p} % of the time. Watch them.")
            return Line(text, values)
        case Verdict.STRONG:
            text = key(
                "Very unusual: fair dice stray this far only {p} % of the time. Try another set, "
                "and look whether one face is often misread."
            )
            return Line(text, values)


def _power_line(found: Fairness) -> Line:
    """What so many dice could show at all."""
    sides = len(found.faces)
    chance = 100 * (1 + (found.bias or math.inf)) / sides
    if chance >= 100:
        return Line("So few dice would not reliably show any bias.")
    values = {
        "dice": found.dice,
        "chance": Fraction(round(chance * 10), 10),
        "fair": Fraction(round(1000 / sides), 10),
    }
    text = key(
        "{dice} dice usually show a face that comes {chance} % of the time instead of {fair} %; "
        "smaller biases stay hidden."
    )
    return Line(text, values)


def _facts(found: Fairness) -> Line:
    values: dict[str, object] = {"dice": found.dice, "throws": found.throws}
    if found.chi2 is None:
        return Line("{dice} dice in {throws} throws.", values)
    values |= {
        "chi2": Fraction(round(found.chi2 * 100), 100),
        "freedom": len(found.faces) - 1,
    }
    return Line("{dice} dice in {throws} throws, χ² = {chi2} (df {freedom}).", values)


def _percent(p: float | None) -> Fraction:
    """Rounded to a tenth, but never to a nought that it is not."""
    share = 100 * (p or 0.0)
    return Fraction(round(share * 10), 10) if share > 0.05 else Fraction(share)


# Rolls


def _roll_lines(counts: RollCounts) -> tuple[Line, ...]:
    values = {
        "all": counts.in_force,
        "read": counts.read,
        "asked": counts.confirmed,
        "manual": counts.manual,
        "corrected": counts.corrected,
        "undone": counts.undone,
    }
    text = key("{all} throws: {read} read unasked, {asked} asked about, {manual} entered by hand.")
    lines = [Line(text, values)]
    if counts.corrected:
        lines.append(Line("{corrected} of them were corrected later.", values))
    if counts.undone:
        lines.append(Line("{undone} more were undone and do not count.", values))
    return tuple(lines)


# Players


def player_row(player: Player) -> PlayerRow:
    """A player with the seat as every page shows it."""
    colour = player.colour if player.colour in SEAT_COLOURS else colour_of(player.seat)
    seat = SeatView(player.seat, player.name, colour, player.credits)
    return PlayerRow(seat, player, player.here)


def balance_chart(
    figures: Statistics, shown: Sequence[Player], local: Local = datetime.astimezone
) -> LineChart | None:
    """Credits of each player over the evening; None when there is no line to draw yet."""
    begun, ended = _moment(figures.evening.begun_utc), _moment(figures.evening.ended_utc)
    if begun is None or ended is None or begun == ended:
        return None
    curves = [curve for player in shown if (curve := _curve(figures, player, begun, ended))]
    if not any(len(curve.points) > LEAST_CURVE for curve in curves):
        return None
    marks = (begun, begun + (ended - begun) / 2, ended)
    return line_chart(curves, {m.timestamp(): f"{local(m):%H:%M}" for m in marks})


def _curve(figures: Statistics, player: Player, begun: datetime, ended: datetime) -> Curve | None:
    """Balances from the evening's beginning to its end, or to the player's leaving."""
    points: list[tuple[float, float]] = []
    for entry, credits in player.balances:
        at = max(begun, _moment(figures.times[entry]) or begun).timestamp()
        if points and points[-1][0] == at:
            points.pop()
        if points or credits:  # a line begins with the first buy-in
            points.append((at, float(credits)))
    if not points:
        return None
    if player.here and points[-1][0] < ended.timestamp():
        points.append((ended.timestamp(), points[-1][1]))
    tone = player_row(player).seat.colour
    return Curve(player.name, f"s-{tone}", str(player.seat), points, steps=True)


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


# The bank


def _edge_view(row: EdgeRow) -> EdgeView:
    mean = float(row.expected)
    return EdgeView(
        WAGERS[row.wager],
        row.throws,
        row.staked,
        row.seen,
        Fraction(round(row.expected * 10), 10),
        round(mean - LIKELY * row.spread),
        round(mean + LIKELY * row.spread),
        row.unusual,
    )


def edge_chart(takes: Sequence[Take]) -> LineChart | None:
    """The bank's take so far after each throw, beside what the rules promise it."""
    throws = [list(settled) for _, settled in groupby(takes, lambda take: take.entry)]
    if len(throws) < LEAST_CURVE:
        return None
    seen, mean, variance = 0, Fraction(0), Fraction(0)
    line, promised, band = [(0.0, 0.0)], [(0.0, 0.0)], [(0.0, 0.0, 0.0)]
    for number, settled in enumerate(throws, 1):
        seen += sum(take.seen for take in settled)
        mean += sum((take.expected for take in settled), Fraction(0))
        variance += sum((take.variance for take in settled), Fraction(0))
        reach = LIKELY * math.sqrt(variance)
        line.append((float(number), float(seen)))
        promised.append((float(number), float(mean)))
        band.append((float(number), float(mean) - reach, float(mean) + reach))
    curves = [
        Curve(key("Expected"), "expected", "", promised),
        Curve(key("Seen"), "seen", "", line),
    ]
    marks = {0.0: "0", float(len(throws)): str(len(throws))}
    return line_chart(curves, marks, band)


# The evening


def _evening_view(tonight: Evening, games: Games, local: Local) -> EveningView:
    begun, ended = _moment(tonight.begun_utc), _moment(tonight.ended_utc)
    return EveningView(
        day=f"{local(begun):%Y-%m-%d}" if begun else "",
        begun=f"{local(begun):%H:%M}" if begun else "",
        ended=f"{local(ended):%H:%M}" if ended else "",
        games=tuple((_title(games, game), count) for game, count in tonight.games),
        rounds=tonight.rounds,
        records=record_lines(tonight, games),
        rolls=_roll_lines(tonight.rolls),
        bank=tonight.bank,
        figures=tonight,
    )


def _title(games: Games, game: str) -> str:
    return games[game].title if game in games else game


def record_lines(tonight: Evening, games: Games) -> tuple[Line, ...]:
    """The evening's biggest pot, biggest win and best streak, as far as there are any."""
    found = []
    for best, text in (
        (tonight.biggest_pot, key("Biggest pot: {value} to {names} ({game}).")),
        (tonight.biggest_win, key("Biggest win of a round: {value}, {names} ({game}).")),
        (tonight.best_streak, key("Best streak: {value} rounds won one after another, {names}.")),
    ):
        if best is not None:
            title = _title(games, best.game)
            names = ", ".join(best.names)
            found.append(Line(text, {"value": best.value, "names": names, "game": title}))
    return tuple(found)
