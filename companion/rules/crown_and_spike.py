"""Crown & Spike: bets on six symbols against the bank, settled by three Spike dice.

Mechanics after the rule sheet adapted by Rick Scott (www.gamesofthegalaxy.com).
House readings: a stake may be taken back until bets close, and a pressed run until
the throw, so the bank must cover the winners of every possible throw without the
losers' stakes; a player who cannot pay the Crown Pot's ante may bet but cannot win
that pot this round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .actions import Action, EndGame, RecordRoll
from .crown_actions import (
    TOGGLES,
    ChangeBet,
    CloseBets,
    OpenRound,
    PlaceBet,
    Press,
    SettleOffers,
    Take,
    TakeBack,
    VoidRound,
)
from .crown_settle import finish, payments, settle, settle_runs
from .crown_state import (
    COLOURS,
    DICE,
    SPOTS,
    Bet,
    Decision,
    End,
    Phase,
    Play,
    Run,
    colour_payout,
    largest_cover,
    odds_for,
    worst_case,
    worst_rerun,
)
from .dice import CUBE_KIND, SPIKE_KIND, Expect
from .errors import Refusal
from .model import Ask, Line, Offer, Step, Table
from .options import Toggle
from .transfers import BANK, CROWN_POT, FELT, Transfer, seat_account
from .words import key

__all__ = [
    "CROWN_AND_SPIKE",
    "Bet",
    "ChangeBet",
    "CloseBets",
    "OpenRound",
    "Phase",
    "PlaceBet",
    "Play",
    "Press",
    "Run",
    "SettleOffers",
    "Take",
    "TakeBack",
    "VoidRound",
    "bank_cover",
    "largest_stake",
]


_PHASES: dict[str, tuple[Phase, ...]] = {
    OpenRound.kind: (Phase.IDLE,),
    EndGame.kind: (Phase.IDLE,),
    PlaceBet.kind: (Phase.BETTING,),
    ChangeBet.kind: (Phase.BETTING,),
    TakeBack.kind: (Phase.BETTING,),
    CloseBets.kind: (Phase.BETTING,),
    VoidRound.kind: (Phase.BETTING, Phase.ROLLING),
    RecordRoll.kind: (Phase.ROLLING, Phase.RERUN),
    Press.kind: (Phase.OFFERS,),
    Take.kind: (Phase.OFFERS,),
    SettleOffers.kind: (Phase.OFFERS,),
}

_NOT_NOW = {
    Phase.IDLE: key("No round is open."),
    Phase.BETTING: key("Bets are still open."),
    Phase.ROLLING: key("Bets are closed; the dice are due."),
    Phase.OFFERS: key("Won symbols wait for take or double first."),
    Phase.RERUN: key("A Double or Nothing throw is due."),
}

_STATUS = {
    Phase.IDLE: key("Between rounds."),
    Phase.BETTING: key("Bets are open."),
    Phase.ROLLING: key("Bets are closed, throw the dice."),
    Phase.OFFERS: key("Take, or double or nothing?"),
    Phase.RERUN: key("Double or nothing: throw again."),
}


def bank_cover(table: Table) -> tuple[int, int]:
    """The most the bank can have to pay in the next throw, and what it has beyond that."""
    play: Play = table.play
    if play.phase in (Phase.OFFERS, Phase.RERUN):
        worst = worst_rerun(play.runs)
    else:
        worst = worst_case(play.bets, table.options)
    return worst, table.balance(BANK) - worst


def largest_stake(table: Table, seat: int, on: str) -> int:
    """The largest stake ``seat`` can have on ``on``: its credits and the bank's cover allow it."""
    play: Play = table.play
    others = tuple(bet for bet in play.bets if (bet.seat, bet.on) != (seat, on))
    mine = sum(bet.stake for bet in play.bets) - sum(bet.stake for bet in others)
    cover = largest_cover(others, on, table.balance(BANK), table.options)
    return max(0, min(table.credits(seat) + mine, cover))


