"""Crown & Spike: exact figures through the engine's own apply, and random play."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.games import GAMES
from companion.rules import crown_odds
from companion.rules.actions import (
    BuyIn,
    ChooseGame,
    CorrectRoll,
    FundBank,
    JoinSeat,
    RecordRoll,
    Redo,
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
    largest_stake,
)
from companion.rules.crown_state import THROWS, Bet, worst_case
from companion.rules.dice import Colour, Roll, Symbol
from companion.rules.engine import Engine
from companion.rules.errors import RuleError
from companion.rules.history import History
from companion.rules.model import Table
from companion.rules.transfers import BANK, CROWN_POT, FELT, post

ENGINE = Engine(GAMES)
THREE = [Roll(throw) for throw in product(Symbol, repeat=3)]


def playing(bank=10_000, seats=1, credits=1000, **options) -> History:
    """A table with a round's bets open."""
    history = History(ENGINE, Table())
    actions = [FundBank(bank), ChooseGame("crown_and_spike", options)]
    for seat in range(1, seats + 1):
        actions += [JoinSeat(seat, f"Seat {seat}"), BuyIn(seat, credits)]
    return pushed(history, *actions, OpenRound())


def pushed(history: History, *actions) -> History:
    for action in actions:
        history, _, _ = history.push(action)
    return history


def roll(*spikes, cubes=()) -> RecordRoll:
    return RecordRoll(Roll.of(spikes, cubes))


def settled(history: History, throw: Roll) -> Table:
    history = pushed(history, CloseBets(), RecordRoll(throw))
    if history.table.play.phase == "offers":
        history = pushed(history, SettleOffers())
    return history.table


def test_matches_and_edge_over_all_216_throws():
    history = playing()
    history = pushed(history, PlaceBet(1, "crown", 100))
    nets = Counter(settled(history, throw).credits(1) - 1000 for throw in THREE)
    assert nets == {-100: 125, 100: 75, 200: 15, 300: 1}
    assert Fraction(sum(n * net for net, n in nets.items()), 216 * 100) == Fraction(-17, 216)
    assert list(crown_odds.matches().values()) == [Fraction(n, 216) for n in (125, 75, 15, 1)]
    assert crown_odds.symbol_edge() == Fraction(17, 216)


def test_double_or_nothing_over_all_throws():
    history = pushed(playing(), PlaceBet(1, "sun", 10), CloseBets(), roll("sun", "eye", "eye"))
    history = pushed(history, Press(1, "sun"), SettleOffers())
    after = [pushed(history, RecordRoll(throw)).table for throw in THREE]
    won = [table for table in after if table.play.runs]
    assert len(won) == 91
    assert {table.play.runs[0].winnings for table in won} == {20}
    assert {table.credits(1) for table in after if not table.play.runs} == {990}
    chances = [float(crown_odds.run_chance(k)) for k in range(1, 6)]
    assert chances == pytest.approx([0.4213, 0.1775, 0.0748, 0.0315, 0.01327], abs=5e-5)


def test_winnings_only_returns_the_stake():
    history = pushed(playing(at_risk="winnings_only"), PlaceBet(1, "sun", 10), CloseBets())
    history = pushed(history, roll("sun", "eye", "eye"), Press(1, "sun"), SettleOffers())
    assert pushed(history, roll("eye", "eye", "eye")).table.credits(1) == 1000


def test_equal_stakes_on_all_symbols_never_lose_more_than_half():
    history = pushed(playing(), *(PlaceBet(1, symbol.value, 10) for symbol in Symbol))
    nets = Counter(settled(history, throw).credits(1) - 1000 for throw in THREE)
    assert max(nets) == 0
    assert min(nets) >= -30
    assert nets[0] / 216 == pytest.approx(0.5556, abs=1e-4)


@pytest.mark.parametrize(
    ("on", "edge"),
    [("red", Fraction(1, 16)), ("blue", Fraction(1, 16)), ("green", Fraction(1, 10))],
)
def test_colour_edges(on, edge):
    history = pushed(playing(colour_bets=True), PlaceBet(1, on, 20), CloseBets())
    nets = []
    for cubes in product((Colour.RED, Colour.BLUE), repeat=2):
        throw = RecordRoll(Roll((Symbol.EYE,) * 3, cubes))
        nets.append(pushed(history, throw).table.credits(1) - 1000)
    assert Fraction(-sum(nets), 4 * 20) == edge


