"""What lies on the Crown & Spike mat, and the most the bank can lose on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from .dice import Colour, Roll, Symbol

DICE = 3
THROWS: tuple[tuple[Symbol, ...], ...] = tuple(combinations_with_replacement(Symbol, DICE))
SPOTS: tuple[str, ...] = tuple(symbol.value for symbol in Symbol)
COLOURS: tuple[str, ...] = (Colour.RED.value, Colour.BLUE.value, Colour.GREEN.value)


class Phase(StrEnum):
    """Where the round stands."""

    IDLE = "idle"
    BETTING = "betting"
    ROLLING = "rolling"
    OFFERS = "offers"  # won symbols wait for take or double-or-nothing
    RERUN = "rerun"  # the pressed runs wait for their throw


class End(StrEnum):
    """How a round ended."""

    NO_WIN = "no_win"  # no symbol bet won; colour bets are paid at once
    TAKEN = "taken"  # every won symbol was taken
    RUNS_LOST = "runs_lost"  # double or nothing left nothing on the mat
    RUN_COMPLETE = "run_complete"  # the last run reached the limit
    CROWN_POT = "crown_pot"  # ... and won the Crown Pot
    VOID = "void"


class Decision(StrEnum):
    """What a player wants done with a won symbol."""

    PRESS = "press"


@dataclass(frozen=True, slots=True)
class Bet:
    """A stake on a symbol or a colour."""

    seat: int
    on: str
    stake: int

    @property
    def is_colour(self) -> bool:
        """Whether the bet is settled by the cubes."""
        return self.on in COLOURS


@dataclass(frozen=True, slots=True)
class Run:
    """A won symbol: the stake and its winnings, still on the mat (a Smuggler's Run)."""

    seat: int
    on: str
    stake: int
    winnings: int
    doublings: int = 0
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """The state of the game. ``antes`` are the seats that paid into the Crown Pot this round."""

    phase: Phase = Phase.IDLE
    round_no: int = 0
    bets: tuple[Bet, ...] = ()
    runs: tuple[Run, ...] = ()
    antes: tuple[int, ...] = ()
    bank_take: int = 0  # net, over this round
    last_roll: Roll | None = None
    ended: End | None = None  # how the round before ended, while none is open


def called_colour(cubes: tuple[Colour, ...]) -> str:
    """The colour two cubes call: their own when they agree, green when they differ."""
    return (cubes[0] if len(set(cubes)) == 1 else Colour.GREEN).value


def odds_for(on: str, options: Mapping[str, Any]) -> Fraction:
    """What a colour pays for each credit staked."""
    text = options["mixed_odds"] if on == Colour.GREEN else options["double_odds"]
    pays, staked = text.split(":")
    return Fraction(int(pays), int(staked))


def colour_payout(bet: Bet, options: Mapping[str, Any]) -> int:
    """Winnings of a colour bet, rounded down to whole credits."""
    return int(bet.stake * odds_for(bet.on, options))


def bank_losses(bets: Iterable[Bet]) -> dict[tuple[Symbol, ...], int]:
    """What the bank pays on the symbol bets at each throw there is.

    Losing stakes do not help to pay: they may still be taken back before bets close.
    """
    staked = dict.fromkeys(Symbol, 0)
    for bet in bets:
        staked[Symbol(bet.on)] += bet.stake
    return {throw: sum(map(staked.__getitem__, throw)) for throw in THROWS}


def colour_loss(bets: Iterable[Bet], called: str, options: Mapping[str, Any]) -> int:
    """What the bank pays on the colour bets when ``called`` comes; losing stakes left out."""
    return sum(colour_payout(bet, options) for bet in bets if bet.on == called)


def worst_case(bets: Iterable[Bet], options: Mapping[str, Any]) -> int:
    """The most the bank can have to pay in one throw, whatever stakes are taken back."""
    placed = tuple(bets)
    symbols = [bet for bet in placed if not bet.is_colour]
    colours = [bet for bet in placed if bet.is_colour]
    by_dice = max(bank_losses(symbols).values())
    by_cubes = max(colour_loss(colours, called, options) for called in COLOURS)
    return by_dice + by_cubes


def worst_rerun(runs: Iterable[Run]) -> int:
    """The most the bank can have to pay on the pressed runs in their next throw.

    Runs that lose do not help to pay: they may still be taken before the throw.
    """
    pressed = [run for run in runs if run.decision is Decision.PRESS]
    return max(_rerun_loss(pressed, throw) for throw in THROWS)


def _rerun_loss(runs: list[Run], throw: tuple[Symbol, ...]) -> int:
    return sum(run.winnings for run in runs if Symbol(run.on) in throw)


def at_risk(run: Run, options: Mapping[str, Any]) -> int:
    """What a run loses to the bank when its symbol does not come."""
    keeps_stake = options["at_risk"] == "winnings_only"
    return run.winnings if keeps_stake else run.stake + run.winnings


def largest_cover(bets: tuple[Bet, ...], on: str, bank: int, options: Mapping[str, Any]) -> int:
    """The largest stake on ``on`` that a bank of ``bank`` credits covers beside ``bets``."""
    symbols = [bet for bet in bets if not bet.is_colour]
    colours = [bet for bet in bets if bet.is_colour]
    losses = bank_losses(symbols)
    called = {colour: colour_loss(colours, colour, options) for colour in COLOURS}
    if on in COLOURS:
        room = bank - max(losses.values()) - called[on]
        odds = odds_for(on, options)  # the largest stake whose rounded payout fits the room
        return max(0, ((room + 1) * odds.denominator - 1) // odds.numerator)
    room = bank - max(called.values())
    symbol = Symbol(on)
    return max(0, min((room - losses[t]) // t.count(symbol) for t in THROWS if symbol in t))
