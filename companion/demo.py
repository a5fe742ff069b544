"""A table that plays from recordings: the same program, with recorded throws as its camera."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from companion.auth import Actor, Role
from companion.rules.actions import Action, BuyIn, ChooseGame, FundBank, JoinSeat
from companion.rules.crown_and_spike import CloseBets, OpenRound, Phase, PlaceBet, SettleOffers
from companion.rules.dice import Symbol
from companion.web.services import WebServices
from vision.reading import TrayState

RECORDING = Path(__file__).parent.parent / "fixtures" / "sessions" / "cantina-felt"
DEALER = Actor(Role.DEALER, None, "dealer")
PLAYERS = (("Nova", "teal"), ("Rook", "amber"))
BANK, BUY_IN = 5000, 500
PATIENCE_S = 60.0  # for one recorded throw to be read


def set_table(services: WebServices) -> None:
    """Two players, a bank and Crown & Spike, unless the table has been set before."""
    if services.service.version:
        return
    submit = _submitter(services)
    submit(FundBank(BANK))
    for seat, (name, colour) in enumerate(PLAYERS, 1):
        submit(JoinSeat(seat, name, colour))
        submit(BuyIn(seat, BUY_IN))
    submit(ChooseGame("crown_and_spike"))


def play_rounds(services: WebServices, rounds: int, say: Callable[[str], None]) -> list[str]:
    """Play rounds with seeded bets on throws the camera reads; gives the audit's faults."""
    submit = _submitter(services)
    chance = random.Random(1977)
    for _ in range(rounds):
        _await(lambda: services.desk.state().tray is TrayState.EMPTY, "the tray was not cleared")
        submit(OpenRound())
        for seat in (1, 2):
            for symbol in chance.sample(list(Symbol), 2):
                submit(PlaceBet(seat, symbol.value, 10))
        submit(CloseBets())
        _await(lambda: services.desk.expect() is None, "no throw was read")
        play = services.service.snapshot().table.play
        faces = ", ".join(symbol.value for symbol in play.last_roll.spikes)
        if play.phase is Phase.OFFERS:
            submit(SettleOffers())
        table = services.service.snapshot().table
        balances = ", ".join(f"{seat.name} {table.credits(seat.number)}" for seat in table.seats)
        say(f"Round {play.round_no}: {faces}. {balances}, bank {table.balance('bank')}.")
    return services.service.audit()


def _submitter(services: WebServices) -> Callable[[Action], None]:
    def submit(action: Action) -> None:
        services.service.submit(action, DEALER)

    return submit


def _await(done: Callable[[], bool], complaint: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > until:
            raise TimeoutError(f"{complaint} in {PATIENCE_S:.0f} s; the station's page says why")
        time.sleep(0.05)
