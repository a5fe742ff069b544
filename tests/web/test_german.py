"""The table in German: every page and sheet, every line of the played games, every refusal."""

from __future__ import annotations

import itertools
import re

import pytest

from companion.auth import Actor, Role
from companion.games import GAMES
from companion.rules.actions import ChooseGame, JoinSeat, from_json, known_actions
from companion.rules.engine import Engine
from companion.rules.errors import Refusal
from companion.rules.history import History
from companion.rules.model import Line, Table
from companion.web import catalogue, text
from companion.web.presenters.common import named
from companion.web.presenters.registry import pages_of
from tests.rules.test_fixture_games import FILES, read
from tests.rules.test_fixture_games import named as file_name
from tests.web.test_catalogue import Texts, forms, ids, places

DEALER = Actor(Role.DEALER, None, "dealer")
GERMAN = {"Accept-Language": "de"}
# Read the same in both languages: names of the games, cards and ranks, and what has no words.
MESSAGES = ids(catalogue.read("de")).values()
KNOWN = {form for message in MESSAGES for form in forms(message.id)}
ALIKE = {
    message.id
    for message in MESSAGES
    if isinstance(message.id, str) and message.id == message.string
}
STATION = (
    "", "/seats", "/seat/1", "/seat/1/play", "/seat/6", "/game", "/bank", "/history", "/more",
    "/correct", "/rolls", "/seat/1/device", "/statistics", "/summary", "/raise", "/hand/1",
    "/array/1", "/draw/1", "/setup", "/setup/pin", "/setup/name", "/setup/camera",
    "/setup/picture", "/setup/tray", "/setup/dice",
)  # fmt: skip
PHONE = ("", "/stake/crown", "/stake/red", "/hand", "/raise", "/device", "/statistics")
ROOM = ("/display", "/credits", "/dealer/login", "/nowhere")
# One game of each kind, with many house rules in use; crawled at many moments.
CRAWLED = (
    "crown_and_spike/run-complete",
    "point_five/hundred",
    "sika/per-turn",
    "galaxy_series/side-pots",
    "yarith_bespin/both-pots",
)


@pytest.fixture(scope="module")
def english():
    """English sentences as patterns, those apart that German shares."""
    whole, shaped = set(), []
    for message in MESSAGES:
        for meant, said in zip(forms(message.id), forms(message.string), strict=True):
            if meant == said or meant.lower() in {"name", "pin", "system", "die", "station"}:
                continue
            if places(meant):
                parts = re.split(r"\{\w+\}|%\(\w+\)s", meant)
                if sum(len(part.strip()) for part in parts) > 7:
                    shape = ".+".join(map(re.escape, parts)).replace("%%", "%")
                    shaped.append(re.compile(shape))
            else:
                whole.add(meant.replace("%%", "%"))
    german = {said for message in MESSAGES for said in forms(message.string)}
    return whole - german, shaped


def leftovers(page: str, english) -> list[str]:
    whole, shaped = english
    found = Texts()
    found.feed(page)
    texts = {" ".join(one.split()).strip(" ·–") for one in found.found}
    return [
        one
        for one in texts
        if one in whole or any(shape.fullmatch(one) for shape in shaped if len(one) > 7)
    ]


@pytest.fixture
def unknown(monkeypatch):
    """Words that were to be translated and that the catalogue does not have."""
    missing: set[str] = set()
    own = text.gettext

    def noted(words):
        if words not in KNOWN and any(letter.isalpha() for letter in words):
            missing.add(words)
        return own(words)

    monkeypatch.setattr(text, "gettext", noted)
    return missing


