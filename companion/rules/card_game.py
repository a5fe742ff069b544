"""What both card games share: antes, the betting, the showdown and its pots.

A game derives from ``CardGame`` and says what comes between: which phases a
hand goes through and what seats do with their cards.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from . import betting, cards
from .actions import Action, EndGame, RecordRoll
from .betting import FOLD, MOVES, AllIn, Bet, CallBet, Check, Fold, Limits, RaiseBet
from .card_actions import (
    BlindDraw,
    DealCards,
    EnterHand,
    KeepHidden,
    Muck,
    OpenHand,
    RevealHands,
    Stand,
    VoidHand,
)
from .card_moves import (
    clockwise,
    entered,
    give_up,
    move_line,
    staked,
    then,
    why_not_drawn,
    why_not_free,
    why_not_staying,
    why_not_together,
    why_not_turn,
)
from .card_payout import settle, take_all, void
from .card_state import (
    NOT_NOW,
    Due,
    End,
    Phase,
    Piles,
    Play,
    Shown,
    on_turn,
    stacks_of,
    staying,
    yet_to_draw,
)
from .cards import CardError, Hand
from .dice import SPIKE_KIND, Expect, Roll
from .errors import Refusal
from .model import Ask, Line, Offer, Step, Table
from .options import Toggle
from .showdown import Showdown
from .transfers import HAND_POT, Account, Transfer, seat_account
from .words import key

DICE = 2
DEALT = 2  # cards each seat begins with
FEWEST_SEATS = 2

SHARED_PHASES: Mapping[str, tuple[Phase, ...]] = {
    OpenHand.kind: (Phase.IDLE,),
    EndGame.kind: (Phase.IDLE,),
    DealCards.kind: (Phase.DEAL,),
    **{move.kind: (Phase.BETTING,) for move in MOVES},
    RecordRoll.kind: (Phase.DICE,),
    EnterHand.kind: (Phase.SHOWDOWN, Phase.LAST_SEAT),
    Muck.kind: (Phase.SHOWDOWN,),
    RevealHands.kind: (Phase.SHOWDOWN, Phase.LAST_SEAT),
    KeepHidden.kind: (Phase.LAST_SEAT,),
    BlindDraw.kind: (Phase.BLIND_DRAW,),
    VoidHand.kind: tuple(phase for phase in Phase if phase is not Phase.IDLE),
}


_TWO_EACH = key("{seat} deals: two cards each.")  # inside the class ``key`` is the game's own


class CardGame(ABC):
    """The shared half of a card game's rules. ``phases``: when each action may be done."""

    key: str
    title: str
    toggles: tuple[Toggle, ...]
    version = 1
    phases: Mapping[str, tuple[Phase, ...]]
    fold_word = FOLD
    deal_text = _TWO_EACH

    @property
    def ends(self) -> type[StrEnum]:
        """Every way a hand can end."""
        return End

    # What a game decides for itself.

    @abstractmethod
    def antes(self, options: Mapping[str, Any]) -> Mapping[Account, int]:
        """Credits each seat pays into each pot for a hand."""

    @abstractmethod
    def limits(self, options: Mapping[str, Any]) -> Limits:
        """What bets and raises are allowed."""

    @abstractmethod
    def compare(self, hands: Sequence[Hand], options: Mapping[str, Any]) -> Showdown:
        """Who wins among hands."""

    @abstractmethod
    def after_deal(self, table: Table, play: Play) -> Step:
        """What follows the first cards."""

    @abstractmethod
    def after_betting(self, table: Table, play: Play) -> Step:
        """What follows a betting round that left several seats."""

    @abstractmethod
    def rolled(self, table: Table, roll: Roll) -> Step:
        """What the dice do."""

    @abstractmethod
    def own_why_not(self, table: Table, action: Action) -> Refusal | None:
        """Why an action of this game alone is refused in its right phase."""

    @abstractmethod
    def own_apply(self, table: Table, action: Action) -> Step:
        """Do an action of this game alone."""

    @abstractmethod
    def own_dealer_offers(self, table: Table) -> Iterator[Offer]:
        """The dealer's buttons of this game alone."""

    @abstractmethod
    def own_turn_offers(self, table: Table, seat: int) -> Iterator[Offer]:
        """What the seat on turn may do with its cards."""

    @abstractmethod
    def own_status(self, table: Table) -> Line:
        """The phase in a sentence, where it is this game's own."""

    def cannot_show(self, play: Play, seat: int) -> Refusal | None:
        """Why a seat's hand cannot be shown yet."""
        return None

    # What the table's engine asks of every game.

    def new(self, table: Table) -> Play:
        """No hand played yet. A Sabacc pot left from before stays on the table."""
        return Play()

    def expects(self, table: Table) -> Expect | None:
        """Two Spike dice in the dice phase."""
        return {SPIKE_KIND: DICE} if table.play.phase is Phase.DICE else None

    def in_play(self, table: Table, seat: int) -> bool:
        """Whether a seat was dealt into the present hand; folded seats stay bound to its end."""
        return any(stack.seat == seat for stack in stacks_of(table.play))

    def ended(self, table: Table) -> StrEnum | None:
        """How the last hand ended; None before the first and during one."""
        play: Play = table.play
        return play.outcome.end if play.outcome else None

    def status(self, table: Table) -> Line:
        """Where the hand stands."""
        play: Play = table.play
        match play.phase:
            case Phase.IDLE:
                return Line("Between hands.")
            case Phase.DEAL:
                return Line(self.deal_text, {"seat": play.button})
            case Phase.BETTING:
                return Line("Betting: {seat} is to act.", {"seat": on_turn(play)})
            case Phase.SHOWDOWN:
                return Line("Enter the hands, then reveal them.")
            case Phase.LAST_SEAT:
                return Line("{seat} is the last one in: show, or not?", {"seat": staying(play)[0]})
            case Phase.BLIND_DRAW:
                return Line("{seat} draws a card.", {"seat": yet_to_draw(play)[0]})
            case _:
                return self.own_status(table)

    def why_not(self, table: Table, action: Action) -> Refusal | None:
        """Phase first, then the action's own conditions."""
        play: Play = table.play
        phases = self.phases.get(action.kind)
        if phases is None:
            return Refusal(
                "unknown_action",
                "{game} has no {action}.",
                {"game": self.title, "action": action.kind},
            )
        if play.phase not in phases:
            return Refusal("not_now", NOT_NOW[play.phase])
        match action:
            case OpenHand():
                return self._why_not_open(table)
            case Check() | Bet() | CallBet() | RaiseBet() | AllIn() | Fold():
                assert play.betting is not None
                return betting.why_not(play.betting, action)
            case EnterHand(seat=seat, cards=text):
                return self._why_not_hand(play, seat, text)
            case Muck(seat=seat) | KeepHidden(seat=seat):
                return why_not_staying(play, seat)
            case RevealHands():
                return self._why_not_reveal(play)
            case BlindDraw(seat=seat, card=text):
                return why_not_drawn(play, seat, text)
            case DealCards() | VoidHand() | EndGame() | RecordRoll():
                return None
            case Stand(seat=seat):
                return why_not_turn(play, seat)
            case _:
                return self.own_why_not(table, action)

    def apply(self, table: Table, action: Action) -> Step:
        """Do an action that ``why_not`` allows."""
        play: Play = table.play
        match action:
            case OpenHand():
                return self._open(table)
            case DealCards():
                return self._deal(table)
            case Check() | Bet() | CallBet() | RaiseBet() | AllIn() | Fold():
                return self._move(table, action)
            case RecordRoll(roll=roll):
                return self.rolled(table, roll)
            case EnterHand(seat=seat, cards=text):
                return entered(play, seat, cards.parse(text))
            case Muck(seat=seat):
                return give_up(play, seat)
            case KeepHidden(seat=seat):
                return take_all(table, play, seat, End.UNSHOWN, ())
            case RevealHands() if play.phase is Phase.LAST_SEAT:
                return self._show_last(table, staying(play)[0])
            case RevealHands():
                return settle(table, play, self.compare)
            case BlindDraw(seat=seat, card=text):
                return self._draw_blind(table, seat, text)
            case VoidHand():
                return void(play)
            case EndGame():
                return Step(None, (), (Line("{game} ends.", {"game": self.title}),))
            case _:
                return self.own_apply(table, action)

    def legal_actions(self, table: Table, seat: int | None) -> tuple[Offer, ...]:
        """Every button: the dealer's (``seat`` None), who may act for all, or a seat's."""
        if seat is None:
            return tuple(self._dealer_offers(table))
        return tuple(self._seat_offers(table, seat))

    # Opening, betting.

    def _why_not_open(self, table: Table) -> Refusal | None:
        if len(self._players(table)) < FEWEST_SEATS:
            needed = sum(self.antes(table.options).values())
            return Refusal(
                "too_few_players",
                "A hand needs two seats in play with {n} credits each for the antes.",
                {"n": needed},
                "A hand needs two seats in play with {n} credit each for the antes.",
            )
        return None

    def _players(self, table: Table) -> list[int]:
        """Seats that are in and can pay the antes."""
        needed = sum(self.antes(table.options).values())
        return [s.number for s in table.seats if not s.out and table.credits(s.number) >= needed]

    def _open(self, table: Table) -> Step:
        play: Play = table.play
        antes = self.antes(table.options)
        button = clockwise(self._players(table), play.button)[0]
        order = clockwise(self._players(table), button)
        left = {seat: table.credits(seat) - sum(antes.values()) for seat in order}
        dues = tuple(Due(s, account, antes[account]) for s in order for account in antes)
        opened = Play(
            phase=Phase.DEAL,
            hand_no=play.hand_no + 1,
            button=button,
            button_before=play.button,
            stacks=tuple(betting.Stack(seat, left[seat]) for seat in order),
            dues=dues,
            last_roll=play.last_roll,
        )
        moves = tuple(Transfer(seat_account(d.seat), d.account, d.amount, "ante") for d in dues)
        values = {"n": opened.hand_no, "seat": button}
        return Step(opened, moves, (Line("Hand {n}: {seat} deals.", values),))

    def _deal(self, table: Table) -> Step:
        play: Play = table.play
        seats = staying(play)
        held = dict.fromkeys(seats, DEALT)
        dealt = replace(play, held=held, piles=Piles().draw(DEALT * len(seats)), round_no=1)
        return self.after_deal(table, dealt)

    def begin_betting(self, table: Table, play: Play) -> Step:
        """Open a betting round; one in which nobody can stake anything is over at once."""
        opened = betting.open_betting(play.stacks, self.limits(table.options))
        begun = replace(play, phase=Phase.BETTING, betting=opened, to_act=())
        return Step(begun) if opened.turn is not None else self._end_betting(table, begun)

    def _move(self, table: Table, move: betting.Move) -> Step:
        play: Play = table.play
        assert play.betting is not None
        after, amount = betting.apply(play.betting, move)
        moved = replace(play, betting=after)
        if isinstance(move, Fold):
            moved = replace(moved, piles=play.piles.discard(play.held[move.seat]))
        stake = staked(move.seat, amount)
        step = Step(moved, stake, (move_line(move, amount, self.fold_word),))
        return step if after.turn is not None else then(step, self._end_betting(table, moved))

    def _end_betting(self, table: Table, play: Play) -> Step:
        assert play.betting is not None
        stacks, excess = betting.close(play.betting)
        closed = replace(play, stacks=stacks, betting=None)
        step = Step(closed)
        if excess:
            back = Transfer(HAND_POT, seat_account(excess.seat), excess.amount, "uncalled")
            values = {"seat": excess.seat, "amount": excess.amount}
            step = Step(closed, (back,), (Line("{amount} uncalled go back to {seat}.", values),))
        if len(staying(closed)) == 1:
            return then(step, Step(replace(closed, phase=Phase.LAST_SEAT)))
        return then(step, self.after_betting(table, closed))

    # The showdown.

    def _why_not_hand(self, play: Play, seat: int, text: str) -> Refusal | None:
        if refusal := why_not_staying(play, seat) or self.cannot_show(play, seat):
            return refusal
        try:
            hand = cards.parse(text)
        except CardError as fault:
            return fault.refusal
        if len(hand) != play.held[seat]:
            text = key("This seat holds {held} cards, {entered} are entered.")
            return Refusal("wrong_count", text, {"held": play.held[seat], "entered": len(hand)})
        return cards.deck_fault(hand) or why_not_free(play, seat, hand)

    def _why_not_reveal(self, play: Play) -> Refusal | None:
        missing = [seat for seat in staying(play) if seat not in play.hands]
        if missing:
            text = key("The hand of seat {seat} is not entered yet.")
            return Refusal("hands_missing", text, {"seat": missing[0]})
        return why_not_together(play)

    def _show_last(self, table: Table, seat: int) -> Step:
        play: Play = table.play
        shown = self.compare([play.hands[seat]], table.options)
        end = End.SHOWN_SABACC if shown.takes_sabacc_pot else End.SHOWN
        laid = Shown(seat, play.hands[seat], shown.hands[0].name, shown.whys[0])
        return take_all(table, play, seat, end, (laid,))

    def _draw_blind(self, table: Table, seat: int, text: str) -> Step:
        play: Play = table.play
        draws = {**play.draws, seat: (*play.draws.get(seat, ()), *cards.parse(text))}
        drawn = replace(play, draws=draws, piles=play.piles.draw(1))
        line = Line("{seat} draws {card}.", {"seat": seat, "card": text.strip()})
        step = Step(drawn, (), (line,))
        waiting = [other for other in yet_to_draw(play) if other != seat]
        return step if waiting else then(step, settle(table, drawn, self.compare))

    # Buttons.

    def _dealer_offers(self, table: Table) -> Iterator[Offer]:
        play: Play = table.play
        match play.phase:
            case Phase.IDLE:
                if self._why_not_open(table) is None:
                    yield Offer(OpenHand.kind, "Open hand", primary=True)
                return
            case Phase.DEAL:
                yield Offer(DealCards.kind, "Cards are dealt", primary=True)
            case Phase.SHOWDOWN | Phase.LAST_SEAT if self._why_not_reveal(play) is None:
                yield Offer(RevealHands.kind, "Reveal", primary=True)
            case Phase.BLIND_DRAW:
                for seat in yet_to_draw(play):
                    yield Offer(BlindDraw.kind, "Card drawn", {"seat": seat}, (Ask("card"),))
            case _:
                yield from self.own_dealer_offers(table)
        for seat in staying(play):
            yield from self._seat_offers(table, seat)
        yield Offer(VoidHand.kind, "Void hand")

    def _seat_offers(self, table: Table, seat: int) -> Iterator[Offer]:
        play: Play = table.play
        where = {"seat": seat}
        if seat == on_turn(play) and play.betting:
            yield from betting.legal_moves(play.betting, self.fold_word)
        elif seat == on_turn(play):
            yield from self.own_turn_offers(table, seat)
            yield Offer(Stand.kind, "Stand", where, primary=True)
        if play.phase not in (Phase.SHOWDOWN, Phase.LAST_SEAT) or seat not in staying(play):
            return
        if self.cannot_show(play, seat) is None:
            label = key("Change hand") if seat in play.hands else key("Enter hand")
            yield Offer(EnterHand.kind, label, where, (Ask("cards"),))
        if play.phase is Phase.LAST_SEAT:
            yield Offer(KeepHidden.kind, "Take the pot unshown", where)
        else:
            yield Offer(Muck.kind, "Give up", where)
