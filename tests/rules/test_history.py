"""Undo, redo and corrections over the seating rules alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.actions import BuyIn, CashOut, CorrectRoll, JoinSeat, LeaveSeat, Redo, Undo
from companion.rules.dice import Roll
from companion.rules.engine import Engine
from companion.rules.errors import RuleError
from companion.rules.history import History, Posted
from companion.rules.model import Table
from companion.rules.transfers import HOUSE, post


def opened(*actions):
    history = History(Engine({}), Table())
    ledger: list[Posted] = []
    for action in actions:
        history, posted, _ = history.push(action)
        ledger += posted
    return history, ledger


ANN = (JoinSeat(1, "Ann"), BuyIn(1, 100))


def test_undo_restores_the_exact_table_and_reverses_the_ledger():
    before, _ = opened(*ANN)
    after, ledger = opened(*ANN, CashOut(1, 40), Undo(2))
    assert after.table == before.table
    assert [entry.reverses for entry in ledger] == [None, None, 3]
    assert post({}, (entry.transfer for entry in ledger)) == after.table.accounts


def test_redo_takes_an_undo_back_once():
    history, _ = opened(*ANN, Undo(1), Redo())
    assert history.table.credits(1) == 100
    assert history.why_not(Redo()).code == "nothing_undone"


def test_an_undo_can_itself_be_undone():
    history, _ = opened(*ANN, Undo(1), Undo(2))
    assert history.table.credits(1) == 100


def test_a_new_action_clears_redo():
    history, _ = opened(*ANN, Undo(1), BuyIn(1, 5))
    assert history.why_not(Redo()).code == "nothing_undone"


def test_refusals_change_nothing():
    history, _ = opened(*ANN)
    with pytest.raises(RuleError):
        history.push(CashOut(1, 101))
    with pytest.raises(RuleError):
        history.push(Undo(2))
    assert history.version == 2
    assert history.why_not(CorrectRoll(2, Roll())).code == "no_such_roll"


steps = st.one_of(
    st.builds(BuyIn, st.integers(1, 2), st.integers(1, 50)),
    st.builds(CashOut, st.integers(1, 2), st.integers(1, 50)),
    st.builds(JoinSeat, st.integers(1, 2), st.sampled_from(["Ann", "Bo"])),
    st.builds(LeaveSeat, st.integers(1, 2)),
    st.builds(Undo, st.integers(0, 12)),
    st.just(Redo()),
)


@given(st.lists(steps, max_size=25))
def test_ledger_always_equals_the_table_and_sums_to_zero(actions):
    history = History(Engine({}), Table())
    tables = [history.table]
    accounts: dict[str, int] = {}
    for action in actions:
        if history.why_not(action):
            continue
        history, posted, _ = history.push(action)
        accounts = post(accounts, (entry.transfer for entry in posted))
        if isinstance(action, Undo):
            assert history.table == tables[action.to]
        tables.append(history.table)
        assert accounts == history.table.accounts
        assert sum(accounts.values()) == 0
        assert accounts.get(HOUSE, 0) <= 0