class CrownAndSpike:
    """The game as the table's engine knows it."""

    key = "crown_and_spike"
    title = "Crown & Spike"
    toggles: tuple[Toggle, ...] = TOGGLES
    version = 1
    ends = End

    def new(self, table: Table) -> Play:
        """No round open yet."""
        return Play()

    def expects(self, table: Table) -> Expect | None:
        """Three Spike dice, with two cubes when colours are bet on."""
        match table.play.phase:
            case Phase.ROLLING if table.options["colour_bets"]:
                return {SPIKE_KIND: DICE, CUBE_KIND: 2}
            case Phase.ROLLING | Phase.RERUN:
                return {SPIKE_KIND: DICE}
            case _:
                return None

    def status(self, table: Table) -> Line:
        """The phase in a sentence."""
        return Line(_STATUS[table.play.phase])

    def ended(self, table: Table) -> End | None:
        """How the last round ended; None before the first and while one is open."""
        play: Play = table.play
        return play.ended

    def in_play(self, table: Table, seat: int) -> bool:
        """Whether a seat has an ante, a stake or a run in the present round."""
        play: Play = table.play
        if play.phase is Phase.IDLE:
            return False
        seats = {*play.antes, *(bet.seat for bet in play.bets), *(run.seat for run in play.runs)}
        return seat in seats

    def why_not(self, table: Table, action: Action) -> Refusal | None:
        """Phase first, then the action's own conditions."""
        play: Play = table.play
        phases = _PHASES.get(action.kind)
        if phases is None:
            return Refusal(
                "unknown_action", "Crown & Spike has no {action}.", {"action": action.kind}
            )
        if play.phase not in phases:
            return Refusal("not_now", _NOT_NOW[play.phase])
        match action:
            case PlaceBet() | ChangeBet():
                return _why_not_bet(table, action)
            case TakeBack(seat=seat, on=on):
                return _missing(_bet(play, seat, on))
            case CloseBets() if not play.bets:
                return Refusal("no_bets", "Nobody has bet; void the round instead.")
            case Press(seat=seat, on=on):
                return _why_not_press(table, seat, on)
            case Take(seat=seat, on=on):
                return _missing(_run(play, seat, on))
            case _:
                return None

    def apply(self, table: Table, action: Action) -> Step:
        """Do an action that ``why_not`` allows."""
        play: Play = table.play
        match action:
            case OpenRound():
                return _open(table)
            case PlaceBet(seat=seat, on=on, stake=stake):
                return _place(play, Bet(seat, on, stake))
            case ChangeBet(seat=seat, on=on, stake=stake):
                return _change(play, Bet(seat, on, stake))
            case TakeBack(seat=seat, on=on):
                return _take_back(play, seat, on)
            case CloseBets():
                return Step(replace(play, phase=Phase.ROLLING), (), (Line("Bets are closed."),))
            case VoidRound():
                return _void(table)
            case RecordRoll(roll=roll) if play.phase is Phase.ROLLING:
                return finish(table, settle(table, roll))
            case RecordRoll(roll=roll):
                return finish(table, settle_runs(table, roll))
            case Press(seat=seat, on=on):
                return _press(play, seat, on)
            case Take(seat=seat, on=on):
                return finish(table, _take(play, seat, on))
            case SettleOffers():
                return finish(table, _settle_offers(play))
            case _:
                return Step(None, (), (Line("Crown & Spike ends."),))

    def legal_actions(self, table: Table, seat: int | None) -> tuple[Offer, ...]:
        """Every button: the dealer's (``seat`` None) or a seat's."""
        offers = _dealer_offers(table) if seat is None else _seat_offers(table, seat)
        return tuple(offers)


CROWN_AND_SPIKE = CrownAndSpike()


def _bet(play: Play, seat: int, on: str) -> Bet | None:
    return next((bet for bet in play.bets if (bet.seat, bet.on) == (seat, on)), None)


def _run(play: Play, seat: int, on: str) -> Run | None:
    return next((run for run in play.runs if (run.seat, run.on) == (seat, on)), None)


def _missing(found: Bet | Run | None) -> Refusal | None:
    return None if found else Refusal("nothing_there", "This seat has nothing there.")


