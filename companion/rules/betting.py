"""A no-limit betting round as a machine of its own, and the side pots it leads to.

Table stakes: a seat bets what it had before it when the hand opened, never more.
Readings of the usual no-limit rules:

- a raise is at least as large as the last full bet or raise of the round, or,
  where ``free_raises``, any multiple of the step;
- a seat that is short may always stake all it has. An all-in raise below the
  least raise must be called by the others, but reopens the raising to a seat
  that has acted only once the level stands a full raise above where it acted;
- nobody may raise when no one else could answer;
- what the highest bettor staked beyond the second highest goes back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from .actions import Action, action
from .errors import Refusal
from .model import Ask, Offer
from .words import key


@action("check")
@dataclass(frozen=True)
class Check(Action):
    """Stay in without staking; only while nothing is to be called."""

    by_player: ClassVar[bool] = True
    seat: int


@action("bet")
@dataclass(frozen=True)
class Bet(Action):
    """Open the round's betting with ``amount`` credits."""

    by_player: ClassVar[bool] = True
    seat: int
    amount: int


@action("call_bet")
@dataclass(frozen=True)
class CallBet(Action):
    """Match the level, or go all-in where that takes more than the seat has."""

    by_player: ClassVar[bool] = True
    seat: int


@action("raise_bet")
@dataclass(frozen=True)
class RaiseBet(Action):
    """Raise the level *to* ``to`` credits a seat in this round."""

    by_player: ClassVar[bool] = True
    seat: int
    to: int


@action("all_in")
@dataclass(frozen=True)
class AllIn(Action):
    """Stake everything the seat has before it."""

    by_player: ClassVar[bool] = True
    seat: int


@action("fold")
@dataclass(frozen=True)
class Fold(Action):
    """Give the hand up with everything staked on it."""

    by_player: ClassVar[bool] = True
    seat: int


Move = Check | Bet | CallBet | RaiseBet | AllIn | Fold
MOVES = (Check, Bet, CallBet, RaiseBet, AllIn, Fold)
FOLD = key("Fold")


@dataclass(frozen=True, slots=True)
class Limits:
    """``least``: the smallest opening bet; ``step``: bets and raises are multiples of it."""

    least: int
    step: int = 1
    free_raises: bool = False


@dataclass(frozen=True, slots=True)
class Stack:
    """One seat's credits in a hand."""

    seat: int
    behind: int  # may still be staked in this hand
    paid: int = 0  # staked in finished betting rounds
    bet: int = 0  # staked in the present one
    seen: int | None = None  # the level when the seat last acted in this round
    folded: bool = False

    @property
    def staked(self) -> int:
        """Credits staked in the hand so far."""
        return self.paid + self.bet


Stacks = tuple[Stack, ...]


@dataclass(frozen=True, slots=True)
class Betting:
    """A betting round. ``stacks`` in turn order, the first to act first; ``turn`` None: over."""

    stacks: Stacks
    limits: Limits
    level: int = 0  # what a seat must have staked in this round to stay in
    last_raise: int = 0  # size of the last full bet or raise
    turn: int | None = None

    def stack(self, seat: int) -> Stack:
        """The stack of a seat in the hand."""
        return next(stack for stack in self.stacks if stack.seat == seat)


@dataclass(frozen=True, slots=True)
class Pot:
    """A main or side pot and the seats that may win it."""

    amount: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Excess:
    """Credits nobody called, going back to ``seat``."""

    seat: int
    amount: int


def open_betting(stacks: Stacks, limits: Limits) -> Betting:
    """A new round; over at once when fewer than two seats could stake anything."""
    fresh = Betting(stacks, limits, last_raise=limits.least)
    return replace(fresh, turn=_next_turn(fresh, len(stacks) - 1))