def test_colour_payout_is_rounded_down_and_worthless_stakes_are_refused():
    history = playing(colour_bets=True)
    assert history.why_not(PlaceBet(1, "green", 1)).code == "too_small"
    history = pushed(history, PlaceBet(1, "green", 2), CloseBets())
    after = pushed(history, roll("eye", "eye", "eye", cubes=("red", "blue")))
    assert after.table.credits(1) == 1001


def test_a_colour_bet_needs_the_cubes():
    history = pushed(playing(colour_bets=True), PlaceBet(1, "red", 10), CloseBets())
    assert ENGINE.expects(history.table) == {"spike": 3, "cube": 2}
    assert history.why_not(roll("eye", "eye", "eye")).code == "wrong_dice"


def test_the_bank_covers_the_worst_throw_or_the_bet_is_refused_with_the_largest_stake():
    history = playing(bank=90)
    refusal = history.why_not(PlaceBet(1, "crown", 31))
    assert (refusal.code, "30" in refusal.sentence) == ("bank_cover", True)
    history = pushed(history, PlaceBet(1, "crown", 30))
    assert bank_cover(history.table) == (90, 0)
    assert largest_stake(history.table, 1, "crown") == 30
    # three of either cost 90, and so do two of one and one of the other
    assert largest_stake(history.table, 1, "sun") == 30


def test_no_bet_leans_on_a_stake_that_may_be_taken_back():
    history = pushed(playing(bank=29), PlaceBet(1, "eye", 1), PlaceBet(1, "sun", 1))
    assert largest_stake(history.table, 1, "crown") == 9
    history = pushed(history, PlaceBet(1, "crown", 9), TakeBack(1, "eye"), TakeBack(1, "sun"))
    after = pushed(history, CloseBets(), roll("crown", "crown", "crown")).table
    assert after.balance(BANK) == 29 - 27


def test_a_run_the_bank_cannot_cover_is_not_offered():
    history = pushed(playing(bank=30), PlaceBet(1, "crown", 10), CloseBets())
    history = pushed(history, roll("crown", "crown", "crown"))
    assert history.why_not(Press(1, "crown")).code == "bank_cover"
    assert [offer.kind for offer in ENGINE.legal_actions(history.table, 1)] == ["take"]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_complete_run_is_paid_and_takes_the_crown_pot(limit):
    history = playing(crown_pot="ante", crown_ante=7, run_limit=limit, seats=3)
    history = pushed(history, PlaceBet(1, "sun", 1), PlaceBet(2, "eye", 1), CloseBets())
    history = pushed(history, roll("sun", "eye", "crown"))
    for _ in range(limit):
        history = pushed(history, Press(1, "sun"), Press(2, "eye"), SettleOffers())
        history = pushed(history, roll("sun", "eye", "crown"))
    table = history.table
    assert table.play.phase == "idle"
    assert table.credits(1) == 1000 - 7 + 2**limit + 10  # 21 shared by two, the odd one stays
    assert table.balance(CROWN_POT) == 1


def test_bank_share_fills_the_crown_pot_from_the_take_of_the_round():
    history = pushed(playing(crown_pot="bank_share", crown_share=10), PlaceBet(1, "sun", 55))
    table = settled(history, Roll((Symbol.EYE,) * 3))
    assert table.balance(CROWN_POT) == 5
    assert table.balance(BANK) == 10_000 + 50


def test_void_returns_stakes_and_antes():
    history = playing(crown_pot="ante", seats=2)
    history = pushed(history, PlaceBet(1, "sun", 5), CloseBets(), VoidRound())
    assert [history.table.credits(seat) for seat in (1, 2)] == [1000, 1000]


def test_who_cannot_ante_may_bet_but_does_not_win_the_crown_pot():
    history = playing(crown_pot="ante", crown_ante=8, credits=17, run_limit=1)
    history = pushed(history, PlaceBet(1, "sun", 5), CloseBets(), roll("eye", "eye", "eye"))
    history = pushed(history, OpenRound(), PlaceBet(1, "sun", 1), CloseBets())
    assert history.table.play.antes == ()
    history = pushed(history, roll("sun", "eye", "eye"), Press(1, "sun"), SettleOffers())
    table = pushed(history, roll("sun", "eye", "eye")).table
    assert (table.balance(CROWN_POT), table.credits(1)) == (8, 4 + 2)