def _why_not_bet(table: Table, action: PlaceBet | ChangeBet) -> Refusal | None:
    spots = SPOTS + (COLOURS if table.options["colour_bets"] else ())
    seat = table.seat(action.seat)
    if seat is None or seat.out:
        return Refusal("not_playing", "Nobody plays in this seat now.")
    if action.on not in spots:
        return Refusal("no_such_bet", "There is no such bet at this table.")
    laid = _bet(table.play, action.seat, action.on)
    if isinstance(action, PlaceBet) and laid:
        return Refusal("bet_twice", "This seat has a stake there already; change it instead.")
    if isinstance(action, ChangeBet) and not laid:
        return _missing(laid)
    return _why_not_stake(table, action, laid.stake if laid else 0)


def _why_not_stake(table: Table, action: PlaceBet | ChangeBet, laid: int) -> Refusal | None:
    if action.stake < 1:
        return Refusal("bad_stake", "A stake is at least 1 credit.")
    held = table.credits(action.seat) + laid
    if action.stake > held:
        return Refusal(
            "not_enough", "This seat has {n} credits.", {"n": held}, "This seat has {n} credit."
        )
    bet = Bet(action.seat, action.on, action.stake)
    if bet.is_colour and not colour_payout(bet, table.options):
        return Refusal("too_small", "Rounded down to whole credits, this stake would win nothing.")
    most = largest_stake(table, action.seat, action.on)
    if action.stake > most:
        return Refusal("bank_cover", "The bank can cover at most {most} here.", {"most": most})
    return None


def _why_not_press(table: Table, seat: int, on: str) -> Refusal | None:
    run = _run(table.play, seat, on)
    if run is None or run.decision:
        return _missing(run) or Refusal("already", "This run goes double or nothing already.")
    pressed = _decided(table.play.runs, run)
    if worst_rerun(pressed) > table.balance(BANK):
        return Refusal("bank_cover", "The bank cannot cover doubling this; take it instead.")
    return None


def _decided(runs: tuple[Run, ...], run: Run) -> tuple[Run, ...]:
    pressed = replace(run, decision=Decision.PRESS)
    return tuple(pressed if other == run else other for other in runs)


def _open(table: Table) -> Step:
    play: Play = table.play
    number = play.round_no + 1
    antes: tuple[int, ...] = ()
    if table.options["crown_pot"] == "ante":
        ante = table.options["crown_ante"]
        antes = tuple(
            s.number for s in table.seats if not s.out and table.credits(s.number) >= ante
        )
    moves = tuple(
        Transfer(seat_account(seat), CROWN_POT, table.options["crown_ante"], "crown_ante")
        for seat in antes
    )
    fresh = Play(Phase.BETTING, number, antes=antes, last_roll=play.last_roll)
    return Step(fresh, moves, (Line("Round {n}: bets are open.", {"n": number}),))


def _place(play: Play, bet: Bet) -> Step:
    line = Line(
        "{seat} bets {stake} on {on}.", {"seat": bet.seat, "stake": bet.stake, "on": bet.on}
    )
    move = Transfer(seat_account(bet.seat), FELT, bet.stake, "stake")
    return Step(replace(play, bets=(*play.bets, bet)), (move,), (line,))


def _change(play: Play, bet: Bet) -> Step:
    bets = tuple(bet if (b.seat, b.on) == (bet.seat, bet.on) else b for b in play.bets)
    more = bet.stake - next(b.stake for b in play.bets if (b.seat, b.on) == (bet.seat, bet.on))
    own = seat_account(bet.seat)
    moves = {
        1: (Transfer(own, FELT, more, "stake"),) if more > 0 else (),
        -1: (Transfer(FELT, own, -more, "take_back"),) if more < 0 else (),
        0: (),
    }[(more > 0) - (more < 0)]
    values = {"seat": bet.seat, "stake": bet.stake, "on": bet.on}
    line = Line("{seat} changes the bet on {on} to {stake}.", values)
    return Step(replace(play, bets=bets), moves, (line,))


