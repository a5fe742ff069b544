"""How a hand ends: the pots, who wins which, and what is paid.

Readings: prices paid for cards are won with the main pot, as the antes are;
the Sabacc pot goes to those who win the main pot; odd credits of a split go
one each to the winners nearest the dealer's left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .betting import Pot, side_pots
from .card_state import End, Outcome, Phase, Play, Shown, dead, staying
from .cards import Hand, written
from .model import Line, Step, Table
from .showdown import Showdown, Tie
from .transfers import HAND_POT, SABACC_POT, Account, Transfer, seat_account
from .yarith_ranks import blind_key

Compare = Callable[[Sequence[Hand], Mapping[str, Any]], Showdown]
Strength = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]  # of the hand, of the blind draws


@dataclass(frozen=True, slots=True)
class Share:
    """Part of a pot."""

    seat: int
    account: Account
    amount: int


def settle(table: Table, play: Play, compare: Compare) -> Step:
    """Pay the pots of a revealed showdown, or ask tied seats to draw where ties draw blind."""
    seats = staying(play)
    shown = compare([play.hands[seat] for seat in seats], table.options)
    strengths = {
        seat: _strength(play, seat, ranked.key)
        for seat, ranked in zip(seats, shown.hands, strict=True)
    }
    pots = side_pots(play.stacks, dead(play))
    winners = [_best(pot.seats, strengths) for pot in pots]
    if tied := _must_draw(winners, compare, table, play):
        return _ask_draw(play, tied)
    takes = {s: r.takes_sabacc_pot for s, r in zip(seats, shown.hands, strict=True)}
    sabacc = table.balance(SABACC_POT) if takes[winners[0][0]] else 0
    shares = [share for pot, won in zip(pots, winners, strict=True) for share in _split(pot, won)]
    shares += _shares(sabacc, winners[0], SABACC_POT)
    open_hands = tuple(
        Shown(seat, play.hands[seat], ranked.name, why)
        for seat, ranked, why in zip(seats, shown.hands, shown.whys, strict=True)
    )
    return finish(play, _end(play, winners, bool(sabacc)), shares, open_hands)


def finish(play: Play, end: End, shares: Iterable[Share], shown: tuple[Shown, ...] = ()) -> Step:
    """Pay ``shares`` and close the hand."""
    paid = [share for share in shares if share.amount]
    moves = [Transfer(s.account, seat_account(s.seat), s.amount, f"win_{s.account}") for s in paid]
    won: dict[int, int] = {}
    for share in paid:
        won[share.seat] = won.get(share.seat, 0) + share.amount
    lines = [*map(_shown_line, shown), *map(_won_line, paid)]
    return Step(idle(play, Outcome(end, won, shown)), tuple(moves), tuple(lines))


def take_all(table: Table, play: Play, seat: int, end: End, shown: tuple[Shown, ...]) -> Step:
    """The last seat takes the hand pot, and the Sabacc pot where ``end`` says so."""
    staked = sum(stack.staked for stack in play.stacks)
    shares = [Share(seat, HAND_POT, dead(play) + staked)]
    if end is End.SHOWN_SABACC:
        shares.append(Share(seat, SABACC_POT, table.balance(SABACC_POT)))
    return finish(play, end, shares, shown)


def void(play: Play) -> Step:
    """Everything back to those who paid it."""
    stacks = play.betting.stacks if play.betting else play.stacks
    dues = [Transfer(d.account, seat_account(d.seat), d.amount, "void") for d in play.dues]
    bets = [Transfer(HAND_POT, seat_account(s.seat), s.staked, "void") for s in stacks if s.staked]
    after = replace(
        idle(play, Outcome(End.VOID)), button=play.button_before, hand_no=play.hand_no - 1
    )
    return Step(after, (*dues, *bets), (Line("The hand is void; everything staked goes back."),))


def idle(play: Play, outcome: Outcome) -> Play:
    """Between hands."""
    return Play(hand_no=play.hand_no, button=play.button, last_roll=play.last_roll, outcome=outcome)


def _strength(play: Play, seat: int, key: tuple[int, ...]) -> Strength:
    return key, tuple(blind_key(card) for card in play.draws.get(seat, ()))


def _best(seats: Sequence[int], strengths: Mapping[int, Strength]) -> tuple[int, ...]:
    best = max(strengths[seat] for seat in seats)
    return tuple(seat for seat in seats if strengths[seat] == best)


def _must_draw(
    winners: Sequence[tuple[int, ...]], compare: Compare, table: Table, play: Play
) -> tuple[int, ...]:
    """The first seats still equal for a pot, where a tie is drawn for and not split."""
    for tied in winners:
        if len(tied) > 1:
            hands = [play.hands[seat] for seat in tied]
            return tied if compare(hands, table.options).tie is Tie.BLIND_DRAW else ()
    return ()


def _ask_draw(play: Play, tied: tuple[int, ...]) -> Step:
    line = Line("The hands are equal to the last: a card is drawn for each.")
    return Step(replace(play, phase=Phase.BLIND_DRAW, drawing=tied), (), (line,))


def _split(pot: Pot, winners: Sequence[int]) -> list[Share]:
    return _shares(pot.amount, winners, HAND_POT)


def _shares(amount: int, winners: Sequence[int], account: Account) -> list[Share]:
    """``winners`` are in order from the dealer's left, so the odd credits fall to the first."""
    each, odd = divmod(amount, len(winners))
    return [Share(seat, account, each + (place < odd)) for place, seat in enumerate(winners)]


def _end(play: Play, winners: Sequence[tuple[int, ...]], sabacc: bool) -> End:
    if play.draws:
        return End.BLIND_DRAW
    if any(len(won) > 1 for won in winners):
        return End.SPLIT
    if len(set(winners)) > 1:
        return End.SIDE_POTS
    return End.BOTH_POTS if sabacc else End.HAND_POT


def _shown_line(shown: Shown) -> Line:
    values = {
        "seat": shown.seat,
        "cards": written(shown.cards),
        "hand": Line(shown.name),
        "why": shown.why,
    }
    return Line("{seat} shows {cards}: {hand}. {why}", values)


def _won_line(share: Share) -> Line:
    values = {"seat": share.seat, "amount": share.amount}
    if share.account == SABACC_POT:
        return Line("{seat} wins {amount} from the Sabacc pot.", values)
    return Line("{seat} wins {amount} from the hand pot.", values)
