"""Sika: exact figures through the engine's own apply, rounds, calls and ties."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from companion.games import GAMES
from companion.rules import sika_odds as odds
from companion.rules.actions import BuyIn, ChooseGame, CorrectRoll, EndGame, JoinSeat, RecordRoll
from companion.rules.dice import Colour, Roll
from companion.rules.engine import Engine
from companion.rules.history import History
from companion.rules.model import Table
from companion.rules.pot_game import OpenGame, Retire, SkipTurn, VoidGame
from companion.rules.sika import CallColour, End, Phase, throws_due
from companion.rules.transfers import POT

ENGINE = Engine(GAMES)
RED, BLUE = Colour.RED, Colour.BLUE
THROWS = [Roll(cubes=faces) for faces in product((RED, BLUE), repeat=3)]


def opened(seats=2, credits=100, **options) -> History:
    history = History(ENGINE, Table())
    actions = [ChooseGame("sika", options)]
    for seat in range(1, seats + 1):
        actions += [JoinSeat(seat, f"Seat {seat}"), BuyIn(seat, credits)]
    return pushed(history, *actions, OpenGame())


def playing(seats=2, **options) -> History:
    """Everybody has called red."""
    history = opened(seats, **options)
    return pushed(history, *(CallColour(seat, RED) for seat in range(1, seats + 1)))


def pushed(history: History, *actions) -> History:
    for action in actions:
        history, _, _ = history.push(action)
    return history


def throw(reds: int) -> RecordRoll:
    return RecordRoll(Roll(cubes=(RED,) * reds + (BLUE,) * (3 - reds)))


def turn(history: History, *reds: int) -> History:
    """One turn; a single number stands for a full turn of equal throws."""
    throws = reds * throws_due(history.table) if len(reds) == 1 else reds
    return pushed(history, *map(throw, throws))


def rounds(history: History, *reds: int) -> History:
    """Three rounds in which the players throw so many reds each time."""
    for _ in range(3):
        for red in reds:
            history = turn(history, red)
    return history


def totals(history: History) -> dict[int, int]:
    return {row.seat: row.total for row in history.table.play.rows}


def test_a_throw_by_the_engine_over_all_eight():
    table = playing().table
    scores = [ENGINE.apply(table, RecordRoll(roll)).table.play.row.total for roll in THROWS]
    assert Counter(scores) == {-3: 1, 2: 3, 4: 3, 6: 1}
    assert Fraction(sum(scores), 8) == Fraction(21, 8)
    assert odds.after_throws(1) == {p: Fraction(n, 8) for p, n in Counter(scores).items()}


def test_blue_scores_what_red_does_not():
    history = pushed(opened(), CallColour(1, BLUE), CallColour(2, RED), throw(0))
    assert totals(history)[1] == 6
    assert pushed(history, throw(3)).table.play.row.total == 3


def test_first_place_ties_by_convolution_of_the_engines_scoring():
    table = playing().table
    one = Counter(ENGINE.apply(table, RecordRoll(r)).table.play.row.total for r in THROWS)
    game = Counter({0: 1})
    for _ in range(9):
        longer = Counter()
        for so_far, ways in game.items():
            for points, n in one.items():
                longer[so_far + points] += ways * n
        game = longer
    chances = {points: Fraction(ways, 8**9) for points, ways in game.items()}
    assert sum(points * share for points, share in chances.items()) == Fraction(189, 8)
    expected = {2: 4.331, 3: 6.800, 4: 8.628, 5: 10.138, 6: 11.462}
    for players, percent in expected.items():
        alone = sum(
            share * sum(s for p, s in chances.items() if p < points) ** (players - 1)
            for points, share in chances.items()
        )
        assert odds.tie_chance(players) == 1 - players * alone
        assert float(100 * odds.tie_chance(players)) == pytest.approx(percent, abs=5e-4)


def test_three_rounds_of_three_throws_then_the_highest_total_wins():
    history = rounds(playing(seats=3), 1, 2)
    assert history.table.play.ended is None
    history = rounds(playing(seats=3), 1, 2, 0)
    assert totals(history) == {1: 18, 2: 36, 3: -27}
    assert (history.table.play.ended, history.table.play.winner) == (End.MOST_POINTS, 2)
    assert [history.table.credits(seat) for seat in (1, 2, 3)] == [95, 110, 95]


def test_tied_players_alone_play_a_turn_each_until_the_tie_is_broken():
    history = rounds(playing(seats=3), 2, 1, 2)
    play = history.table.play
    assert (play.round_no, play.row.seat, throws_due(history.table)) == (4, 1, 3)
    history = turn(turn(history, 1), 1)
    assert (history.table.play.round_no, history.table.play.row.seat) == (5, 1)
    history = turn(turn(history, 1), 3)
    assert (history.table.play.ended, history.table.play.winner) == (End.TIE_BROKEN, 3)


def test_everyone_plays_another_round_and_may_overtake():
    history = rounds(playing(seats=3, tie_break="everyone_round"), 2, 2, 1)
    history = turn(history, 0)
    assert history.table.play.row.seat == 2
    history = turn(history, 0)
    assert history.table.play.row.seat == 3
    history = turn(history, 3)
    assert totals(history) == {1: 27, 2: 27, 3: 36}
    assert (history.table.play.ended, history.table.play.winner) == (End.TIE_BROKEN, 3)


def test_tied_players_throw_once_each():
    history = rounds(playing(seats=3, tie_break="tied_throw"), 2, 1, 2)
    assert throws_due(history.table) == 1
    history = pushed(history, throw(1), throw(1), throw(2), throw(3))
    assert (history.table.play.ended, history.table.play.winner) == (End.TIE_BROKEN, 3)


def test_the_cubes_are_due_only_when_all_have_called():
    history = pushed(opened(), CallColour(1, RED))
    assert ENGINE.expects(history.table) is None
    history = pushed(history, CallColour(1, BLUE), CallColour(2, RED))
    assert ENGINE.expects(history.table) == {"cube": 3}
    assert history.why_not(CallColour(1, RED)).code == "not_now"


def test_calls_before_every_turn_where_the_table_wants_it():
    history = opened(call="per_turn")
    assert history.why_not(CallColour(2, RED)).code == "not_yours"
    history = turn(pushed(history, CallColour(1, RED)), 3)
    assert (history.table.play.row.seat, history.table.play.phase) == (2, Phase.CALLING)
    history = turn(pushed(history, CallColour(2, RED)), 3)
    assert history.table.play.phase is Phase.CALLING
    history = turn(pushed(history, CallColour(1, BLUE)), 3)
    assert totals(history)[1] == 18 - 9


def test_without_an_ante_nothing_moves():
    history = rounds(playing(ante=0), 1, 2)
    assert history.table.play.winner == 2
    assert [history.table.credits(seat) for seat in (1, 2)] == [100, 100]
    assert pushed(history, OpenGame(), VoidGame()).table.balance(POT) == 0


def test_the_scorekeepers_left_begins_every_game():
    history = rounds(playing(seats=3, scorekeeper=1), 1, 1, 2)
    assert [row.seat for row in history.table.play.rows] == [2, 3, 1]
    assert pushed(history, OpenGame()).table.play.row.seat == 2


def test_void_returns_the_antes_of_those_still_playing():
    history = pushed(playing(seats=3), throw(3), Retire(1), VoidGame())
    assert [history.table.credits(seat) for seat in (1, 2, 3)] == [95, 100, 100]
    assert (history.table.balance(POT), history.table.play.ended) == (5, End.VOID)


def test_a_skipped_turn_keeps_its_throws_and_passes():
    history = pushed(playing(), throw(3), SkipTurn(1))
    assert (totals(history)[1], history.table.play.row.seat) == (6, 2)


def test_retiring_a_player_who_has_not_called_makes_the_cubes_due():
    history = pushed(opened(seats=3), CallColour(1, RED), CallColour(2, RED), Retire(3))
    assert history.table.play.phase is Phase.THROW
    history = pushed(opened(seats=3), CallColour(2, RED), Retire(1))
    assert history.table.play.phase is Phase.CALLING
    history = pushed(history, CallColour(3, RED))
    assert (history.table.play.phase, history.table.play.row.seat) == (Phase.THROW, 2)


def test_who_is_left_alone_in_the_game_or_in_a_tie_wins():
    history = pushed(playing(seats=3), Retire(2), Retire(1))
    assert (history.table.play.ended, history.table.play.winner) == (End.LAST_PLAYER, 3)
    tied = pushed(rounds(playing(seats=3), 2, 1, 2), Retire(1))
    assert (tied.table.play.ended, tied.table.play.winner) == (End.TIE_BROKEN, 3)
    wide = pushed(rounds(playing(seats=3, tie_break="everyone_round"), 2, 1, 2), Retire(1))
    assert wide.table.play.ended is None


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (CallColour(1, RED), "not_now"),
        (SkipTurn(2), "not_your_turn"),
        (Retire(4), "not_playing"),
        (EndGame(), "not_now"),
        (RecordRoll(Roll(cubes=(RED, BLUE))), "wrong_dice"),
    ],
)
def test_refusals(action, code):
    assert playing().why_not(action).code == code


def test_refusals_while_colours_are_called():
    assert opened().why_not(CallColour(1, Colour.GREEN)).code == "no_such_call"
    assert opened().why_not(CallColour(3, RED)).code == "not_yours"
    assert opened().why_not(SkipTurn(1)).code == "not_now"
    assert opened().why_not(throw(1)).code == "not_now"


def test_correcting_the_last_throw_of_a_game_reopens_it():
    history = rounds(playing(), 1, 2)
    last = pushed(history, CorrectRoll(history.version, Roll(cubes=(BLUE,) * 3)))
    assert last.table.play.winner == 2
    level = rounds(playing(), 2, 2)
    assert level.table.play.round_no == 4
    decided = pushed(level, CorrectRoll(level.version, Roll(cubes=(RED,) * 3)))
    assert (decided.table.play.ended, decided.table.play.winner) == (End.MOST_POINTS, 2)


def lead_by_replay(table: Table) -> Counter:
    """Who is first alone over every way the last throws can fall, by the engine."""
    found: Counter = Counter()
    for roll in THROWS:
        after = ENGINE.apply(table, RecordRoll(roll)).table
        if after.play.ended:
            found[after.play.winner] += Fraction(1, 8)
        elif after.play.round_no > 3:
            found["tie"] += Fraction(1, 8)
        else:
            for who, share in lead_by_replay(after).items():
                found[who] += share / 8
    return found


def test_the_chance_to_win_is_what_the_engine_says_of_every_ending():
    history = pushed(rounds_but_one(playing()), throw(2))
    chances = odds.lead_chances(history.table)
    found = lead_by_replay(history.table)
    assert chances == {seat: found[seat] for seat in (1, 2)}
    assert 1 - sum(chances.values()) == found["tie"] > 0


def rounds_but_one(history: History) -> History:
    """Two rounds and the first player's third turn."""
    for red in (2, 2, 2, 2, 2):
        history = turn(history, red)
    return history


def test_advice_is_for_players_of_the_game_and_can_be_switched_off():
    assert len(odds.hint(playing().table, 1)) == 2
    assert odds.hint(playing().table, 5) == ()
    assert odds.hint(playing(advice=False).table, 1) == ()
    tied = rounds(playing(), 2, 2).table
    assert len(odds.hint(tied, 1)) == 1