def _take_back(play: Play, seat: int, on: str) -> Step:
    bet = next(b for b in play.bets if (b.seat, b.on) == (seat, on))
    line = Line(
        "{seat} takes {stake} back from {on}.", {"seat": seat, "stake": bet.stake, "on": on}
    )
    move = Transfer(FELT, seat_account(seat), bet.stake, "take_back")
    return Step(replace(play, bets=tuple(b for b in play.bets if b != bet)), (move,), (line,))


def _void(table: Table) -> Step:
    play: Play = table.play
    stakes = [Transfer(FELT, seat_account(b.seat), b.stake, "void") for b in play.bets]
    ante = table.options["crown_ante"]
    antes = [Transfer(CROWN_POT, seat_account(seat), ante, "void") for seat in play.antes]
    idle = Play(round_no=play.round_no, last_roll=play.last_roll, ended=End.VOID)
    return Step(idle, (*stakes, *antes), (Line("The round is void; every stake goes back."),))


def _press(play: Play, seat: int, on: str) -> Step:
    run = next(r for r in play.runs if (r.seat, r.on) == (seat, on))
    line = Line("{seat} goes double or nothing on {on}.", {"seat": seat, "on": on})
    return Step(replace(play, runs=_decided(play.runs, run)), (), (line,))


def _take(play: Play, seat: int, on: str) -> Step:
    run = next(r for r in play.runs if (r.seat, r.on) == (seat, on))
    moves, lines = payments([run])
    rest = tuple(r for r in play.runs if r != run)
    return Step(replace(play, runs=rest), tuple(moves), tuple(lines))


def _settle_offers(play: Play) -> Step:
    pressed = tuple(run for run in play.runs if run.decision)
    moves, lines = payments(run for run in play.runs if not run.decision)
    return Step(replace(play, phase=Phase.RERUN, runs=pressed), tuple(moves), tuple(lines))


def _dealer_offers(table: Table) -> Iterator[Offer]:
    play: Play = table.play
    match play.phase:
        case Phase.IDLE:
            yield Offer(OpenRound.kind, "Open round", primary=True)
        case Phase.BETTING:
            if play.bets:
                yield Offer(CloseBets.kind, "Close bets", primary=True)
            yield Offer(VoidRound.kind, "Void round")
        case Phase.ROLLING:
            yield Offer(VoidRound.kind, "Void round")
        case Phase.OFFERS:
            yield Offer(SettleOffers.kind, "Settle offers", primary=True)
        case Phase.RERUN:
            pass


def _seat_offers(table: Table, seat: int) -> Iterator[Offer]:
    play: Play = table.play
    player = table.seat(seat)
    if player is None:
        return
    if play.phase is Phase.BETTING and not player.out:
        yield from _bet_offers(table, seat)
    if play.phase is Phase.OFFERS:
        for run in play.runs:
            if run.seat == seat:
                yield from _run_offers(table, run)


def _bet_offers(table: Table, seat: int) -> Iterator[Offer]:
    for on in SPOTS + (COLOURS if table.options["colour_bets"] else ()):
        where = {"seat": seat, "on": on}
        laid = _bet(table.play, seat, on)
        least = _least_stake(table, on)
        most = largest_stake(table, seat, on)
        stake = (Ask("stake", least=least, most=most),)
        if laid:
            yield Offer(TakeBack.kind, "Take back", where)
        if most >= least:
            yield (
                Offer(ChangeBet.kind, "Change bet", where, stake)
                if laid
                else Offer(PlaceBet.kind, "Bet", where, stake)
            )


def _least_stake(table: Table, on: str) -> int:
    """The smallest stake that wins at least one whole credit."""
    if on not in COLOURS:
        return 1
    odds = odds_for(on, table.options)
    return -(-odds.denominator // odds.numerator)


def _run_offers(table: Table, run: Run) -> Iterator[Offer]:
    where = {"seat": run.seat, "on": run.on}
    yield Offer(Take.kind, "Take", where)
    if _why_not_press(table, run.seat, run.on) is None:
        yield Offer(Press.kind, "Double or nothing", where)
