"""Point Five: exact figures through the engine's own apply, and every edge of a turn."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import pytest

from companion.games import GAMES
from companion.rules import point_five_odds as odds
from companion.rules.actions import BuyIn, ChooseGame, CorrectRoll, EndGame, JoinSeat, RecordRoll
from companion.rules.dice import Roll, Symbol
from companion.rules.engine import Engine
from companion.rules.history import History
from companion.rules.model import Table
from companion.rules.point_five import Call, End, Outcome, Phase, ThrowAgain
from companion.rules.pot_game import OpenGame, Retire, SkipTurn, VoidGame
from companion.rules.transfers import POT

ENGINE = Engine(GAMES)
FACES = tuple(symbol.value for symbol in Symbol)


def playing(seats=2, credits=100, **options) -> History:
    history = History(ENGINE, Table())
    actions = [ChooseGame("point_five", options)]
    for seat in range(1, seats + 1):
        actions += [JoinSeat(seat, f"Seat {seat}"), BuyIn(seat, credits)]
    return pushed(history, *actions, OpenGame())


def pushed(history: History, *actions) -> History:
    for action in actions:
        history, _, _ = history.push(action)
    return history


def throw(face: str) -> RecordRoll:
    return RecordRoll(Roll.of([face]))


def thrown(history: History, *faces: str) -> History:
    return pushed(history, *map(throw, faces))


def scored(history: History, seat: int, *faces: str) -> History:
    return pushed(thrown(history, *faces), Call(seat))


def points(history: History) -> dict[int, int]:
    return {board.seat: board.points for board in history.table.play.boards}


def outcomes(table: Table, depth: int, chance: Fraction):
    """Every way a turn that is never called can go, by the engine, with its chance."""
    for symbol in Symbol:
        after = ENGINE.apply(table, RecordRoll(Roll((symbol,)))).table
        share = chance / 6
        if after.play.phase is Phase.CHOICE:
            yield from outcomes(after, depth + 1, share)
        else:
            yield after.play.ended is End.SIX_SYMBOLS, depth, share


def test_bust_six_and_length_of_a_turn_that_is_never_called():
    found = list(outcomes(playing().table, 1, Fraction(1)))
    assert sum(share for _, _, share in found) == 1
    assert sum(share for won, _, share in found if won) == Fraction(5, 324) == odds.sixth_chance()
    assert sum(n * share for _, n, share in found) == Fraction(203, 54) == odds.mean_throws()
    reached = {k: sum(share for _, n, share in found if n >= k) for k in range(1, 7)}
    for k in range(1, 7):
        busts = sum(share for won, n, share in found if n == k and not won)
        assert busts / reached[k] == Fraction(k - 1, 6) == odds.bust_chance(k - 1)


def best(table: Table) -> Fraction:
    """Backward induction over the engine itself: what the turn is worth, a win as 100."""
    throws = []
    for symbol in Symbol:
        after = ENGINE.apply(table, RecordRoll(Roll((symbol,)))).table
        if after.play.ended:
            throws.append(Fraction(100))
        elif after.play.phase is Phase.CHOICE:
            called = ENGINE.apply(after, Call(1)).table.play.board_of(1).gained
            throws.append(max(Fraction(called), best(after)))
        else:
            throws.append(Fraction(0))
    return sum(throws, Fraction(0)) / 6


@pytest.mark.parametrize(
    ("scoring", "mean"),
    [("last_throw", Fraction(13745, 2916)), ("cumulative", Fraction(3161, 432))],
)
def test_the_best_single_turn_by_engine_and_by_advice(scoring, mean):
    assert odds.throw_mean((), odds.Turn(scoring)) == mean
    assert best(playing(scoring=scoring).table) == mean


def test_a_call_scores_by_its_last_throw():
    table = playing().table
    for faces in permutations(Symbol, 3):
        after, scores = table, []
        for number, symbol in enumerate(faces):
            after = ENGINE.apply(after, RecordRoll(Roll((symbol,)))).table
            scores.append(ENGINE.apply(after, Call(1)).table.play.board_of(1).points)
            assert number < 3
        first, second, third = (symbol.points for symbol in faces)
        assert scores == [(first + 1) // 2, second, 2 * third]


def test_all_throws_count_where_the_table_adds_them_up():
    history = scored(playing(scoring="cumulative"), 1, "sun", "eye", "compass", "crown", "flask")
    assert points(history)[1] == 3 + 5 + 2 * 4 + 3 * 3 + 4 * 2
    history = scored(playing(), 1, "sun", "eye", "compass", "crown", "flask")
    assert points(history)[1] == 4 * 2


def test_a_second_symbol_busts_keeps_the_points_and_passes_left():
    history = scored(playing(), 1, "sun")
    history = scored(history, 2, "sun")
    history = thrown(history, "crown", "eye", "crown")
    board = history.table.play.board_of(1)
    assert (board.points, board.outcome) == (3, Outcome.BUST)
    assert history.table.play.board.seat == 2
    assert history.table.balance(POT) == 10


def test_the_sixth_symbol_wins_whatever_the_others_have():
    history = scored(playing(seats=3), 1, "sun", "eye")
    history = thrown(history, *FACES)
    assert history.table.play.ended is End.SIX_SYMBOLS
    assert [history.table.credits(seat) for seat in (1, 2, 3)] == [95, 110, 95]
    assert history.table.balance(POT) == 0


def hundred(history: History) -> History:
    """Seat 1 calls for 24 until the next such call reaches the target; seat 2 always busts."""
    for _ in range(4):
        history = scored(history, 1, "spike", "flask", "crown", "compass", "sun")
        history = thrown(history, "eye", "eye")
    return history


def test_a_hundred_wins_at_the_call_not_at_the_throw():
    history = thrown(hundred(playing()), "eye", "sun")
    assert history.table.play.ended is None
    history = pushed(history, Call(1))
    assert (history.table.play.ended, points(history)[1]) == (End.HUNDRED, 102)
    assert history.table.credits(1) == 105


def test_equal_turns_let_the_others_finish_the_round():
    history = scored(hundred(playing(finish="equal_turns")), 1, "eye", "sun")
    assert history.table.play.ended is None
    history = thrown(history, "sun", "sun")
    assert history.table.play.ended is End.MOST_POINTS
    assert history.table.play.winner == 1


def level(history: History) -> History:
    """Both players reach 102 in the same round."""
    for faces in 4 * [("spike", "flask", "crown", "compass", "sun")] + [("eye", "sun")]:
        for seat in (1, 2):
            history = scored(history, seat, *faces)
    return history


def test_a_tie_past_a_hundred_is_played_on_with_equal_turns():
    history = level(playing(finish="equal_turns"))
    assert points(history) == {1: 102, 2: 102}
    assert history.table.play.ended is None
    history = scored(scored(history, 1, "spike"), 2, "crown")
    assert (history.table.play.ended, history.table.play.winner) == (End.MOST_POINTS, 2)


def test_equal_turns_look_again_when_the_last_of_the_round_is_retired():
    history = scored(hundred(playing(seats=2, finish="equal_turns")), 1, "eye", "sun")
    assert pushed(history, SkipTurn(2)).table.play.ended is End.MOST_POINTS
    assert pushed(history, Retire(2)).table.play.ended is End.LAST_PLAYER


def test_the_winners_left_begins_the_next_game_and_void_leaves_that_alone():
    history = thrown(playing(seats=3), *FACES)
    history = pushed(history, OpenGame())
    assert history.table.play.board.seat == 2
    history = pushed(history, VoidGame(), OpenGame())
    assert history.table.play.board.seat == 2


def test_the_scorekeepers_left_begins_the_first_game():
    assert playing(seats=3, scorekeeper=2).table.play.board.seat == 3
    assert playing(seats=3, scorekeeper=3).table.play.board.seat == 1
    assert playing(seats=3).table.play.board.seat == 1


def test_who_cannot_ante_sits_out_and_two_must_be_able():
    history = pushed(playing(seats=2), VoidGame(), JoinSeat(3, "Poor"), BuyIn(3, 4), OpenGame())
    assert [board.seat for board in history.table.play.boards] == [1, 2]
    assert not ENGINE.game(history.table).in_play(history.table, 3)
    alone = pushed(History(ENGINE, Table()), JoinSeat(1, "Ann"), BuyIn(1, 50))
    alone = pushed(alone, ChooseGame("point_five"))
    assert alone.why_not(OpenGame()).code == "too_few_players"


def test_a_retired_ante_stays_in_the_pot_even_when_the_game_is_voided():
    history = pushed(playing(seats=3), Retire(2), VoidGame())
    assert [history.table.credits(seat) for seat in (1, 2, 3)] == [100, 95, 100]
    assert history.table.balance(POT) == 5
    history = thrown(pushed(history, OpenGame()), *FACES)
    assert history.table.credits(1) == 100 + 5 + 2 * 5


def test_retiring_the_player_on_turn_passes_the_die_and_the_last_one_wins():
    history = pushed(thrown(playing(seats=3), "sun"), Retire(1))
    assert (history.table.play.board.seat, history.table.play.phase) == (2, Phase.THROW)
    history = pushed(history, Retire(3))
    assert (history.table.play.ended, history.table.play.winner) == (End.LAST_PLAYER, 2)
    assert history.table.credits(2) == 110


def test_a_skipped_turn_scores_nothing():
    history = pushed(thrown(playing(), "sun"), SkipTurn(1))
    assert (points(history)[1], history.table.play.board.seat) == (0, 2)


def test_throwing_is_the_decision_unless_it_must_be_said():
    plain = thrown(playing(), "sun")
    assert ENGINE.expects(plain.table) == {"spike": 1}
    assert plain.why_not(ThrowAgain(1)).code == "not_asked"
    said = thrown(playing(declare=True), "sun")
    assert ENGINE.expects(said.table) is None
    assert said.why_not(throw("eye")).code == "not_said"
    assert ENGINE.expects(pushed(said, ThrowAgain(1)).table) == {"spike": 1}


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (Call(2), "not_your_turn"),
        (Retire(3), "not_playing"),
        (SkipTurn(2), "not_your_turn"),
        (OpenGame(), "not_now"),
        (EndGame(), "not_now"),
        (RecordRoll(Roll.of(["sun", "eye"])), "wrong_dice"),
    ],
)
def test_refusals(action, code):
    assert thrown(playing(), "sun").why_not(action).code == code


def test_nothing_can_be_called_before_a_throw():
    assert playing().why_not(Call(1)).code == "not_now"


def test_correcting_a_roll_reopens_a_finished_turn_or_game():
    history = thrown(playing(), "sun", "eye", "sun")
    fixed = pushed(history, CorrectRoll(history.version, Roll.of(["crown"])))
    assert (fixed.table.play.board.seat, fixed.table.play.phase) == (1, Phase.CHOICE)
    won = thrown(playing(), *FACES)
    bust = pushed(won, CorrectRoll(won.version, Roll.of(["spike"])))
    assert (bust.table.balance(POT), bust.table.play.ended) == (10, None)
    moved_on = pushed(won, OpenGame())
    refusal = moved_on.why_not(CorrectRoll(won.version, Roll.of(["spike"])))
    assert f"entry {moved_on.version} (open game)" in refusal.sentence


def test_advice_follows_the_house_rules_and_can_be_switched_off():
    low = thrown(playing(), "spike").table
    assert odds.hint(low, 1)[-1].text.startswith("Throw on")
    high = thrown(playing(), "spike", "eye", "sun").table
    assert odds.hint(high, 1)[-1].text.startswith("Call")
    assert odds.hint(low, 2) == odds.hint(thrown(playing(advice=False), "sun").table, 1) == ()


def test_a_winning_call_is_always_the_better_choice():
    turn = odds.Turn("last_throw", 2)
    assert odds.call_value((Symbol.CROWN,), turn) == 100
    assert odds.better_to_call((Symbol.CROWN,), turn)
    later = odds.Turn.of({"scoring": "last_throw", "finish": "equal_turns"}, 98)
    assert odds.call_value((Symbol.CROWN,), later) == 2


def test_every_first_throw_is_a_choice():
    first = Counter(
        ENGINE.apply(playing().table, RecordRoll(Roll(pair))).table.play.phase
        for pair in product(Symbol, repeat=1)
    )
    assert first == {Phase.CHOICE: 6}
