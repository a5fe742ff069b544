"""What all screens ask for at once: the stream's numbers, and the room's view made once."""

from __future__ import annotations

import gzip
import threading

import pytest

from companion.hub import Hub
from companion.rules.actions import ChooseGame
from companion.web.display import Room
from companion.web.stream import KINDS, frames
from tests.web.card_evening import DEALER

VIEW = {"X-Part": "view"}


def told(subscription, kinds: str, missed: int | None) -> list[str]:
    """The stream's data lines until it closes."""
    text = "".join(frames(subscription, KINDS[kinds], missed))
    return [line.partition(": ")[2] for line in text.splitlines() if line.startswith("data")]


@pytest.fixture
def hub():
    return Hub()


def test_what_a_screen_was_told_on_coming_is_not_told_again(hub):
    subscription = hub.subscribe()
    hub.publish("table", 7)  # between the subscription and the reading of the version
    hub.publish("table", 8)
    hub.close()
    assert told(subscription, "table", 7) == ["7", "8", "0"]


def test_versions_only_rise_so_that_last_event_id_never_goes_back(hub):
    subscription = hub.subscribe()
    for version in (3, 2, 4):
        hub.publish("table", version)
    hub.close()
    assert told(subscription, "table", None) == ["3", "4", "0"]


def test_frames_of_the_tray_are_no_versions(hub):
    subscription = hub.subscribe()
    for kind, number in (("table", 9), ("tray", 3), ("tray", 3), ("key-confirm", 0)):
        hub.publish(kind, number)
    hub.close()
    assert told(subscription, "all", None) == ["9", "3", "3", "0", "0"]


def test_a_crowd_that_asks_at_once_has_the_view_made_once():
    room, made, seen = Room(), [], []
    begin = threading.Barrier(20)

    def make() -> str:
        made.append(1)
        return "view"

    def ask() -> None:
        begin.wait()
        seen.append(room.view((1, "en"), make))

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), [one.text for one in seen]) == (1, ["view"] * 20)


def test_old_views_are_forgotten():
    room = Room()
    made = []
    for version in (1, 2, 3, 4, 5, 5, 1):
        room.view(version, lambda v=version: made.append(v) or "")
    assert made == [1, 2, 3, 4, 5, 1]


def test_a_view_that_could_not_be_made_is_made_for_the_next():
    room = Room()
    with pytest.raises(ZeroDivisionError):
        room.view(1, lambda: str(1 / 0))
    assert room.view(1, lambda: "view").text == "view"


def test_a_view_with_a_browsers_own_form_is_never_shared():
    room = Room()
    forms = (f'<form><input name="csrf_token" value="{n}"></form>' for n in range(2))
    first, second = (room.view(1, lambda: next(forms)) for _ in range(2))
    assert first.text != second.text
    assert (first.packed, second.packed) == (b"", b"")


def test_the_rooms_view_follows_the_table_its_name_and_its_code(viewer, services):
    def view() -> str:
        return viewer.get("/display", headers=VIEW).get_data(as_text=True)

    first = view()
    assert view() == first
    services.tokens.revoke()
    with_new_code = view()
    assert with_new_code != first
    services.setup.table.rename("Bay 12")
    assert "Bay 12" in view()
    services.service.submit(ChooseGame("sika"), DEALER)
    assert f'data-version="{services.service.version}"' in view()


def test_the_rooms_view_holds_nothing_of_one_browser(viewer, dealer, nova, services):
    services.service.submit(ChooseGame("sika"), DEALER)
    views = {client.get("/display", headers=VIEW).data for client in (viewer, dealer, nova)}
    assert len(views) == 1
    (view,) = views
    assert b"csrf_token" not in view
    assert b"<form" not in view
    whole = viewer.get("/display").get_data(as_text=True)
    assert whole.startswith("<!doctype html>")  # the whole page is never kept
    assert view.decode().strip() in whole


def test_the_rooms_view_is_packed_for_browsers_that_take_it(viewer):
    plain = viewer.get("/display", headers=VIEW)
    packed = viewer.get("/display", headers={**VIEW, "Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert packed.content_type == plain.content_type
    assert gzip.decompress(packed.data) == plain.data
    refused = viewer.get("/display", headers={**VIEW, "Accept-Encoding": "gzip;q=0"})
    assert refused.data == plain.data


def test_a_page_with_a_secret_is_never_packed(nova):
    seat = nova.get("/play", headers={**VIEW, "Accept-Encoding": "gzip"})
    assert b"csrf_token" in seat.data
    assert "Content-Encoding" not in seat.headers
