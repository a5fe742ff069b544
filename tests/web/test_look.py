"""Themes, the overlay and what the caller says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.rules.actions import (
    BuyIn,
    ChooseGame,
    CorrectRoll,
    FundBank,
    How,
    RecordRoll,
    Redo,
    Undo,
)
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet, Take
from companion.rules.dice import Roll
from companion.rules.point_five import Call as CallTurn
from companion.rules.pot_game import OpenGame
from companion.web.look import Theme
from companion.web.presenters.caller import Tone, newest_call
from companion.web.text import say
from tests.web.test_faults import do
from tests.web.test_pot_pages import throw

STATIC = Path(__file__).parents[2] / "companion" / "web" / "static"


def page(client, path, **query):
    return client.get(path, query_string=query).get_data(as_text=True)


def media(text):
    return dict(re.findall(r'theme-(\w+)\.css" media="([^"]+)"', text))


def test_unchosen_themes_follow_the_browser(viewer):
    found = media(page(viewer, "/"))
    assert "prefers-color-scheme: light" in found["bright"]
    assert found["contrast"] == "(prefers-contrast: more)"
    assert '<html lang="en">' in page(viewer, "/")


@pytest.mark.parametrize("theme", Theme)
def test_a_kept_theme_is_in_the_first_byte_of_every_page(viewer, post, theme):
    answer = post(viewer, "/look", script=False, theme=theme)
    assert answer.status_code == 303
    for path in ("/", "/display", "/credits", "/no-such-page"):
        text = page(viewer, path)
        assert f'data-theme="{theme}"' in text
        assert media(text) == {
            name: "all" if name == theme else "not all" for name in ("bright", "contrast")
        }


def test_an_address_outweighs_the_cookie_and_keeps_nothing(viewer, post):
    post(viewer, "/look", script=False, theme="contrast")
    assert media(page(viewer, "/display", theme="bright"))["bright"] == "all"
    assert media(page(viewer, "/display"))["contrast"] == "all"
    post(viewer, "/look", script=False, theme="")
    assert 'data-theme="' not in page(viewer, "/display")


def test_an_unknown_theme_is_refused_or_passed_over(viewer, post):
    assert post(viewer, "/look", theme="pink").status_code == 400
    assert 'data-theme="' not in page(viewer, "/display", theme="pink")


def test_the_way_back_is_never_another_site(viewer, post):
    answer = post(viewer, "/look", script=False, theme="bright", **{"from": "//elsewhere.example"})
    assert answer.headers["Location"] == "/"
    assert post(viewer, "/look", script=False, **{"from": "display"}).location == "/display"


def values(name):
    root = (STATIC / name).read_text().partition(":root {")[2].partition("}")[0]
    return set(re.findall(r"(--[\w-]+):", root))


def test_every_theme_gives_the_same_colours():
    base = values("base.css") - {"--radius", "--gap", "--text-font", "--sign-font"}
    bright, contrast = values("theme-bright.css"), values("theme-contrast.css")
    assert bright - base == contrast - base == set()
    assert base - bright == set()
    seats = {f"--{c}" for c in ("amber", "teal", "rose", "violet", "lime", "sky", "coral", "sand")}
    assert base - contrast == seats


def test_the_overlay_shows_the_parts_it_is_asked_for(services, nova, viewer):
    do(services, FundBank(900), ChooseGame("crown_and_spike"), BuyIn(1, 50))
    whole = page(viewer, "/overlay")
    assert all(f'id="overlay-{part}"' in whole for part in ("turn", "pots", "seats"))
    some = page(viewer, "/overlay", show="pots,nonsense")
    assert 'id="overlay-pots"' in some
    assert 'id="overlay-seats"' not in some
    assert "show=pots" in some, "the living part asks for the same parts again"
    assert "<form" not in whole
    assert "<a " not in whole
    assert 'data-theme="cantina"' in whole


# The caller


def said(services):
    call = newest_call(services.service.snapshot().history)
    return (call.no, call.tone, " ".join(say(line) for line in call.sentences)) if call else None


@pytest.fixture
def mat(app, services, nova, rook):
    do(services, FundBank(900), BuyIn(1, 50), BuyIn(2, 50), ChooseGame("crown_and_spike"))

    def act(*actions):
        do(services, *actions)
        with app.test_request_context():
            return said(services)

    return act


def test_a_round_is_called(mat, services):
    assert mat() is None
    assert mat(OpenRound())[1:] == (Tone.OPEN, "Round 1: bets are open.")
    opened = mat(PlaceBet(1, "crown", 20), PlaceBet(2, "eye", 5))
    assert opened[1] == Tone.OPEN, "a bet is not news"
    assert mat(CloseBets())[1:] == (Tone.CLOSED, "Bets are closed.")
    no, tone, text = mat(RecordRoll(Roll.of(["crown", "crown", "sun"]), How.READ))
    assert (no, tone) == (services.service.version, Tone.WIN)
    assert text == "Crown, Crown, Sun. Nova wins 40."
    assert mat(Take(1, "crown")) == (no, tone, text), "the roll is still the newest news"


def test_a_lost_round_says_so(mat):
    mat(OpenRound(), PlaceBet(1, "crown", 20), CloseBets())
    roll = RecordRoll(Roll.of(["eye", "eye", "sun"]), How.READ)
    assert mat(roll)[1:] == (Tone.ROLL, "Eye, Eye, Sun. Nobody wins.")


def test_numbers_grow_only_for_what_is_new(mat, services):
    closed = mat(OpenRound(), PlaceBet(1, "crown", 20), CloseBets())
    rolled = mat(RecordRoll(Roll.of(["crown", "crown", "sun"]), How.READ))
    assert mat(Undo(closed[0])) == closed, "said before, so not said again"
    assert mat(Redo()) == rolled
    corrected = mat(CorrectRoll(rolled[0], Roll.of(["eye", "eye", "sun"])))
    assert corrected[0] == services.service.version > rolled[0]
    assert corrected[2] == "Eye, Eye, Sun. Nobody wins."
    assert mat(BuyIn(2, 5)) == corrected


def test_a_game_for_the_pot_is_called(mat, services):
    do(services, ChooseGame("point_five"), OpenGame())
    assert mat(throw("crown"))[2] == "Nova throws crown."
    seat = services.service.snapshot().table.play.board.seat
    assert mat(CallTurn(seat))[2].startswith("Nova calls for 2")


def test_cards_are_never_spoken(app, evening):
    evening.to_showdown("galaxy_series")
    heard = []
    with app.test_request_context():
        for head in range(1, evening.services.service.version + 1):
            history = evening.services.service.snapshot().history
            call = newest_call(type(history)(history.engine, history.start, history.heads[:head]))
            heard.append(" ".join(say(line) for line in call.sentences) if call else "")
    assert not any(re.search(r"[●▲■]|Sylop", text) for text in heard)
    assert any(heard)


def test_pages_carry_the_call_and_the_overlay_none(mat, nova, dealer, viewer):
    mat(OpenRound())
    for client, path in ((nova, "/play"), (dealer, "/dealer"), (viewer, "/display")):
        assert "Round 1: bets are open." in page(client, path).partition('id="caller-line"')[2]
    assert 'id="caller-line"' not in page(viewer, "/overlay")
