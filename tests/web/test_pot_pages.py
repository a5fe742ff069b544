"""Point Five and Sika on the pages: what each screen shows and offers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from companion.auth import Actor, Role
from companion.games import GAMES
from companion.rules.actions import BuyIn, ChooseGame, LeaveSeat, RecordRoll
from companion.rules.dice import Colour, Roll
from companion.rules.point_five import Call
from companion.rules.pot_game import OpenGame, Retire
from companion.rules.sika import CallColour
from companion.web.presenters import point_five, sika
from companion.web.presenters.registry import PAGES
from companion.web.text import fraction

DEALER = Actor(Role.DEALER, None, "dealer")


@pytest.fixture
def play(services, nova, rook):
    """Do actions at a table where Nova and Rook have 100 each."""

    def submit(*actions):
        for action in actions:
            services.service.submit(action, DEALER)
        return services.service.snapshot().table

    submit(BuyIn(1, 100), BuyIn(2, 100))
    return submit


def throw(*faces: str) -> RecordRoll:
    cubes = faces[0] in ("red", "blue")
    return RecordRoll(Roll.of(cubes=faces) if cubes else Roll.of(faces))


def page(client, path: str) -> str:
    answer = client.get(path, headers={"X-Part": "view"})
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


def test_every_game_has_pages():
    assert set(PAGES) == set(GAMES)


def test_point_five_shows_what_is_lit_and_what_a_call_is_worth(play):
    table = play(ChooseGame("point_five"), OpenGame(), throw("crown"), throw("sun"))
    game = point_five.view(table)
    lit = [(place.on, place.throw) for place in game.now.places if place.throw]
    assert lit == [("crown", 1), ("sun", 2)]
    assert (game.worth, game.throw, game.bust) == (6, 3, Fraction(100, 3))
    assert [step.now for step in game.ladder] == [False, True, False, False, False, False]


def test_point_five_marks_the_symbol_that_came_twice(play):
    table = play(ChooseGame("point_five"), OpenGame(), throw("crown"), throw("crown"))
    first = point_five.view(table).boards[0]
    assert [place.on for place in first.places if place.bust] == ["crown"]
    assert (first.outcome, first.on_turn) == ("bust", False)


def test_chances_are_hidden_where_the_table_plays_without_advice(play, nova, viewer):
    play(ChooseGame("point_five", {"advice": False}), OpenGame(), throw("crown"))
    for client, path in ((nova, "/play"), (viewer, "/display")):
        text = page(client, path)
        assert 'id="bust"' not in text
        assert 'id="hints"' not in text


def test_the_api_names_the_player_on_turn(play, viewer):
    play(ChooseGame("point_five"), OpenGame(), throw("crown"))
    status = viewer.get("/api/table").get_json()["status"]
    assert status == "Nova calls for 2, or throws again."


def test_only_the_player_on_turn_is_offered_the_call(play, nova, rook, dealer, services, post):
    play(ChooseGame("point_five"), OpenGame(), throw("crown"))
    assert 'id="call"' in page(nova, "/play")
    assert 'id="call"' not in page(rook, "/play")
    version = services.service.version
    answer = post(rook, "/play/act", kind="call_turn", fields='{"seat": 1}')
    assert (answer.status_code, services.service.version) == (422, version)
    assert post(nova, "/play/act", kind="call_turn", fields='{"seat": 1}').status_code == 200
    assert "Rook is on turn" in page(dealer, "/dealer")


def test_the_station_offers_call_and_throw_again_where_it_must_be_said(play, dealer, nova):
    play(ChooseGame("point_five", {"declare": True}), OpenGame(), throw("crown"))
    text = page(dealer, "/dealer")
    assert "for 2, or throw again" in text
    assert 'value="throw_again"' in text
    assert 'id="again"' in page(nova, "/play")


def test_a_finished_game_shows_the_winner_and_the_chips_owed(play, dealer, viewer):
    play(ChooseGame("point_five"), OpenGame(), Retire(2))
    assert "Nova wins the pot." in page(viewer, "/display")
    text = page(dealer, "/dealer")
    assert "+10" in text
    assert "pot won" in text


def test_sika_lets_a_phone_call_its_own_colour_only(play, nova, rook, dealer, post, services):
    play(ChooseGame("sika"), OpenGame())
    assert page(nova, "/play").count("data-call=") == 2
    assert page(dealer, "/dealer").count("data-call=") == 4
    fields = '{"colour": "red", "seat": 1}'
    assert post(nova, "/play/act", kind="call_colour", fields=fields).status_code == 200
    assert post(rook, "/play/act", kind="call_colour", fields=fields).status_code == 422
    assert services.service.snapshot().table.play.row_of(1).call is Colour.RED


def test_the_slate_shows_every_throw_and_the_ties_as_a_fourth_column(play):
    actions = [CallColour(1, Colour.RED), CallColour(2, Colour.RED)]
    table = play(ChooseGame("sika"), OpenGame(), *actions, throw("red", "red", "blue"))
    row = sika.view(table).rows[0]
    assert (row.turns[0].throws, row.turns[0].total, row.total) == ((4,), 4, 4)
    assert [turn.total for turn in row.turns] == [4, None, None]
    rest = [throw("red", "red", "blue")] * 17
    table = play(*rest)
    slate = sika.view(table)
    assert slate.tie
    assert [turn.total for turn in slate.rows[0].turns] == [12, 12, 12, 0]


def test_a_game_without_enough_players_asks_for_them(services, dealer, nova):
    services.service.submit(ChooseGame("sika", {"ante": 40}), DEALER)
    assert "two who can pay the ante" in page(dealer, "/dealer")


def test_the_winner_is_named_even_after_leaving_the_table(play, viewer):
    play(ChooseGame("point_five"), OpenGame(), throw("crown"), Call(1), Retire(1), LeaveSeat(2))
    assert "#2 wins the pot." in page(viewer, "/display")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(21, 8), "2.63"),
        (Fraction(0), "0"),
        (Fraction(100), "100"),
        (Fraction(1, 1000), "< 0.01"),
        (100 - Fraction(1, 1000), "> 99.99"),
        (Fraction(-7, 2), "\N{MINUS SIGN}3.5"),
    ],
)
def test_chances_are_rounded_but_never_to_certainty(app, value, shown):
    with app.test_request_context("/"):
        assert fraction(value, 2) == shown