def test_change_and_take_back():
    history = pushed(playing(), PlaceBet(1, "sun", 5), ChangeBet(1, "sun", 9))
    assert history.table.balance(FELT) == 9
    history = pushed(history, ChangeBet(1, "sun", 2), TakeBack(1, "sun"))
    assert history.table.credits(1) == 1000
    assert history.why_not(PlaceBet(1, "sun", 0)).code == "bad_stake"
    assert history.why_not(CloseBets()).code == "no_bets"


def test_correcting_a_roll_after_payout_pays_the_right_player():
    history = pushed(playing(seats=2), PlaceBet(1, "sun", 10), PlaceBet(2, "eye", 10), CloseBets())
    history = pushed(history, roll("sun", "sun", "crown"), SettleOffers())
    number = history.version - 1
    fixed = pushed(history, CorrectRoll(number, Roll.of(["eye", "eye", "crown"])))
    assert [fixed.table.credits(seat) for seat in (1, 2)] == [990, 1020]
    assert fixed.table.balance(FELT) == 0


def test_a_correction_that_breaks_a_later_action_is_refused_by_name():
    history = pushed(playing(), PlaceBet(1, "sun", 10), CloseBets(), roll("sun", "eye", "eye"))
    number = history.version
    history = pushed(history, Take(1, "sun"))
    refusal = history.why_not(CorrectRoll(number, Roll.of(["eye", "eye", "eye"])))
    assert refusal.code == "later_action"
    assert f"entry {number + 1} (take)" in refusal.sentence


@given(
    st.lists(st.tuples(st.sampled_from(list(Symbol)), st.integers(1, 50)), max_size=8),
    st.sampled_from(list(Symbol)),
    st.integers(0, 300),
)
def test_the_largest_stake_is_exactly_the_largest(laid, on, spare):
    from companion.rules.crown_state import largest_cover

    bets = tuple(Bet(1, symbol.value, stake) for symbol, stake in laid)
    options = {"double_odds": "11:4", "mixed_odds": "4:5"}
    bank = worst_case(bets, options) + spare
    most = largest_cover(bets, on.value, bank, options)
    assert worst_case((*bets, Bet(2, on.value, most)), options) <= bank
    assert worst_case((*bets, Bet(2, on.value, most + 1)), options) > bank
    losses = [sum(throw.count(symbol) * stake for symbol, stake in laid) for throw in THROWS]
    assert worst_case(bets, options) == max(losses)


SPOTS = [*(symbol.value for symbol in Symbol), "red", "blue", "green"]
seats = st.integers(1, 3)
actions = st.one_of(
    st.just(OpenRound()),
    st.builds(PlaceBet, seats, st.sampled_from(SPOTS), st.integers(0, 60)),
    st.builds(ChangeBet, seats, st.sampled_from(SPOTS), st.integers(1, 60)),
    st.builds(TakeBack, seats, st.sampled_from(SPOTS)),
    st.just(CloseBets()),
    st.builds(
        lambda s, c: RecordRoll(Roll(tuple(s), tuple(c))),
        st.lists(st.sampled_from(list(Symbol)[:3]), min_size=3, max_size=3),
        st.one_of(
            st.just([]),
            st.lists(st.sampled_from([Colour.RED, Colour.BLUE]), min_size=2, max_size=2),
        ),
    ),
    st.builds(Press, seats, st.sampled_from(SPOTS[:3])),
    st.builds(Take, seats, st.sampled_from(SPOTS[:3])),
    st.just(SettleOffers()),
    st.just(VoidRound()),
    st.builds(Undo, st.integers(8, 40)),
    st.just(Redo()),
    st.builds(CorrectRoll, st.integers(8, 40), st.builds(Roll, st.just((Symbol.SPIKE,) * 3))),
)
houses = st.fixed_dictionaries(
    {},
    optional={
        "at_risk": st.sampled_from(["stake_and_payout", "winnings_only"]),
        "run_limit": st.integers(1, 3),
        "colour_bets": st.booleans(),
        "crown_pot": st.sampled_from(["off", "ante", "bank_share"]),
    },
)


def offered(history: History, seat: int | None):
    """Every offer as an action, with the least and the most of what it asks for."""
    for offer in ENGINE.legal_actions(history.table, seat):
        for pick in ("least", "most"):
            asked = {ask.name: getattr(ask, pick) for ask in offer.asks}
            yield from_json({"kind": offer.kind, **offer.fields, **asked})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(houses, st.integers(0, 400), st.lists(actions, min_size=40, max_size=80))