def why_not(betting: Betting, move: Move) -> Refusal | None:
    """Why a move is refused; None when ``apply`` will make it."""
    if betting.turn is None:
        return Refusal("betting_over", "The betting is over.")
    if move.seat != betting.turn:
        return Refusal("not_your_turn", "Seat {seat} is to act.", {"seat": betting.turn})
    owed = to_call(betting, move.seat)
    match move:
        case Fold():
            return None
        case Check():
            return (
                Refusal(
                    "bet_to_call",
                    "{n} credits are to be called.",
                    {"n": owed},
                    "{n} credit is to be called.",
                )
                if owed
                else None
            )
        case CallBet():
            return None if owed else Refusal("nothing_to_call", "There is nothing to call; check.")
        case AllIn():
            return None if betting.stack(move.seat).behind <= owed else _closed(betting, move.seat)
        case Bet():
            return _why_not_bet(betting, move)
        case RaiseBet():
            return _why_not_raise(betting, move)


def apply(betting: Betting, move: Move) -> tuple[Betting, int]:
    """The round after an allowed move, and the credits it stakes."""
    stack = betting.stack(move.seat)
    amount = _staked_by(betting, stack, move)
    grown = replace(
        stack,
        behind=stack.behind - amount,
        bet=stack.bet + amount,
        folded=isinstance(move, Fold),
    )
    level = max(betting.level, grown.bet)
    rise = level - betting.level
    seen = replace(grown, seen=level)
    after = replace(
        betting,
        stacks=tuple(seen if other is stack else other for other in betting.stacks),
        level=level,
        last_raise=_full_raise(betting, rise),
    )
    return replace(after, turn=_next_turn(after, betting.stacks.index(stack))), amount


def legal_moves(betting: Betting, fold: str = FOLD) -> Iterator[Offer]:
    """What the seat in turn may do; ``fold`` is the house's word for it."""
    seat = betting.turn
    if seat is None:
        return
    where = {"seat": seat}
    stack, owed = betting.stack(seat), to_call(betting, seat)
    if owed:
        label = key("Call") if owed < stack.behind else key("All in")
        yield Offer(CallBet.kind, label, where)  # credits move: never on the one-press button
    else:
        yield Offer(Check.kind, "Check", where, primary=True)
    least, most = raise_range(betting, seat)
    if least <= most:
        step = betting.limits.step
        asked = Ask("to" if betting.level else "amount", least=least, most=most, step=step)
        kind, label = (RaiseBet.kind, key("Raise to")) if betting.level else (Bet.kind, key("Bet"))
        yield Offer(kind, label, where, (asked,))
    if stack.behind > owed and _closed(betting, seat) is None:
        yield Offer(AllIn.kind, "All in", where)
    yield Offer(Fold.kind, fold, where)


def to_call(betting: Betting, seat: int) -> int:
    """Credits a seat lacks to the level."""
    return betting.level - betting.stack(seat).bet


def raise_range(betting: Betting, seat: int) -> tuple[int, int]:
    """Least and most a seat may raise to (or open with); least > most when it may not."""
    stack, limits = betting.stack(seat), betting.limits
    least = betting.level + _least_raise(betting)
    most = stack.bet + stack.behind
    most -= (most - betting.level) % limits.step
    return (least, most) if _closed(betting, seat) is None else (least, least - 1)


def close(betting: Betting) -> tuple[Stacks, Excess | None]:
    """The stacks after the round, and what nobody called."""
    excess = _excess(betting.stacks)
    return tuple(_settled(stack, excess) for stack in betting.stacks), excess


def live(stacks: Sequence[Stack]) -> tuple[int, ...]:
    """Seats that have not folded, in turn order."""
    return tuple(stack.seat for stack in stacks if not stack.folded)


