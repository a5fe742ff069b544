"""Card games on the stored table: a Sabacc pot and half a hand outlive a restart."""

from companion.auth import Actor, Role, may
from companion.database import Database
from companion.games import GAMES
from companion.hub import Hub
from companion.rules.actions import BuyIn, ChooseGame, JoinSeat
from companion.rules.betting import Bet, Fold
from companion.rules.card_actions import DealCards, EnterHand, KeepHidden, OpenHand, Stand
from companion.rules.engine import Engine
from companion.rules.galaxy_series import LayArray
from companion.table import TableService, audit

DEALER = Actor(Role.DEALER, None, "dealer")
ANN = Actor(Role.PLAYER, 1, "Ann")
HAND = [OpenHand(), DealCards(), LayArray()]


def test_pots_and_an_open_hand_are_there_after_a_restart(tmp_path):
    database = Database.in_folder(tmp_path)
    service = TableService(database, Engine(GAMES), Hub())
    seats = [JoinSeat(1, "Ann"), BuyIn(1, 100), JoinSeat(2, "Bo"), BuyIn(2, 100)]
    first = [*HAND, Stand(2), Stand(1), Bet(2, 10), Fold(1), KeepHidden(2)]
    for action in [*seats, ChooseGame("galaxy_series"), *first, *HAND, Stand(1)]:
        service.submit(action, DEALER)
    table = service.snapshot().table
    database.close()
    again = Database.in_folder(tmp_path)
    assert TableService(again, Engine(GAMES), Hub()).snapshot().table == table
    assert table.balance("sabacc_pot") == 20
    assert audit(again, Engine(GAMES)) == []
    again.close()


def test_a_player_enters_the_own_hand_only():

    assert may(ANN, EnterHand(1, "0 0")) is None
    assert may(ANN, EnterHand(2, "0 0")).code == "not_allowed"
    assert may(ANN, OpenHand()).code == "not_allowed"