@pytest.mark.parametrize("path", CRAWLED)
def test_no_page_of_a_played_game_has_english_left(path, services, app, post, english, unknown):
    played = read(next(file for file in FILES if file_name(file) == path))
    actions = [from_json(data) for data in played["actions"]]
    names = {action.name for action in actions if isinstance(action, JoinSeat)}
    service, dealer = services.service, app.test_client()
    assert post(dealer, "/dealer/login", pin="483920", script=False).status_code == 303
    phone = app.test_client()
    step = max(3, len(actions) // 8)
    for number, action in enumerate(actions, 1):
        service.submit(action, DEALER)
        if number == 2:
            token = services.tokens.seat_token(1, service.snapshot())
            with phone.session_transaction() as session:
                session["seat"] = token
        if number > 2 and (number % step == 0 or number == len(actions)):
            _crawl(dealer, phone, english)
    assert unknown - names - {""} == set()


def _crawl(dealer, phone, english):
    pages = [(dealer, f"/dealer{page}") for page in STATION]
    pages += [(phone, f"/play{page}") for page in PHONE]
    pages += [(phone, page) for page in ROOM]
    found = {}
    for client, page in pages:
        answer = client.get(page, headers=GERMAN, follow_redirects=True)
        said = answer.get_data(as_text=True)
        assert '<html lang="de">' in said, page
        if left := leftovers(said, english):
            found[page] = left
    assert found == {}


@pytest.fixture
def german(app):
    """Inside a request in German."""
    with app.test_request_context("/", headers=GERMAN):
        yield text.say


def check(line: Line, table: Table, say) -> None:
    said = say(named(line, table))
    assert said
    assert "{" not in said
    words = re.sub(r"\{\w+\}", "", line.text).strip(" .:,")
    if words and line.text not in ALIKE:
        assert said != named(line, table).english, line.text


@pytest.mark.parametrize("path", FILES, ids=file_name)
def test_every_line_offer_and_status_of_a_played_game_is_german(path, german, unknown):
    history = History(Engine(GAMES), Table())
    for data in read(path)["actions"]:
        action = from_json(data)
        history, _, lines = history.push(action)
        table, engine = history.table, history.engine
        game = engine.game(table)
        for line in lines:
            check(line, table, german)
        if game is None:
            continue
        check(game.status(table), table, german)
        waiting = pages_of(table).waiting(table)
        german(waiting) if waiting else None
        for seat in (None, *(seat.number for seat in table.seats)):
            for offer in engine.legal_actions(table, seat):
                german(offer.label)
    assert unknown == set()


@pytest.mark.parametrize("path", FILES, ids=file_name)
def test_every_refusal_along_a_played_game_is_german(path, german, unknown):
    """Each step of the game is also tried at every other moment of it, and out of turn."""
    history = History(Engine(GAMES), Table())
    actions = [from_json(data) for data in read(path)["actions"]]
    tried = dict(zip((type(action) for action in actions), actions, strict=True))
    for action in actions:
        for other in tried.values():
            refusal = history.why_not(other)
            if isinstance(refusal, Refusal):
                check(refusal.line, history.table, german)
        history = history.push(action)[0]
    assert unknown == set()


def test_the_words_for_actions_house_rules_and_choices_are_there(german, unknown):
    for kind in known_actions():
        german(kind.kind.replace("_", " ").capitalize())
    for game, toggle in itertools.chain.from_iterable(
        ((game, toggle) for toggle in game.toggles) for game in GAMES.values()
    ):
        german(game.title)
        german(toggle.name.replace("_", " ").capitalize())
        german(toggle.meaning)
        for choice in toggle.choices:
            german(choice.replace("_", " "))
    assert unknown == set()
    assert german("Close bets") == "Einsätze schließen"


def test_plurals_and_numbers_are_german(german):
    many, one = "This seat has {n} credits.", "This seat has {n} credit."
    poor = Refusal("not_enough", many, {"n": 1}, one)
    rich = Refusal("not_enough", many, {"n": 1234}, one)
    assert german(poor.line) == "Dieser Platz hat 1 Credit."
    assert german(rich.line) == "Dieser Platz hat 1.234 Credits."
    assert (poor.sentence, rich.sentence) == (
        "This seat has 1 credit.",
        "This seat has 1234 credits.",
    )


def test_a_later_refusal_is_told_inside_the_earlier_one(german):
    why = Refusal("not_now", "Bets are still open.")
    line = Line(
        "Not changed: entry {no} ({action}) would not be possible any more: {why} "
        "Undo back to before it first.",
        {"no": 7, "action": Line("close bets"), "why": why.line},
    )
    assert german(line) == (
        "Nicht geändert: Eintrag 7 (Einsätze schließen) wäre nicht mehr möglich: "
        "Es wird noch gesetzt. Geh zuerst bis davor zurück."
    )


def test_a_game_may_be_chosen_by_a_german_station(services, app, post):
    dealer = app.test_client()
    assert post(dealer, "/dealer/login", pin="483920", script=False).status_code == 303
    services.service.submit(ChooseGame("sika"), DEALER)
    page = dealer.get("/dealer/game", headers=GERMAN).get_data(as_text=True)
    assert "Hausregeln" in page
    assert "Ob eine Farbe einmal je Spiel oder vor jedem Zug angesagt wird." in page
