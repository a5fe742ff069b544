"""No page, stream or answer tells a hidden hand.

The same table is opened twice from one folder, and one seat enters a different hand in
each. Whatever the others can ask for must then be the same in both.
"""

from __future__ import annotations

import re
import shutil

import pytest

from companion.bootstrap import build
from companion.config import Settings
from companion.rules.card_actions import EnterHand, RevealHands
from companion.web import create_app
from tests.conftest import PIN
from tests.web.card_evening import DEALER, GALAXY, YARITH, Evening
from tests.web.conftest import token_of

HANDS = {GALAXY: ("+7c -7t", "0 0"), YARITH: ("+7c -7t +1s", "0 -2s +2t")}
OTHERS = {GALAXY: "+9c -8c", YARITH: "+9c -8c +4s"}
ANYONE = ("/display", "/api/table", "/api/view", "/api/statistics", "/credits")
PHONE = (
    *ANYONE,
    "/play",
    "/play/statistics",
    "/play/hand",
    "/play/raise",
    "/play/hand/name?cards=%2B7c",
)
STATION = (
    *ANYONE,
    "/dealer",
    "/dealer/seats",
    "/dealer/seat/1",
    "/dealer/seat/1/play",
    "/dealer/hand/1",
    "/dealer/hand/2",
    "/dealer/hand/1/name?cards=%2B7c",
    "/dealer/game",
    "/dealer/bank",
    "/dealer/history",
    "/dealer/more",
    "/dealer/correct",
    "/dealer/statistics",
    "/dealer/summary",
    "/dealer/export/log.csv",
    "/dealer/export/log.json",
    "/dealer/export/ledger.csv",
    "/dealer/export/rolls.csv",
    "/api/log",
    "/api/ledger",
    "/api/rolls",
)
# Tokens, codes, and whatever tells when an entry was made: a chart's lines do so too.
CHANGING = re.compile(
    r'name="(csrf_token|request_id)" value="[^"]*"|join\.svg[^"]*|\b[A-Z0-9]{6}\b'
    r'|"join_token":"[^"]*"|\d{4}-\d\d-\d\dT[0-9:.+]*|\d\d:\d\d|<svg class="chart".*?</svg>',
    re.DOTALL,
)


class Room:
    """One of the two tables with its clients: Nova (seat 1), Rook (seat 2), dealer, viewer."""

    def __init__(self, folder):
        self.station = build(Settings(data_dir=folder, table_name="Docking Bay 94"))
        self.services = self.station.services
        self.app = create_app(self.services)
        self.version = self.services.service.version

    def client(self, seat=None, dealer=False):
        client = self.app.test_client()
        if seat:
            code = self.services.show_code(seat, self.services.service.snapshot())
            assert self.post(client, "/seat", code=code).status_code == 303
        if dealer:
            assert self.post(client, "/dealer/login", pin=PIN).status_code == 303
        return client

    def post(self, client, path, *, script=False, **form):
        wanted = {"Accept": "application/json"} if script else {}
        data = {
            "csrf_token": token_of(client),
            "expected_version": str(self.services.service.version),
            "request_id": "hidden-" + str(len(form)) + path.replace("/", "-"),
            **form,
        }
        return client.post(path, data=data, headers=wanted)


@pytest.fixture(params=[GALAXY, YARITH])
def rooms(request, tmp_path, services, nova, rook):
    """Two copies of a table at the showdown; seat 1 has entered another hand in each."""
    Evening(services).to_showdown(request.param)
    folder = services.settings.data_dir
    made = []
    for n, hand in enumerate(HANDS[request.param]):
        copy = tmp_path / f"copy-{n}"
        shutil.copytree(folder, copy)
        room = Room(copy)
        room.services.service.submit(EnterHand(1, hand), DEALER)
        made.append(room)
    yield made
    for room in made:
        room.station.close()


def seen(client, paths) -> dict[str, str]:
    """Every page as this client gets it, without what changes from request to request."""
    found = {}
    for path in paths:
        answer = client.get(path)
        assert answer.status_code in (200, 404), path
        found[path] = CHANGING.sub("", answer.get_data(as_text=True))
    return found


def first_frames(client) -> list[str]:
    answer = client.get("/events?after=0&want=all", buffered=False)
    chunks = iter(answer.response)
    frames = [str(next(chunks)) for _ in range(2)]
    answer.close()
    return frames


@pytest.mark.parametrize(
    ("who", "paths"),
    [({}, ANYONE), ({"seat": 2}, PHONE), ({"dealer": True}, STATION)],
    ids=["room", "phone", "station"],
)
def test_what_others_see_does_not_depend_on_a_hidden_hand(who, paths, rooms):
    one, other = (room.client(**who) for room in rooms)
    assert seen(one, paths) == seen(other, paths)
    assert first_frames(one) == first_frames(other)


def test_the_own_phone_does_see_it(rooms):
    one, other = (seen(room.client(seat=1), ("/play",)) for room in rooms)
    assert one != other


@pytest.mark.parametrize("probe", ["+7c -1c", "0 -1c", "0 0", "+7c -7t"])
def test_no_answer_to_a_guess_tells_whether_it_was_right(probe, rooms):
    cards = f"{probe} -4s" if rooms[0].services.service.snapshot().table.game == YARITH else probe
    answers = []
    for room in rooms:
        form = {"kind": "enter_hand", "fields": '{"seat": 2}', "picks": "cards"}
        sent = room.post(room.client(seat=2), "/play/act", script=True, card=cards.split(), **form)
        answers.append((sent.status_code, sent.get_json()))
    assert answers[0] == answers[1]
    assert answers[0][0] == 200


def test_undo_and_redo_tell_no_hand(rooms):
    pages = []
    for room in rooms:
        service, dealer = room.services.service, room.client(dealer=True)
        form = {"kind": "undo", "fields": f'{{"to": {service.version - 1}}}'}
        assert room.post(dealer, "/dealer/act", **form).status_code == 303
        pages.append(seen(dealer, ("/dealer", "/dealer/history")))
        pages.append(seen(room.client(), ("/display",)))
    assert pages[:2] == pages[2:]


def test_the_reveal_shows_every_hand_to_all(rooms):
    game = rooms[0].services.service.snapshot().table.game
    texts = []
    for room in rooms:
        room.services.service.submit(EnterHand(2, OTHERS[game]), DEALER)
        room.services.service.submit(RevealHands(), DEALER)
        texts.append(seen(room.client(), ("/display",))["/display"])
    assert texts[0] != texts[1]
    assert 'aria-label="+7 circle"' in texts[0]