def side_pots(stacks: Sequence[Stack], dead: int = 0) -> tuple[Pot, ...]:
    """Main pot first. ``dead``: antes and the like, won with the main pot.

    What a folded seat staked above every other goes to the last pot, so that
    nothing is left over.
    """
    levels = sorted({stack.paid for stack in stacks if not stack.folded})
    pots: list[Pot] = []
    below = 0
    for level in levels:
        top = max((stack.paid for stack in stacks), default=0) if level == levels[-1] else level
        amount = sum(min(stack.paid, top) - min(stack.paid, below) for stack in stacks)
        seats = tuple(s.seat for s in stacks if not s.folded and s.paid >= level)
        pots.append(Pot(amount + (dead if not pots else 0), seats))
        below = level
    return tuple(pot for pot in pots if pot.amount)


def _why_not_bet(betting: Betting, move: Bet) -> Refusal | None:
    if betting.level:
        return Refusal("bet_open", "The betting is open; call, raise or fold.")
    return _why_not_level(betting, move.seat, move.amount)


def _why_not_raise(betting: Betting, move: RaiseBet) -> Refusal | None:
    if not betting.level:
        return Refusal("nothing_to_raise", "There is no bet to raise; bet instead.")
    return _why_not_level(betting, move.seat, move.to)


def _why_not_level(betting: Betting, seat: int, level: int) -> Refusal | None:
    if closed := _closed(betting, seat):
        return closed
    stack, step = betting.stack(seat), betting.limits.step
    if level > stack.bet + stack.behind:
        return Refusal(
            "not_enough", "This seat can go to {most} at most.", {"most": stack.bet + stack.behind}
        )
    least = betting.level + _least_raise(betting)
    if level < least:
        return Refusal("too_small", "The least here is {least}, or all in.", {"least": least})
    if (level - betting.level) % step:
        return Refusal("not_a_multiple", "Bets and raises are multiples of {step}.", {"step": step})
    return None


def _closed(betting: Betting, seat: int) -> Refusal | None:
    """Why this seat may only call or fold."""
    others = [s for s in betting.stacks if s.seat != seat and not s.folded and s.behind]
    if not others:
        return Refusal("nobody_to_answer", "Nobody is left who could answer a raise.")
    seen = betting.stack(seat).seen
    if seen is not None and betting.level - seen < betting.last_raise:
        return Refusal("raising_closed", "No full raise since this seat acted: call or fold.")
    return None


def _least_raise(betting: Betting) -> int:
    return betting.limits.least if betting.limits.free_raises else betting.last_raise


def _full_raise(betting: Betting, rise: int) -> int:
    """The size the next raise must have. Short all-ins leave it as it was."""
    if betting.limits.free_raises:
        return betting.limits.least
    return max(betting.last_raise, rise)


def _staked_by(betting: Betting, stack: Stack, move: Move) -> int:
    match move:
        case Check() | Fold():
            return 0
        case CallBet():
            return min(stack.behind, to_call(betting, stack.seat))
        case AllIn():
            return stack.behind
        case Bet(amount=level) | RaiseBet(to=level):
            return level - stack.bet


def _next_turn(betting: Betting, index: int) -> int | None:
    """The next seat after place ``index`` that has something to decide."""
    stacks = betting.stacks
    if sum(not stack.folded for stack in stacks) < 2:
        return None
    around = (*stacks[index + 1 :], *stacks[: index + 1])
    return next((stack.seat for stack in around if _must_act(betting, stack)), None)


def _must_act(betting: Betting, stack: Stack) -> bool:
    if stack.folded or not stack.behind:
        return False
    if stack.bet < betting.level:
        return True
    others = (s for s in betting.stacks if s is not stack and not s.folded and s.behind)
    return stack.seen is None and any(others)


def _excess(stacks: Stacks) -> Excess | None:
    ordered = sorted(stacks, key=lambda stack: -stack.bet)
    if len(ordered) < 2 or ordered[0].bet == ordered[1].bet:
        return None
    return Excess(ordered[0].seat, ordered[0].bet - ordered[1].bet)


def _settled(stack: Stack, excess: Excess | None) -> Stack:
    back = excess.amount if excess and excess.seat == stack.seat else 0
    return replace(
        stack, behind=stack.behind + back, paid=stack.paid + stack.bet - back, bet=0, seen=None
    )