def test_random_play_conserves_credits_and_covers_every_bet(options, bank, wanted):
    history = playing(bank=max(bank, 1), seats=3, credits=120, **options)
    tables = [head.table if head else history.start for head in history.heads]
    accounts = dict(history.table.accounts)
    for action in wanted:
        for choice in (None, 1):
            for legal in offered(history, choice):
                assert history.why_not(legal) is None, legal
        before = history.table
        try:
            history, posted, _ = history.push(from_json(to_json(action)))
        except RuleError:
            assert history.table is before
            continue
        if isinstance(action, Undo):
            assert history.table == tables[action.to]
        tables.append(history.table)
        accounts = post(accounts, (entry.transfer for entry in posted))
        table = history.table
        assert accounts == table.accounts
        assert sum(accounts.values()) == 0
        assert bank_cover(table)[1] >= 0
        lying = sum(bet.stake for bet in table.play.bets)
        lying += sum(run.stake + run.winnings for run in table.play.runs)
        assert table.balance(FELT) == lying


def ended(*actions, **options):
    table = pushed(playing(bank=1000, **options), *actions).table
    return ENGINE.game(table).ended(table)


def test_a_round_says_how_it_ended():
    won = (PlaceBet(1, "sun", 8), CloseBets(), roll("sun", "eye", "eye"))
    run = (*won, Press(1, "sun"), SettleOffers())
    assert ended(VoidRound()) == "void"
    assert ended(PlaceBet(1, "sun", 8), CloseBets(), roll("eye", "eye", "eye")) == "no_win"
    assert ended(*won) is None
    assert ended(*won, Take(1, "sun")) == ended(*won, SettleOffers()) == "taken"
    assert ended(*run, roll("eye", "eye", "eye")) == "runs_lost"
    assert ended(*run, roll("sun", "eye", "eye"), run_limit=1) == "run_complete"
    assert ended(*run, roll("sun", "eye", "eye"), run_limit=1, crown_pot="ante") == "crown_pot"
    assert ended(*won, SettleOffers(), OpenRound()) is None


@pytest.mark.parametrize("at_risk", ["stake_and_payout", "winnings_only"])
def test_the_mean_of_double_or_nothing_is_that_of_all_throws(at_risk):
    history = pushed(playing(at_risk=at_risk), PlaceBet(1, "sun", 10), CloseBets())
    history = pushed(history, roll("sun", "sun", "eye"))
    run = history.table.play.runs[0]
    taken = pushed(history, Take(1, "sun")).table.credits(1)
    pressed = pushed(history, Press(1, "sun"), SettleOffers())
    nets = []
    for throw in THREE:
        after = pushed(pressed, RecordRoll(throw))
        if after.table.play.runs:
            after = pushed(after, Take(1, "sun"))
        nets.append(after.table.credits(1) - taken)
    assert Fraction(sum(nets), 216) == crown_odds.press_mean(run, history.table.options)


def test_the_mean_of_a_colour_bet_is_that_of_all_throws_of_the_cubes():
    for on, stake in product(("red", "blue", "green"), (3, 20)):
        history = pushed(playing(colour_bets=True), PlaceBet(1, on, stake), CloseBets())
        throws = product((Colour.RED, Colour.BLUE), repeat=2)
        nets = [
            pushed(history, RecordRoll(Roll((Symbol.EYE,) * 3, cubes))).table.credits(1) - 1000
            for cubes in throws
        ]
        mean = crown_odds.colour_mean(Bet(1, on, stake), history.table.options)
        assert mean == Fraction(sum(nets), 4)


def test_advice_speaks_of_bets_then_of_runs_and_can_be_switched_off():
    history = playing(colour_bets=True)
    assert len(crown_odds.hint(history.table, 1)) == 4
    assert crown_odds.hint(playing(advice=False).table, 1) == ()
    won = pushed(history, PlaceBet(1, "sun", 8), CloseBets())
    won = pushed(won, roll("sun", "eye", "eye", cubes=("red", "red")))
    (line,) = crown_odds.hint(won.table, 1)
    assert line.values["limit"] == 100 * crown_odds.success() ** 5
    assert crown_odds.hint(won.table, 2) == ()
