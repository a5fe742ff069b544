"""A whole game of Point Five and of Sika: station, two phones, the room's screen."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

SETTLED_MS = 600  # longer than the pages' guard against bouncing fingers


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


def test_a_whole_game_of_point_five(table, open_page, picture):
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
    picture(table.dealer, "dealer-point-five")
    picture(nova, "phone-point-five")
    picture(display, "display-point-five")
    press(nova, "#call")
    table.status("Rook is on turn: throw 1.")
    nova.wait_for_selector("#my-points:has-text('12')")

    table.throw("sun")
    rook.wait_for_selector("#call:has-text('for 3')")
    table.throw("sun")
    table.status("Nova is on turn: throw 1.")
    rook.wait_for_selector("#point-five .places.big .bust")
    picture(rook, "phone-point-five-bust")

    for face in ("spike", "flask", "crown", "compass", "eye", "sun"):
        table.throw(face)
    table.status("Between games.")
    for page in (table.dealer, nova, rook, display):
        page.wait_for_selector("#finished:has-text('Nova wins the pot')")
    table.balance("Nova", 505)
    table.balance("Rook", 495)
    picture(table.dealer, "dealer-point-five-won")
    picture(display, "display-point-five-won")
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


def test_a_whole_game_of_sika(table, open_page, picture):
    display = open_page("display", f"{table.url}/display")
    nova, rook = seated(table, "sika", "#sika")
    picture(nova, "phone-sika-calling")
    press(nova, "#sika [data-call=red]")
    table.dealer.wait_for_selector("#row-2 [data-call=blue]")
    picture(table.dealer, "dealer-sika-calling")
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
    picture(table.dealer, "dealer-sika")
    picture(rook, "phone-sika")
    picture(display, "display-sika")
    for faces in throws[1:]:
        table.throw(*faces)

    # red: 4 - 3 + 2 = 3 a turn; blue: 2 + 6 + 4 = 12
    for page in (table.dealer, nova, rook, display):
        page.wait_for_selector("#finished:has-text('Rook wins')")
    assert nova.inner_text("#my-total") == "9"
    assert rook.inner_text("#my-total") == "36"
    table.balance("Nova", 495)
    table.balance("Rook", 505)
    picture(rook, "phone-sika-won")
    picture(display, "display-sika-won")
