"""What the dealer's page says of a tray that cannot be read, or was touched."""

from __future__ import annotations

import pytest

from companion.auth import Actor, Role
from companion.rules.actions import BuyIn, ChooseGame, FundBank
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet
from companion.signals import armed, signal
from companion.web.presenters.dealer import WAIT_FOR_DICE
from companion.web.presenters.tray import STATE_LABELS, tone
from vision.reading import DieReading, Reading, Reason, TrayEvent, TrayState, Verdict

DEALER = Actor(Role.DEALER, None, "dealer")
SQUARE = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
READ = ("sun", "eye", "eye")


def event(state, *faces, verdict=Verdict.ACCEPT, before=()):
    dice = tuple(DieReading("spike", face, SQUARE, 0.9) for face in faces)
    reasons = (Reason.CHANGED,) if before else ()
    said = Reading(verdict, dice, reasons, 5.0, {"spike": 3}, tuple(("spike", f) for f in before))
    return TrayEvent(3, state, said, b"jpeg")


@pytest.fixture
def due(services, nova):
    """Three dice are waited for, and the tray was seen empty."""
    for action in (FundBank(1000), BuyIn(1, 100), ChooseGame("crown_and_spike"), OpenRound()):
        services.service.submit(action, DEALER)
    for action in (PlaceBet(1, "sun", 10), CloseBets()):
        services.service.submit(action, DEALER)
    services.desk.on_event(TrayEvent(1, TrayState.EMPTY))
    return services


@pytest.mark.parametrize(
    ("state", "label", "help_"),
    [
        (TrayState.MOVED, "Camera or tray moved", "calibrate again"),
        (TrayState.DARK, "Too dark to see", "lamp over the tray"),
        (TrayState.FROZEN, "Camera picture stands still", "Unplug it"),
    ],
)
def test_what_keeps_the_tray_from_being_read_is_said_with_what_to_do(
    due, dealer, state, label, help_
):
    assert label not in dealer.get("/dealer").get_data(as_text=True)
    due.desk.on_event(TrayEvent(2, state))
    page = dealer.get("/dealer").get_data(as_text=True)
    assert label in page
    assert help_ in page
    due.desk.on_event(TrayEvent(3, TrayState.EMPTY))
    assert help_ not in dealer.get("/dealer").get_data(as_text=True)


def test_dice_nudged_before_anyone_confirmed_ask_and_say_what_they_were(due, dealer):
    due.desk.on_event(event(TrayState.READ, *READ, verdict=Verdict.ASK))
    due.desk.on_event(event(TrayState.NUDGED, "crown", "eye", "eye", before=READ))
    page = dealer.get("/dealer").get_data(as_text=True)
    assert "Dice moved after reading" in page
    assert "They showed sun, eye, eye when they were read." in page
    assert "The dice changed after they were read." in page
    assert due.desk.expect() is not None  # nothing was taken


def test_dice_nudged_after_they_were_recorded_change_nothing_but_are_said(due, dealer):
    due.desk.on_event(event(TrayState.READ, *READ))
    assert due.desk.expect() is None
    version = due.service.version
    due.desk.on_event(event(TrayState.NUDGED, "crown", "eye", "eye", before=READ))
    assert due.service.version == version
    assert due.desk.state().pending is None
    page = dealer.get("/dealer").get_data(as_text=True)
    assert "They showed sun, eye, eye when they were read." in page
    due.desk.on_event(TrayEvent(9, TrayState.READ))
    assert "They showed" not in dealer.get("/dealer").get_data(as_text=True)


def test_a_nudged_reading_is_never_taken_even_where_it_is_sure(due):
    due.desk.on_event(event(TrayState.NUDGED, *READ))
    assert due.desk.expect() is not None
    assert due.desk.state().pending is not None


def test_what_the_dice_were_is_kept_with_the_picture(due):
    due.desk.on_event(event(TrayState.NUDGED, "crown", "eye", "eye", before=READ))
    _, kept = due.desk.evidence.load(due.desk.state().pending.evidence_id)
    assert kept.before == tuple(("spike", face) for face in READ)


@pytest.mark.parametrize(
    ("state", "lamp"),
    [(TrayState.MOVED, "trouble"), (TrayState.FROZEN, "trouble"), (TrayState.DARK, "ready")],
)
def test_a_tray_that_is_not_read_arms_nothing(due, state, lamp):
    assert armed(due.desk.state())
    due.desk.on_event(TrayEvent(2, state))
    assert not armed(due.desk.state())
    assert signal(due.desk.state()) == lamp


def test_every_state_has_its_words():
    for state in TrayState:
        assert STATE_LABELS[state]
        assert WAIT_FOR_DICE[state]
        assert tone(state, None) in ("good", "warn", "bad", "calm")
