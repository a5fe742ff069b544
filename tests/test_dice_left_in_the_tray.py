"""Dice that may belong to a throw already recorded are asked about, never taken unasked.

Point Five shows why: the next throw is due while the last die still lies in the tray.
"""

import pytest

from companion.auth import Actor, Role
from companion.database import Database
from companion.evidence import EvidenceStore
from companion.games import GAMES
from companion.hub import Hub
from companion.rolls import RollDesk
from companion.rules.actions import BuyIn, ChooseGame, JoinSeat
from companion.rules.engine import Engine
from companion.rules.pot_game import OpenGame
from companion.table import TableService
from vision.reading import DieReading, Reading, TrayEvent, TrayState, Verdict

DEALER = Actor(Role.DEALER, None, "dealer")
SQUARE = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
EMPTY = TrayEvent(1, TrayState.EMPTY)
ROLLING = TrayEvent(2, TrayState.ROLLING)
SUN = TrayEvent(
    7,
    TrayState.READ,
    Reading(Verdict.ACCEPT, (DieReading("spike", "sun", SQUARE, 0.99),)),
    b"jpeg",
)


@pytest.fixture
def service(tmp_path):
    database = Database.in_folder(tmp_path)
    made = TableService(database, Engine(GAMES), Hub())
    people = [move for seat in (1, 2) for move in (JoinSeat(seat, f"P{seat}"), BuyIn(seat, 50))]
    for action in (*people, ChooseGame("point_five"), OpenGame()):
        made.submit(action, DEALER)
    yield made
    database.close()


@pytest.fixture
def start_desk(service, tmp_path):
    return lambda: RollDesk(service, EvidenceStore(tmp_path / "evidence", 10**6), Hub())


def thrown(service) -> int:
    return len(service.snapshot().table.play.board_of(1).thrown)


def test_a_die_left_from_before_a_restart_is_asked_about(service, start_desk):
    desk = start_desk()
    desk.on_event(EMPTY)
    desk.on_event(SUN)
    assert thrown(service) == 1
    again = start_desk()
    again.on_event(SUN)
    assert thrown(service) == 1
    assert again.state().pending is not None


def test_a_die_seen_again_after_the_camera_failed_is_asked_about(service, start_desk):
    desk = start_desk()
    desk.on_event(EMPTY)
    desk.camera_trouble("unplugged")
    desk.confirm(DEALER, {"spike": ["sun"]}, expected_version=None, request_id=None)
    desk.on_event(SUN)
    assert thrown(service) == 1
    assert desk.state().pending is not None


def test_a_throw_entered_by_hand_before_the_camera_read_it_counts_once(service, start_desk):
    desk = start_desk()
    desk.on_event(EMPTY)
    desk.on_event(ROLLING)
    desk.confirm(DEALER, {"spike": ["sun"]}, expected_version=None, request_id=None)
    desk.on_event(SUN)
    assert thrown(service) == 1


def test_a_throw_entered_by_hand_beside_an_empty_tray_leaves_the_camera_ready(service, start_desk):
    desk = start_desk()
    desk.on_event(EMPTY)
    desk.confirm(DEALER, {"spike": ["eye"]}, expected_version=None, request_id=None)
    desk.on_event(SUN)
    assert thrown(service) == 2


def test_a_throw_is_done_with_when_it_is_recorded_or_dropped(start_desk):
    """A recording's camera clears the tray by this count."""
    desk = start_desk()
    desk.on_event(EMPTY)
    desk.on_event(SUN)
    assert desk.done() == 1  # recorded; the next throw is due already
    desk.on_event(SUN)
    assert desk.done() == 1  # asked about
    desk.dismiss(DEALER, desk.state().pending.id)
    assert desk.done() == 2
    desk.confirm(DEALER, {"spike": ["eye"]}, expected_version=None, request_id=None)
    assert desk.done() == 3
