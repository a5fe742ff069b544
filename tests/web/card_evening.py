"""Two seats at a card game, played by the dealer: short ways to any moment of a hand."""

from __future__ import annotations

from companion.auth import Actor, Role
from companion.rules.actions import BuyIn, ChooseGame, RecordRoll
from companion.rules.betting import Check
from companion.rules.card_actions import (
    DealCards,
    OpenHand,
    Stand,
)
from companion.rules.card_state import Phase, on_turn
from companion.rules.dice import Roll
from companion.rules.galaxy_series import LayArray
from companion.rules.yarith_bespin import LaySpikes
from companion.web.presenters import galaxy_series, yarith_bespin
from companion.web.presenters.card_table import my_view, view

DEALER = Actor(Role.DEALER, None, "dealer")
GALAXY, YARITH = "galaxy_series", "yarith_bespin"
KINDS = {GALAXY: galaxy_series.KIND, YARITH: yarith_bespin.KIND}
MATCH, DIFFER = RecordRoll(Roll.of(["sun", "sun"])), RecordRoll(Roll.of(["sun", "eye"]))
TWO_SPIKES = RecordRoll(Roll.of(["spike", "spike"]))


class Evening:
    """A table of two seats, played by the dealer."""

    def __init__(self, services):
        self.services = services

    def do(self, *actions):
        for action in actions:
            self.services.service.submit(action, DEALER)

    @property
    def table(self):
        return self.services.service.snapshot().table

    @property
    def play(self):
        return self.table.play

    def open(self, game, *, credits=(500, 500), **options):
        for seat, amount in enumerate(credits, 1):
            self.do(BuyIn(seat, amount))
        self.do(ChooseGame(game, options), OpenHand(), DealCards())

    def pass_round(self):
        """Everyone stands, then checks."""
        while self.play.to_act:
            self.do(Stand(on_turn(self.play)))
        while self.play.phase is Phase.BETTING:
            self.do(Check(on_turn(self.play)))

    def to_showdown(self, game, throw=DIFFER, **options):
        self.open(game, **options)
        if game == GALAXY:
            for before in ((), (), (throw,)):
                self.do(*before, LayArray())
                self.pass_round()
        else:
            self.pass_round()
            self.do(LaySpikes())
            for _ in range(3):
                self.pass_round()
                self.do(throw)

    def view(self, seat=None):
        return view(KINDS[self.table.game], self.table, seat)

    def phone(self, seat):
        game = self.services.service.snapshot().history.engine.game(self.table)
        return my_view(KINDS[game.key], self.table, seat, game.legal_actions(self.table, seat))


def page(client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.get_data(as_text=True)
