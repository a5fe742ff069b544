"""The betting round alone: turns, raises, all-ins, excess and side pots."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.rules.actions import from_json, to_json
from companion.rules.betting import (
    AllIn,
    Bet,
    CallBet,
    Check,
    Fold,
    Limits,
    Pot,
    RaiseBet,
    Stack,
    apply,
    close,
    legal_moves,
    open_betting,
    side_pots,
    why_not,
)
from tests.rules.card_play import naive_pots


def opened(*behind, least=10, step=1, free=False):
    stacks = tuple(Stack(seat, credits) for seat, credits in enumerate(behind, 1))
    return open_betting(stacks, Limits(least, step, free))


def played(betting, *moves):
    for move in moves:
        assert why_not(betting, move) is None, move
        betting, _ = apply(betting, move)
    return betting


def code(betting, move):
    refusal = why_not(betting, move)
    return refusal.code if refusal else None


def test_all_check_and_the_round_is_over():
    betting = played(opened(100, 100), Check(1), Check(2))
    assert betting.turn is None
    assert close(betting)[1] is None
    assert code(betting, Check(1)) == "betting_over"


def test_a_bet_reopens_the_round_to_those_who_checked():
    betting = played(opened(100, 100, 100), Check(1), Bet(2, 10), CallBet(3))
    assert betting.turn == 1
    assert code(betting, Check(1)) == "bet_to_call"
    assert played(betting, Fold(1)).turn is None


def test_a_raise_is_at_least_as_large_as_the_last():
    betting = played(opened(500, 500), Bet(1, 30))
    assert code(betting, RaiseBet(2, 59)) == "too_small"
    betting = played(betting, RaiseBet(2, 80))
    assert code(betting, RaiseBet(1, 129)) == "too_small"
    assert code(betting, RaiseBet(1, 130)) is None
    assert code(betting, RaiseBet(1, 501)) == "not_enough"
    assert code(betting, Bet(1, 50)) == "bet_open"


def test_free_raises_are_any_multiple_of_the_step():
    betting = opened(500, 500, least=2, step=2, free=True)
    assert code(betting, Bet(1, 3)) == "not_a_multiple"
    betting = played(betting, Bet(1, 30))
    assert code(betting, RaiseBet(2, 32)) is None
    assert code(betting, RaiseBet(2, 33)) == "not_a_multiple"


def test_a_short_all_in_must_be_called_but_does_not_reopen_the_raising():
    betting = played(opened(500, 500, 45), Bet(1, 20), CallBet(2), AllIn(3))
    assert betting.level == 45  # 25 more: a full raise, so seat 1 may raise
    assert code(betting, RaiseBet(1, 70)) is None
    betting = played(opened(500, 500, 35), Bet(1, 20), CallBet(2), AllIn(3))
    assert code(betting, RaiseBet(1, 60)) == "raising_closed"
    assert code(betting, AllIn(1)) == "raising_closed"
    assert code(betting, CallBet(1)) is None


def test_two_short_all_ins_together_reopen_the_raising():
    betting = played(opened(500, 32, 44, 500), Bet(1, 20), AllIn(2), AllIn(3), CallBet(4))
    assert betting.level == 44
    assert code(betting, RaiseBet(1, 64)) is None


def test_nobody_raises_against_seats_that_are_all_in():
    betting = played(opened(500, 40), Bet(1, 20), AllIn(2))
    assert code(betting, RaiseBet(1, 80)) == "nobody_to_answer"
    assert [offer.kind for offer in legal_moves(betting)] == ["call_bet", "fold"]


def test_one_seat_with_credits_left_has_nothing_to_decide():
    assert opened(100, 0, 0).turn is None
    assert opened(100, 0, 50).turn == 1


def test_what_nobody_called_goes_back():
    betting = played(opened(500, 40, 500), Bet(1, 100), AllIn(2), Fold(3))
    stacks, excess = close(betting)
    assert (excess.seat, excess.amount) == (1, 60)
    assert [(stack.behind, stack.paid) for stack in stacks] == [(460, 40), (0, 40), (500, 0)]


def test_only_the_seat_in_turn_acts():
    betting = opened(100, 100)
    assert code(betting, Check(2)) == "not_your_turn"
    assert code(betting, CallBet(1)) == "nothing_to_call"
    assert code(betting, RaiseBet(1, 20)) == "nothing_to_raise"


def test_side_pots_of_three_all_ins():
    stacks = (
        Stack(1, 0, paid=20),
        Stack(2, 0, paid=50),
        Stack(3, 10, paid=90),
        Stack(4, 10, paid=90),
        Stack(5, 5, paid=30, folded=True),
    )
    assert side_pots(stacks, dead=15) == (
        Pot(20 * 5 + 15, (1, 2, 3, 4)),
        Pot(30 * 3 + 10, (2, 3, 4)),
        Pot(40 * 2, (3, 4)),
    )


stacks_of = st.lists(
    st.builds(
        lambda paid, folded: Stack(0, 5, paid=paid, folded=folded),
        st.one_of(st.integers(0, 6), st.integers(0, 60)),
        st.booleans(),
    ),
    min_size=1,
    max_size=7,
).filter(lambda stacks: not all(stack.folded for stack in stacks))


@given(stacks_of, st.integers(0, 20))
def test_side_pots_equal_a_count_credit_by_credit(stacks, dead):
    stacks = [replace(stack, seat=seat) for seat, stack in enumerate(stacks, 1)]
    assert side_pots(stacks, dead) == naive_pots(stacks, dead)


def every_move(seat, most):
    yield from (Check(seat), CallBet(seat), AllIn(seat), Fold(seat))
    for amount in range(most + 1):
        yield Bet(seat, amount)
        yield RaiseBet(seat, amount)


def naive_allowed(history, behind, limits, folded, moves):
    """The moves of ``moves`` that seat ``moves[0].seat`` may make, from the round's history alone.

    ``history``: (seat, credits staked) in order; ``behind``: what each seat had at the start.
    """
    seat = moves[0].seat
    bets = dict.fromkeys(behind, 0)
    level, size, when = 0, limits.least, {}
    for who, amount in history:
        bets[who] += amount
        rise = bets[who] - level
        if rise > 0:
            level = bets[who]
            size = size if limits.free_raises else max(size, rise)
        when[who] = level
    rest = behind[seat] - bets[seat]
    owed = level - bets[seat]
    rivals = any(
        behind[other] > bets[other] for other in behind if other != seat and other not in folded
    )
    may_raise = rivals and (seat not in when or level - when[seat] >= size)
    for move in moves:
        match move:
            case Check():
                fine = not owed
            case CallBet():
                fine = owed > 0
            case Fold():
                fine = True
            case AllIn():
                fine = rest <= owed or may_raise
            case Bet(amount=to) | RaiseBet(to=to):
                rise = to - level
                fine = may_raise and isinstance(move, Bet) == (level == 0) and rise >= size
                fine = fine and to <= bets[seat] + rest and rise % limits.step == 0
        if fine:
            yield move


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(0, 30), min_size=2, max_size=6),
    st.sampled_from([Limits(2), Limits(5), Limits(3, 3, True)]),
    st.data(),
)
def test_random_rounds(credits, limits, data):
    """Turn order, legality against the naive reading, conservation, an end."""
    stacks = tuple(Stack(seat, amount) for seat, amount in enumerate(credits, 1))
    behind = {stack.seat: stack.behind for stack in stacks}
    betting = open_betting(stacks, limits)
    history, folded, last = [], set(), len(credits)
    for _ in range(sum(credits) + 2 * len(credits) + 1):
        if betting.turn is None:
            break
        seat = betting.turn
        between = [(last + k) % len(credits) + 1 for k in range(len(credits))]
        for skipped in between[: between.index(seat)]:
            stack = betting.stack(skipped)
            done = stack.folded or not stack.behind
            assert done or (stack.seen is not None and stack.bet == betting.level)
        moves = list(every_move(seat, max(credits)))
        allowed = list(naive_allowed(history, behind, limits, folded, moves))
        assert [move for move in moves if why_not(betting, move) is None] == allowed
        other = seat % len(credits) + 1
        assert code(betting, Fold(other)) == "not_your_turn"
        for offer in legal_moves(betting):
            for pick in ("least", "most"):
                asked = {ask.name: getattr(ask, pick) for ask in offer.asks}
                offered = from_json({"kind": offer.kind, **offer.fields, **asked})
                assert offered in allowed
                assert from_json(to_json(offered)) == offered
        move = data.draw(st.sampled_from(allowed))
        betting, amount = apply(betting, move)
        history.append((seat, amount))
        if isinstance(move, Fold):
            folded.add(seat)
        assert sum(s.behind + s.bet for s in betting.stacks) == sum(credits)
        last = seat
    assert betting.turn is None
    closed, _ = close(betting)
    assert sum(stack.behind + stack.paid for stack in closed) == sum(credits)
    staying = [stack for stack in closed if not stack.folded]
    if len(staying) > 1:
        assert all(s.paid == max(t.paid for t in closed) for s in staying if s.behind)
    paid = sorted((stack.paid for stack in closed), reverse=True)
    assert paid[0] == paid[1]
    assert sum(pot.amount for pot in side_pots(closed)) == sum(paid)


def test_the_house_word_for_folding():
    labels = [offer.label for offer in legal_moves(opened(10, 10), "Junk")]
    assert labels[-1] == "Junk"


@pytest.mark.parametrize("behind", [5, 10, 11])
def test_a_call_takes_at_most_what_is_there(behind):
    _, amount = apply(played(opened(50, behind), Bet(1, 10)), CallBet(2))
    assert amount == min(10, behind)
