"""A whole game of Point Five and of Sika: station, two phones, the room's screen."""

from __future__ import annotations

import pytest

from companion.auth import Actor, Role
from companion.rules.actions import BuyIn, ChooseGame, JoinSeat, RecordRoll
from companion.rules.dice import Colour, Roll
from companion.rules.point_five import Call
from companion.rules.pot_game import OpenGame
from companion.rules.sika import CallColour

DEALER = Actor(Role.DEALER, None, "dealer")
pytestmark = pytest.mark.browser

SETTLED_MS = 600  # longer than the pages' guard against bouncing fingers


NAMES = [f"Quartermaster Number {n}" for n in range(1, 9)]


def crowded(services, game: str, *actions) -> None:
    """Eight players with long names and large balances."""
    for seat, name in enumerate(NAMES, 1):
        services.service.submit(JoinSeat(seat, name), DEALER)
        services.service.submit(BuyIn(seat, 100_000), DEALER)
    for action in (ChooseGame(game), OpenGame(), *actions):
        services.service.submit(action, DEALER)


def throws(*faces: str) -> list[RecordRoll]:
    return [RecordRoll(Roll.of([face])) for face in faces]


def cubes(reds: int) -> RecordRoll:
    return RecordRoll(Roll.of(cubes=["red"] * reds + ["blue"] * (3 - reds)))


FULL = {
    "point_five": [
        *[move for seat in range(1, 8) for move in (*throws("sun", "eye"), Call(seat))],
        *throws("spike", "flask", "crown", "compass", "eye"),
    ],
    "sika": [
        *[CallColour(seat, Colour.RED) for seat in range(1, 9)],
        *[cubes(n) for _ in range(24) for n in (0, 3, 3)],
        cubes(0),
        cubes(0),
    ],
}


@pytest.mark.parametrize("game", FULL)
def test_eight_players_fit_on_every_screen(game, table, open_page):
    crowded(table.services, game, *FULL[game])
    phone = table.phone_of(8)
    display = open_page("display", f"{table.url}/display")
    for kind, page in (("dealer", table.dealer), ("phone", phone), ("display", display)):
        page.wait_for_selector(".game-board:has-text('Quartermaster')")
        boards = page.query_selector_all(".game-board")
        for board in boards:
            assert board.evaluate("box => box.scrollWidth - box.clientWidth") <= 0, kind
            if kind != "phone":
                assert board.evaluate("box => box.scrollHeight - box.clientHeight") <= 0


def snapshot(table):
    return table.services.service.snapshot()


def press(page, selector: str) -> None:
    page.wait_for_selector(selector)
    page.wait_for_timeout(SETTLED_MS)
    page.click(selector)


def seated(table, game: str, board: str):
    table.choose(game, board)
    table.seat(1, "Nova")
    table.seat(2, "Rook")
    table.key("NumpadAdd")
    return table.phones["Nova"], table.phones["Rook"]


def test_a_whole_game_of_point_five(table, open_page):
    display = open_page("display", f"{table.url}/display")
    nova, rook = seated(table, "point_five", "#point-five")
    table.status("Nova is on turn: throw 1.")
    for face, lit in (("crown", 1), ("eye", 2), ("sun", 3)):
        table.throw(face)
        nova.wait_for_selector(f"#point-five .places.big .lit >> nth={lit - 1}")
    table.dealer.wait_for_selector("#worth:has-text('12')")
    nova.wait_for_selector("#bust:has-text('50 %')")
    display.wait_for_selector("#point-five .places.big .lit >> nth=2")
    assert rook.query_selector("#call") is None
    press(nova, "#call")
    table.status("Rook is on turn: throw 1.")
    nova.wait_for_selector("#my-points:has-text('12')")

    table.throw("sun")
    rook.wait_for_selector("#call:has-text('for 3')")
    table.throw("sun")
    table.status("Nova is on turn: throw 1.")
    rook.wait_for_selector("#point-five .places.big .bust")

    for face in ("spike", "flask", "crown", "compass", "eye", "sun"):
        table.throw(face)
    table.status("Between games.")
    for page in (table.dealer, nova, rook, display):
        page.wait_for_selector("#finished:has-text('Nova wins the pot')")
    table.balance("Nova", 505)
    table.balance("Rook", 495)
    table.key("NumpadAdd")
    table.status("Rook is on turn: throw 1.")


def test_the_station_calls_skips_and_voids_at_point_five(table):
    seated(table, "point_five", "#point-five")
    table.status("Nova is on turn: throw 1.")
    table.throw("sun")
    table.status("Nova calls for 3, or throws again.")
    table.key("NumpadAdd")
    table.status("Rook is on turn: throw 1.")
    press(table.dealer, "#seldom summary")
    table.dealer.click("#seldom button:has-text('Skip the turn')")
    table.status("Nova is on turn: throw 1.")
    table.ready()
    table.dealer.keyboard.down("NumpadAdd")
    table.status("Between games.")
    table.dealer.keyboard.up("NumpadAdd")
    table.balance("Nova", 500)


def test_a_whole_game_of_sika(table, open_page):
    display = open_page("display", f"{table.url}/display")
    nova, rook = seated(table, "sika", "#sika")
    press(nova, "#sika [data-call=red]")
    table.dealer.wait_for_selector("#row-2 [data-call=blue]")
    press(table.dealer, "#row-2 [data-call=blue]")
    table.status("Nova is on turn: throw 1 of 3.")

    throws = [("red", "red", "blue"), ("blue", "blue", "blue"), ("red", "blue", "blue")]
    for turn in range(5):
        for faces in throws:
            table.throw(*faces)
        table.status("Nova is on turn" if turn % 2 else "Rook is on turn")
    table.throw(*throws[0])
    rook.wait_for_selector("#sika .board-head:has-text('Throw 2 of 3')")
    display.wait_for_selector("#row-1 .total:has-text('9')")
    for faces in throws[1:]:
        table.throw(*faces)

    # red: 4 - 3 + 2 = 3 a turn; blue: 2 + 6 + 4 = 12
    for page in (table.dealer, nova, rook, display):
        page.wait_for_selector("#finished:has-text('Rook wins')")
    assert nova.inner_text("#my-total") == "9"
    assert rook.inner_text("#my-total") == "36"
    table.balance("Nova", 495)
    table.balance("Rook", 505)
