"""Ten thousand random legal steps of every dice game, and illegal ones that change nothing.

Hypothesis chooses options, seeds and the places where it undoes, corrects or tries
something that may be refused; it runs from a fixed seed so that a failure repeats.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from companion.games import GAMES
from companion.rules.actions import (
    Action,
    BuyIn,
    CashOut,
    ChooseGame,
    CorrectRoll,
    EndGame,
    FundBank,
    JoinSeat,
    LeaveSeat,
    RecordRoll,
    Redo,
    SitOut,
    Undo,
    from_json,
    to_json,
)
from companion.rules.crown_and_spike import (
    ChangeBet,
    CloseBets,
    OpenRound,
    PlaceBet,
    Press,
    SettleOffers,
    Take,
    TakeBack,
    VoidRound,
    bank_cover,
)
from companion.rules.dice import Colour, Roll, Symbol
from companion.rules.engine import Engine
from companion.rules.errors import RuleError
from companion.rules.history import History
from companion.rules.model import Offer, Table
from companion.rules.options import Toggle
from companion.rules.point_five import Call, ThrowAgain
from companion.rules.pot_game import OpenGame, Retire, SkipTurn, VoidGame
from companion.rules.sika import CallColour
from companion.rules.transfers import FELT, HOUSE, POT, post

ENGINE = Engine(GAMES)
SEATS = (1, 2, 3, 4)
STEPS = 10_000
EXAMPLES = 40
OPENING = STEPS // EXAMPLES  # legal steps every example begins with
AT_ONCE = 10  # legal steps of one rule
CUBES = (Colour.RED, Colour.BLUE)

seats = st.sampled_from((*SEATS, 7))
spots = st.sampled_from([*(symbol.value for symbol in Symbol), "red", "green", "nowhere"])
stakes = st.integers(-1, 80)
rolls = st.builds(
    Roll,
    st.lists(st.sampled_from(list(Symbol)), max_size=3).map(tuple),
    st.lists(st.sampled_from(CUBES), max_size=3).map(tuple),
)
shared = st.one_of(
    st.builds(RecordRoll, rolls),
    st.just(EndGame()),
    st.builds(LeaveSeat, seats),
    st.builds(CashOut, seats, st.integers(0, 200)),
    st.builds(SitOut, seats, st.booleans()),
)
pot_actions = st.one_of(
    shared,
    st.just(OpenGame()),
    st.just(VoidGame()),
    st.builds(SkipTurn, seats),
    st.builds(Retire, seats),
)
ANY: dict[str, st.SearchStrategy[Action]] = {
    "crown_and_spike": st.one_of(
        shared,
        st.sampled_from([OpenRound(), CloseBets(), VoidRound(), SettleOffers(), OpenGame()]),
        st.builds(PlaceBet, seats, spots, stakes),
        st.builds(ChangeBet, seats, spots, stakes),
        st.builds(TakeBack, seats, spots),
        st.builds(Press, seats, spots),
        st.builds(Take, seats, spots),
    ),
    "point_five": st.one_of(
        pot_actions,
        st.builds(Call, seats),
        st.builds(ThrowAgain, seats),
        st.just(OpenRound()),
    ),
    "sika": st.one_of(
        pot_actions,
        st.builds(CallColour, seats, st.sampled_from(list(Colour))),
        st.builds(Call, seats),
    ),
}
RARE = frozenset({"void_round", "void_game", "retire", "skip_turn"})  # or no game would end


def weighted(choices: list[Action], chance: random.Random) -> list[Action]:
    """Mostly what brings the game on: rare actions and buy-ins only now and then."""
    if chance.random() < 0.05:
        return choices
    usual = [c for c in choices if c.kind not in RARE and not isinstance(c, (BuyIn, JoinSeat))]
    rolls_due = [c for c in usual if isinstance(c, RecordRoll)]
    return (rolls_due if chance.random() < 0.4 else usual) or usual or choices


def some_value(toggle: Toggle) -> st.SearchStrategy[Any]:
    if toggle.choices:
        return st.sampled_from(toggle.choices)
    if isinstance(toggle.default, bool):
        return st.booleans()
    assert toggle.least is not None
    return st.sampled_from([toggle.least, min(toggle.least + 2, toggle.most), toggle.default])


def house_rules(key: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({t.name: some_value(t) for t in GAMES[key].toggles})


def filled(offer: Offer, chance: random.Random) -> Action:
    """The offer as an action, what it asks for filled in at random."""
    asked: dict[str, Any] = {}
    for ask in offer.asks:
        wide = (ask.least, ask.most, chance.randint(ask.least, ask.most)) if not ask.choices else ()
        asked[ask.name] = chance.choice(ask.choices or wide)
    return from_json({"kind": offer.kind, **offer.fields, **asked})


class Table4(RuleBasedStateMachine):
    """Four players; every step is checked. Subclasses name the game."""

    key: ClassVar[str]
    legal_steps: ClassVar[int]
    ends: ClassVar[set[str]]

    @initialize(data=st.data())
    def sit_down(self, data: st.DataObject) -> None:
        self.history = History(ENGINE, Table())
        self.tables = [self.history.table]
        self.accounts: dict[str, int] = {}
        self.push(FundBank(300))
        for seat in SEATS:
            self.push(JoinSeat(seat, f"Seat {seat}"))
            self.push(BuyIn(seat, 60))
        self.push(ChooseGame(self.key, data.draw(house_rules(self.key))))
        chance = random.Random(data.draw(st.integers(0, 2**32)))
        self.play_on([chance.getrandbits(20) for _ in range(OPENING)])

    @rule(seeds=st.lists(st.integers(0, 2**20), min_size=AT_ONCE, max_size=AT_ONCE))
    def play_on(self, seeds: list[int]) -> None:
        for seed in seeds:
            chance = random.Random(seed)
            choices = list(self.legal(chance))
            for action in chance.sample(choices, min(3, len(choices))):
                assert self.history.why_not(action) is None, action
            self.push(chance.choice(weighted(choices, chance)))
            type(self).legal_steps += 1

    @rule(data=st.data())
    def try_anything(self, data: st.DataObject) -> None:
        action = data.draw(ANY[self.key])
        before = self.history
        refusal = before.why_not(action)
        if refusal is None:
            assert self.offered(action), f"{action} is allowed but nobody is offered it"
            self.push(action)
            return
        assert refusal.code
        assert refusal.sentence.endswith((".", "!"))
        with pytest.raises(RuleError):
            before.push(action)
        assert self.history.table == self.tables[-1]

    @rule(back=st.integers(1, 6), again=st.booleans())
    def take_back(self, back: int, again: bool) -> None:
        to = self.history.version - back
        if to <= 2 * len(SEATS) + 1:
            return
        before = self.history.table
        self.push(Undo(to))
        assert self.history.table == self.tables[to]
        if again:
            self.push(Redo())
            assert self.history.table == before

    @rule(back=st.integers(0, 8), faces=rolls)
    def correct(self, back: int, faces: Roll) -> None:
        rolled = [d for d in self.history.in_force() if isinstance(d.action, RecordRoll)]
        if back < len(rolled):
            action = CorrectRoll(rolled[-1 - back].no, faces)
            if self.history.why_not(action) is None:
                self.push(action)

    def legal(self, chance: random.Random) -> Iterator[Action]:
        """One action for every offer of the dealer and a seat, the throw due, a buy-in."""
        table = self.history.table
        if table.game is None:
            yield ChooseGame(self.key)
            return
        for who in (None, chance.choice(SEATS)):
            for offer in ENGINE.legal_actions(table, who):
                yield filled(offer, chance)
        expected = ENGINE.expects(table) or {}
        if expected:
            spikes = [chance.choice(list(Symbol)) for _ in range(expected.get("spike", 0))]
            cubes = [chance.choice(CUBES) for _ in range(expected.get("cube", 0))]
            yield RecordRoll(Roll(tuple(spikes), tuple(cubes)))
        seat = chance.choice(SEATS)
        yield BuyIn(seat, 20) if table.seat(seat) else JoinSeat(seat, f"Seat {seat}")

    def offered(self, action: Action) -> bool:
        """Whether some button of the page would do ``action``."""
        if not isinstance(action, tuple(own_actions(self.key))):
            return True  # throws, seats and the end of a game have their own controls
        table, wanted = self.history.table, to_json(action)
        found = [o for who in (None, *SEATS) for o in ENGINE.legal_actions(table, who)]
        return any(fits(offer, wanted) for offer in found)

    def push(self, action: Action) -> None:
        assert from_json(to_json(action)) == action
        self.history, posted, _ = self.history.push(action)
        self.accounts = post(self.accounts, (entry.transfer for entry in posted))
        self.tables.append(self.history.table)
        table = self.history.table
        assert self.accounts == table.accounts
        assert sum(self.accounts.values()) == 0
        assert all(held >= 0 for name, held in self.accounts.items() if name != HOUSE)
        if table.game:
            self.check(table)
            if end := GAMES[table.game].ended(table):
                type(self).ends.add(end)

    def check(self, table: Table) -> None:
        """What must hold of this game after every action."""


def own_actions(key: str) -> Iterator[type[Action]]:
    pot = (OpenGame, VoidGame, SkipTurn, Retire)
    crown = (OpenRound, CloseBets, VoidRound, SettleOffers, PlaceBet, ChangeBet, TakeBack)
    games = {
        "crown_and_spike": (*crown, Press, Take),
        "point_five": (*pot, Call, ThrowAgain),
        "sika": (*pot, CallColour),
    }
    return iter(games[key])


def fits(offer: Offer, wanted: dict[str, Any]) -> bool:
    if offer.kind != wanted["kind"] or any(wanted[k] != v for k, v in offer.fields.items()):
        return False
    return all(
        wanted[ask.name] in ask.choices
        if ask.choices
        else ask.least <= wanted[ask.name] <= ask.most
        for ask in offer.asks
    )


class CrownTable(Table4):
    key, legal_steps, ends = "crown_and_spike", 0, set()

    def check(self, table: Table) -> None:
        lying = sum(bet.stake for bet in table.play.bets)
        lying += sum(run.stake + run.winnings for run in table.play.runs)
        assert table.balance(FELT) == lying
        assert bank_cover(table)[1] >= 0


class PointFiveTable(Table4):
    key, legal_steps, ends = "point_five", 0, set()

    def check(self, table: Table) -> None:
        play = table.play
        if play.phase == "idle":
            assert play.winner is None or table.balance(POT) == 0
            return
        assert table.balance(POT) >= table.options["ante"] * len(play.boards)
        assert not play.board.retired
        assert len(play.playing) >= 2
        shown = play.board.thrown
        assert len(set(shown)) == len(shown)
        assert (play.phase == "throw") >= (not shown)
        assert len(shown) < 6


class SikaTable(Table4):
    key, legal_steps, ends = "sika", 0, set()

    def check(self, table: Table) -> None:
        play = table.play
        if play.phase == "idle":
            assert play.winner is None or table.balance(POT) == 0
            return
        assert table.balance(POT) >= table.options["ante"] * len(play.rows)
        assert not play.row.retired
        assert play.turn in play.field
        assert len(play.thrown) < 3
        assert play.phase == "calling" or play.row.call in CUBES


PROFILE = settings(
    max_examples=EXAMPLES,
    stateful_step_count=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("machine", [CrownTable, PointFiveTable, SikaTable], ids=lambda m: m.key)
def test_random_play_keeps_every_rule(machine):
    machine.legal_steps = 0
    machine.ends = set()
    run_state_machine_as_test(machine, settings=PROFILE)
    assert machine.legal_steps >= STEPS
    assert len(machine.ends) >= 3  # games come to their ends, not only to a standstill
