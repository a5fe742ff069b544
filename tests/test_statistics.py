"""Figures from played tables whose outcome is known beforehand."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import product

import pytest

from companion.auth import Actor, Role
from companion.database import Database
from companion.edge import Wager, throw_takes
from companion.fairness import Verdict
from companion.games import GAMES
from companion.hub import Hub
from companion.rounds import Standing, throws
from companion.rules.actions import (
    BuyIn,
    CashOut,
    ChooseGame,
    CorrectRoll,
    FundBank,
    How,
    JoinSeat,
    LeaveSeat,
    RecordRoll,
    Undo,
    from_json,
)
from companion.rules.crown_and_spike import (
    CloseBets,
    OpenRound,
    PlaceBet,
    SettleOffers,
    VoidRound,
)
from companion.rules.crown_state import Bet, Phase, Play, Run
from companion.rules.dice import Colour, Roll, Symbol
from companion.rules.engine import Engine
from companion.rules.point_five import OpenGame
from companion.statistics import statistics
from companion.table import TableService

DEALER = Actor(Role.DEALER, None, "dealer")
START = datetime(2026, 3, 7, 19, 0, tzinfo=UTC)
MISS, HIT = ("eye", "eye", "eye"), ("sun", "eye", "eye")


class Told:
    """A table told action by action, one minute apart."""

    def __init__(self, folder):
        self.now = START
        self.service = TableService(Database.in_folder(folder), Engine(GAMES), Hub(), self._clock)

    def _clock(self):
        self.now += timedelta(minutes=1)
        return self.now.isoformat(timespec="milliseconds")

    def do(self, *actions):
        return [self.service.submit(action, DEALER).version for action in actions][-1]

    def round(self, faces, *, how=How.READ, bets=((1, "sun", 10),)):
        self.do(OpenRound(), *(PlaceBet(*bet) for bet in bets), CloseBets())
        entry = self.do(RecordRoll(Roll.of(faces), how))
        if self.service.snapshot().table.play.phase is Phase.OFFERS:
            self.do(SettleOffers())
        return entry

    @property
    def figures(self):
        return statistics(self.service.snapshot().history, self.service.log())


@pytest.fixture
def told(tmp_path):
    table = Told(tmp_path)
    table.do(FundBank(1000), JoinSeat(1, "Nova", "teal"), JoinSeat(2, "Rook"), BuyIn(1, 200))
    table.do(BuyIn(2, 100), ChooseGame("crown_and_spike"))
    return table


def test_an_empty_log_has_figures_too(tmp_path):
    empty = Told(tmp_path).figures
    assert (empty.dice, empty.players, empty.edge, empty.evening.rounds) == ((), (), (), 0)
    assert empty.evening.biggest_pot is None


def test_throws_in_force_corrected_and_undone_are_told_apart(told):
    read = told.round(MISS)
    typed = told.round(MISS, how=How.MANUAL)
    asked = told.round(MISS, how=How.CONFIRMED)
    told.do(CorrectRoll(asked, Roll.of(("crown", "eye", "eye"))))
    undone = told.round(MISS)
    told.do(Undo(undone - 1))
    found = throws(told.service.snapshot().history, told.service.log())
    assert [(t.entry, t.standing) for t in found] == [
        (read, Standing.IN_FORCE),
        (typed, Standing.IN_FORCE),
        (asked, Standing.CORRECTED),
        (undone, Standing.UNDONE),
    ]
    assert (found[2].first.spikes[0], found[2].roll.spikes[0]) == (Symbol.EYE, Symbol.CROWN)
    counts = told.figures.rolls
    assert (counts.read, counts.confirmed, counts.manual) == (1, 1, 1)
    assert (counts.corrected, counts.undone, counts.in_force) == (1, 1, 3)


def test_faces_count_once_whoever_vouched_and_not_when_undone(told):
    told.round(MISS)
    told.round(HIT, how=How.MANUAL)
    told.do(Undo(told.round(MISS) - 1))
    (spikes,) = told.figures.dice
    by_face = {f.face: (f.read, f.manual) for f in spikes.faces}
    assert by_face["eye"] == (3, 2)
    assert by_face["sun"] == (0, 1)
    assert (spikes.dice, spikes.throws, spikes.verdict) == (6, 2, Verdict.TOO_FEW)


def test_a_players_result_leaves_out_what_was_bought_and_cashed(told):
    told.round(MISS)
    told.round(HIT, bets=((1, "sun", 30), (2, "crown", 20)))
    told.do(BuyIn(1, 50), CashOut(1, 40))
    nova, rook = told.figures.players
    assert (nova.name, nova.bought, nova.cashed, nova.result) == ("Nova", 250, 40, 20)
    assert nova.balances[-1][1] == nova.credits == 250 - 40 + 20
    assert [credits for _, credits in nova.balances] == [0, 200, 190, 220, 270, 230]
    assert (rook.rounds, rook.won, rook.result) == (1, 0, -20)


def test_two_people_in_one_seat_are_two_players(told):
    told.round(MISS)
    told.do(LeaveSeat(1), JoinSeat(1, "Echo"), BuyIn(1, 10))
    nova, _, echo = told.figures.players
    assert (nova.name, nova.here, nova.result) == ("Nova", False, -10)
    assert (echo.name, echo.here, echo.result, echo.rounds) == ("Echo", True, 0, 0)
    assert nova.cashed == 190


def test_streaks_and_the_biggest_win(told):
    for faces in (HIT, HIT, HIT, MISS, MISS, HIT):
        told.round(faces)
    told.round(("sun", "sun", "sun"), bets=((2, "sun", 20),))
    nova, rook = told.figures.players
    assert (nova.best, nova.worst, nova.rounds, nova.won) == (3, 2, 6, 4)
    tonight = told.figures.evening
    assert (tonight.best_streak.value, tonight.best_streak.names) == (3, ("Nova",))
    assert (tonight.biggest_win.value, tonight.biggest_win.names) == (60, ("Rook",))
    assert tonight.games == (("crown_and_spike", 7),)
    assert tonight.bank == -(nova.result + rook.result)


def test_a_void_round_is_nobodys(told):
    told.do(OpenRound(), PlaceBet(1, "sun", 10), CloseBets(), VoidRound())
    nova = told.figures.players[0]
    assert (nova.rounds, nova.result) == (0, 0)


def test_a_pot_is_told_with_its_winner(told):
    told.do(ChooseGame("point_five", {"ante": 50}), OpenGame())
    seat = told.service.snapshot().table.play.board.seat
    for face in Symbol:  # six different symbols win at once
        told.do(RecordRoll(Roll.of([face])))
        offers = told.service.offers(DEALER)
        kinds = {offer.kind: offer for offer in offers}
        if "throw_on" in kinds:
            told.service.submit(_action(kinds["throw_on"]), DEALER)
    pot = told.figures.evening.biggest_pot
    names = {1: "Nova", 2: "Rook"}
    assert (pot.value, pot.names, pot.game) == (100, (names[seat],), "point_five")


def _action(offer):
    return from_json({**offer.fields, "kind": offer.kind})


def test_a_pause_of_six_hours_begins_a_new_evening(told):
    told.round(HIT)
    told.now += timedelta(hours=5)
    told.round(MISS)
    assert told.figures.evening.rounds == 2
    told.now += timedelta(hours=6)
    told.round(MISS, bets=((2, "sun", 5),))
    tonight = told.figures.evening
    assert (tonight.rounds, tonight.rolls.read, tonight.bank) == (1, 1, 5)
    assert [(p.name, p.result) for p in tonight.players] == [("Nova", 0), ("Rook", -5)]


def test_the_expected_take_is_the_exact_edge(told):
    told.round(MISS, bets=((1, "sun", 10), (2, "crown", 20)))
    told.round(HIT, bets=((1, "sun", 10),))
    (row,) = told.figures.edge
    assert (row.wager, row.throws, row.staked) == (Wager.SYMBOL, 2, 40)
    assert row.expected == 40 * Fraction(17, 216)
    assert row.seen == 30 - 10


OPTIONS = {"at_risk": "stake_and_winnings", "double_odds": "3:1", "mixed_odds": "1:1"}
ROLL = Roll.of(("sun", "sun", "eye"), ("red", "red"))


def test_the_spread_is_that_of_every_throw_counted_by_hand():
    play = Play(Phase.ROLLING, bets=(Bet(1, "sun", 7), Bet(2, "sun", 3), Bet(2, "eye", 5)))
    (take,) = throw_takes(1, play, ROLL, OPTIONS)
    gains = []
    for throw in product(Symbol, repeat=3):
        suns, eyes = throw.count(Symbol.SUN), throw.count(Symbol.EYE)
        gains.append((-10 * suns if suns else 10) + (-5 * eyes if eyes else 5))
    mean = Fraction(sum(gains), 216)
    assert take.expected == mean
    assert take.variance == Fraction(sum(g * g for g in gains), 216) - mean**2
    assert (take.seen, take.staked) == (-25, 15)


def test_colours_and_doubling_are_counted_apart():
    mixed = Play(Phase.ROLLING, bets=(Bet(1, "red", 8), Bet(1, "green", 4)))
    (colour,) = throw_takes(1, mixed, ROLL, OPTIONS)
    assert (colour.wager, colour.seen) == (Wager.COLOUR, -24 + 4)
    assert colour.expected == Fraction(-24 + 4 + 2 * (8 - 4) + 8 + 4, 4)
    runs = Play(Phase.RERUN, runs=(Run(1, "crown", 10, 20),))
    (double,) = throw_takes(2, runs, ROLL, OPTIONS)
    assert (double.wager, double.staked, double.seen) == (Wager.DOUBLE, 30, 30)
    assert double.expected == 30 * Fraction(125, 216) - 20 * Fraction(91, 216)


def test_a_row_of_all_adds_means_and_variances(told):
    told.do(ChooseGame("crown_and_spike", {"colour_bets": True}))
    told.do(OpenRound(), PlaceBet(1, "sun", 10), PlaceBet(1, "red", 10), CloseBets())
    told.do(RecordRoll(Roll.of(MISS, (Colour.RED, Colour.BLUE))))
    symbol, colour, both = told.figures.edge
    assert both.wager is None
    assert both.seen == symbol.seen + colour.seen == 20
    assert both.spread == pytest.approx(math.hypot(symbol.spread, colour.spread))
    assert both.throws == 1
