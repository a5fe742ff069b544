"""Crown & Spike settled: what a throw moves between the mat, the bank, the pot and the seats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .crown_state import Bet, End, Phase, Play, Run, at_risk, called_colour, colour_payout
from .dice import Roll, Symbol
from .model import Line, Step, Table
from .transfers import BANK, CROWN_POT, FELT, Transfer, seat_account


def settle(table: Table, roll: Roll) -> Step:
    """The throw of a round: losing stakes first, then colour wins, then symbol wins."""
    play: Play = table.play
    called = called_colour(roll.cubes) if roll.cubes else ""
    won = [b for b in play.bets if (b.on == called if b.is_colour else roll.count(Symbol(b.on)))]
    lost = [b for b in play.bets if b not in won]
    runs = tuple(
        Run(b.seat, b.on, b.stake, b.stake * roll.count(Symbol(b.on)))
        for b in won
        if not b.is_colour
    )
    moves = [Transfer(FELT, BANK, b.stake, "lost") for b in lost]
    lines = [_line("{seat} loses {amount} on {on}.", b, b.stake) for b in lost]
    for bet in (b for b in won if b.is_colour):
        payout = colour_payout(bet, table.options)
        moves.append(Transfer(BANK, seat_account(bet.seat), payout, "colour_win"))
        moves.append(Transfer(FELT, seat_account(bet.seat), bet.stake, "stake_back"))
        lines.append(_line("{seat} wins {amount} on {on}.", bet, payout))
    for run in runs:
        moves.append(Transfer(BANK, FELT, run.winnings, "win"))
        lines.append(_line("{seat} wins {amount} on {on}.", run, run.winnings))
    after = replace(play, phase=Phase.OFFERS, bets=(), runs=runs, last_roll=roll)
    return Step(after, tuple(moves), tuple(lines))


def settle_runs(table: Table, roll: Roll) -> Step:
    """A Double or Nothing throw: lost runs first, then the doubled ones."""
    play: Play = table.play
    hit = [run for run in play.runs if roll.count(Symbol(run.on))]
    moves: list[Transfer] = []
    lines: list[Line] = []
    for run in (run for run in play.runs if run not in hit):
        risk = at_risk(run, table.options)
        moves.append(Transfer(FELT, BANK, risk, "run_lost"))
        if kept := run.stake + run.winnings - risk:
            moves.append(Transfer(FELT, seat_account(run.seat), kept, "stake_back"))
        lines.append(_line("{seat} loses the run on {on}: {amount}.", run, risk))
    doubled = []
    for run in hit:
        moves.append(Transfer(BANK, FELT, run.winnings, "double"))
        grown = replace(run, winnings=2 * run.winnings, doublings=run.doublings + 1, decision=None)
        lines.append(_line("{seat} doubles to {amount} on {on}.", grown, grown.winnings))
        doubled.append(grown)
    after = replace(play, phase=Phase.OFFERS, runs=tuple(doubled), last_roll=roll)
    return _pay_completed(table, Step(after, tuple(moves), tuple(lines)))


def _pay_completed(table: Table, step: Step) -> Step:
    """Runs at the limit are paid out and share the Crown Pot; odd credits stay in it."""
    play: Play = step.play
    limit = table.options["run_limit"]
    complete = [run for run in play.runs if run.doublings >= limit]
    moves, lines = payments(complete)
    heirs = [r for r in complete if table.options["crown_pot"] != "ante" or r.seat in play.antes]
    pot = table.balance(CROWN_POT)
    share = pot // len(heirs) if heirs and table.options["crown_pot"] != "off" else 0
    for run in heirs if share else ():
        moves.append(Transfer(CROWN_POT, seat_account(run.seat), share, "crown_pot"))
        lines.append(_line("{seat} wins {amount} from the Crown Pot.", run, share))
    rest = tuple(run for run in play.runs if run not in complete)
    return Step(replace(play, runs=rest), (*step.transfers, *moves), (*step.lines, *lines))


def payments(runs: Iterable[Run]) -> tuple[list[Transfer], list[Line]]:
    """Stake and winnings of ``runs`` from the mat to their seats."""
    paid = list(runs)
    moves = [Transfer(FELT, seat_account(r.seat), r.stake + r.winnings, "take") for r in paid]
    lines = [_line("{seat} takes {amount} from {on}.", r, r.stake + r.winnings) for r in paid]
    return moves, lines


def _line(text: str, item: Bet | Run, amount: int) -> Line:
    return Line(text, {"seat": item.seat, "amount": amount, "on": item.on})


def finish(table: Table, step: Step) -> Step:
    """Keep count of the bank's take; when nothing lies on the mat any more, close the round."""
    play: Play = step.play
    taken = sum(_bank_gain(move) for move in step.transfers)
    play = replace(play, bank_take=play.bank_take + taken)
    if play.runs:
        return replace(step, play=play)
    share = 0
    if table.options["crown_pot"] == "bank_share":
        share = max(0, play.bank_take) * int(table.options["crown_share"]) // 100
    moves = (Transfer(BANK, CROWN_POT, share, "crown_share"),) if share else ()
    end = _end(table.play.phase, {move.reason for move in step.transfers})
    idle = Play(round_no=play.round_no, last_roll=play.last_roll, ended=end)
    return Step(idle, (*step.transfers, *moves), step.lines)


def _end(before: Phase, reasons: set[str]) -> End:
    """How a round ended whose last step, begun in phase ``before``, moved credits so."""
    match before:
        case Phase.ROLLING:
            return End.NO_WIN
        case Phase.RERUN if "crown_pot" in reasons:
            return End.CROWN_POT
        case Phase.RERUN:
            return End.RUN_COMPLETE if "take" in reasons else End.RUNS_LOST
        case _:
            return End.TAKEN


def _bank_gain(move: Transfer) -> int:
    return move.amount * ((move.target == BANK) - (move.source == BANK))
