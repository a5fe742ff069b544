"""The views, tested without Flask."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.actions import (
    Action,
    ActionFormatError,
    BuyIn,
    CashOut,
    CorrectRoll,
    FundBank,
    How,
    JoinSeat,
    RecordRoll,
    Redo,
    SitOut,
    Undo,
)
from companion.rules.dice import Roll
from companion.rules.engine import Engine
from companion.rules.history import History
from companion.rules.model import Ask, Offer, Table
from companion.web.forms import action_from_form, faces_from_form, typed, whole
from companion.web.presenters import common, offers, tray
from companion.web.presenters.appeals import die_scores, roll_views
from companion.web.presenters.history import my_lines
from companion.web.presenters.undo import undo_steps
from companion.web.security import host_allowed
from vision.reading import DieReading, Reading, Reason, Verdict

SQUARE = ((10.0, 10.0), (50.0, 12.0), (48.0, 52.0), (9.0, 50.0))


def played(*actions: Action) -> History:
    history = History(Engine({}), Table())
    for action in actions:
        history = history.push(action)[0]
    return history


def die(face: str | None, confidence: float, *reasons: Reason) -> DieReading:
    ranked = (("crown", confidence), ("eye", 0.3), ("sun", 0.1))
    return DieReading("spike", face, SQUARE, confidence, ranked, reasons)


def test_undo_steps_name_what_they_take_back_newest_first():
    history = played(JoinSeat(1, "Nova"), BuyIn(1, 100), SitOut(1))
    steps = undo_steps(history)
    assert [step.title for step in steps] == ["Sit out", "Buy in", "Join seat"]
    assert [step.to for step in steps] == [2, 1, 0]
    assert steps[1].lines[0].values["seat"] == "Nova"


def test_a_step_already_undone_is_not_offered_again():
    history = played(JoinSeat(1, "Nova"), BuyIn(1, 100), Undo(1))
    assert [step.title for step in undo_steps(history)] == ["Join seat"]


def test_after_redo_the_step_can_be_undone_once_more():
    history = played(JoinSeat(1, "Nova"), BuyIn(1, 100), Undo(1), Redo())
    assert [step.entry for step in undo_steps(history)] == [2, 1]


@given(st.lists(st.sampled_from(["buy", "undo", "redo"]), max_size=14))
def test_every_offered_step_leads_to_the_table_before_it(moves: list[str]):
    history = played(JoinSeat(1, "Nova"))
    for move in moves:
        steps = undo_steps(history, limit=1)
        action = {"buy": BuyIn(1, 5), "undo": Undo(steps[0].to) if steps else None, "redo": Redo()}
        if action[move] and history.why_not(action[move]) is None:
            history = history.push(action[move])[0]
    for step in undo_steps(history):
        after = history.push(Undo(step.to))[0]
        assert after.heads[-1] is history.heads[step.entry - 1]


def test_my_lines_end_where_the_player_sat_down():
    history = played(
        JoinSeat(1, "Nova"), BuyIn(1, 100), CashOut(1, 40), JoinSeat(2, "Rook"), BuyIn(2, 10)
    )
    mine = my_lines(history, 1)
    assert [line.amount for line in mine] == [-40, 100, 0]
    assert all(line.line.values["seat"] == "Nova" for line in mine)


def test_a_die_with_a_doubt_is_never_chosen_beforehand():
    reading = Reading(Verdict.ASK, (die("crown", 0.6, Reason.AMBIGUOUS),))
    slot = tray.slots({"spike": 1}, reading)[0]
    assert [choice.face for choice in slot.choices][:3] == ["crown", "eye", "sun"]
    assert len(slot.choices) == 6
    assert not any(choice.chosen for choice in slot.choices)


def test_a_certain_die_is_chosen_and_missing_dice_stay_open():
    slots = tray.slots({"spike": 2, "cube": 1}, Reading(Verdict.ASK, (die("crown", 0.98),)))
    assert [slot.name for slot in slots] == ["spike-0", "spike-1", "cube-0"]
    assert [c.face for c in slots[0].choices if c.chosen] == ["crown"]
    assert not any(c.chosen for c in slots[1].choices)


def test_labels_lie_inside_the_picture_and_cover_no_other_die():
    def at(x: float, y: float) -> DieReading:
        quad = ((x, y), (x + 90, y), (x + 90, y + 90), (x, y + 90))
        return DieReading("spike", "sun", quad, 0.9)

    size = (1152, 864)
    dice = (at(500, 400), at(500, 500), at(1050, 770), at(590, 400))
    views = tray.die_views(Reading(Verdict.ACCEPT, dice), size)
    width, height = tray.label_size(size)
    for view in views:
        x, y = view.label
        assert 0 <= x <= size[0] - width
        assert 0 <= y <= size[1] - height
        for other in views:
            apart_x = x + width <= other.x or other.x + other.width <= x
            assert apart_x or y + height <= other.y or other.y + other.height <= y


def test_recorded_faces_are_chosen_in_the_editor_of_an_old_roll():
    slots = tray.slots({"spike": 1}, None, {"spike": ["sun"]})
    assert [c.face for c in slots[0].choices if c.chosen] == ["sun"]


def test_jpeg_size_reads_the_frame_header_past_other_segments():
    app = b"\xff\xe0\x00\x04ab"
    frame = b"\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 960, 1280) + b"\x01\x01\x11\x00"
    assert tray.jpeg_size(b"\xff\xd8" + app + frame) == (1280, 960)


@given(st.binary(max_size=60))
def test_jpeg_size_survives_any_bytes(data: bytes):
    tray.jpeg_size(b"\xff\xd8\xff" + data)


def test_offers_become_forms_by_what_they_ask():
    offer = Offer("place_bet", "Bet", {"seat": 1}, (Ask("on", ("crown",)), Ask("stake", (), 1, 9)))
    view = offers.offer_view(offer)
    assert [(ask.name, ask.kind) for ask in view.asks] == [("on", "choice"), ("stake", "number")]
    assert view.fields == '{"seat": 1}'


def test_primary_skips_what_needs_more_than_one_press():
    asks = Offer("place_bet", "Bet", {}, (Ask("stake", (), 1, 9),), primary=True)
    press = Offer("open_round", "Open", primary=True)
    assert offers.primary([asks]) is None
    assert offers.primary([asks, press]).kind == "open_round"


def test_seats_show_free_places_and_ranking_breaks_ties_by_seat():
    table = played(JoinSeat(3, "Rook"), JoinSeat(1, "Nova"), BuyIn(1, 5), BuyIn(3, 5)).table
    places = common.all_seats(table, 4)
    assert [place.taken for place in places] == [True, False, True, False]
    assert [seat.number for seat in common.ranking(table)] == [1, 3]


def test_form_values_take_the_type_of_the_field():
    form = {"kind": "join_seat", "fields": '{"seat": 2}', "ask-name": "123", "ask-colour": "teal"}
    assert action_from_form(form) == JoinSeat(2, "123", "teal")
    assert typed("on", bool, "out") is True


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"kind": "nonsense"},
        {"kind": "buy_in", "fields": "["},
        {"kind": "buy_in", "fields": "[1]"},
        {"kind": "buy_in", "fields": '{"seat": "1"}', "ask-amount": "5"},
        {"kind": "buy_in", "fields": '{"seat": 1}', "ask-amount": "5.5"},
        {"kind": "buy_in", "fields": '{"seat": 1}', "ask-amount": ""},
        {"kind": "buy_in", "fields": '{"seat": 1, "x": 1}', "ask-amount": "5"},
        {"kind": "buy_in", "fields": "{}", "ask-kind": "undo"},
    ],
)
def test_damaged_forms_are_refused_in_words(form: dict[str, str]):
    with pytest.raises(ActionFormatError):
        action_from_form(form)


@given(st.text(max_size=20))
def test_whole_numbers_or_a_sentence(text: str):
    try:
        found = whole(text, "amount")
    except ActionFormatError:
        return
    assert str(abs(found)) in text.replace(",", "").replace(" ", "") or found == int(text)


def test_faces_come_back_by_kind_in_the_order_of_the_dice():
    form = {"spike-1": "sun", "spike-0": "crown", "cube-0": "red", "spike-x": "eye"}
    assert faces_from_form(form) == {"spike": ["crown", "sun"], "cube": ["red"]}
    with pytest.raises(ActionFormatError):
        faces_from_form({"cube-0": "green"})


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("localhost", True),
        ("table.local:8000", True),
        ("own.example", True),
        ("evil.example", False),
        ("local", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
        ("[::1", False),
    ],
)
def test_only_own_names_and_addresses_are_answered(host: str, allowed: bool):
    assert host_allowed(host, frozenset({"own.example"})) is allowed


def test_an_undo_says_what_everyone_gains_and_loses_by_it():
    history = played(FundBank(100), JoinSeat(1, "Nova"), BuyIn(1, 40), CashOut(1, 10))
    changes = [
        {change.name: change.amount for change in step.changes} for step in undo_steps(history)
    ]
    assert changes == [{"Nova": 10}, {"Nova": -40}, {}, {"Bank": -100}]


def test_a_past_roll_tells_who_answered_for_it_and_what_became_of_it():
    def row(no, action, actor="dealer"):
        return SimpleNamespace(
            no=no, at_utc="2026-01-02T20:15:00.000+00:00", actor=actor, action=action, in_force=True
        )

    first, right = Roll.of(["crown"]), Roll.of(["eye"])
    rows = [
        row(1, RecordRoll(first, How.READ, "x"), "camera"),
        row(2, RecordRoll(first, How.CONFIRMED, None), "box"),
        row(3, CorrectRoll(2, right)),
    ]
    newest, oldest = roll_views(played(), rows)
    assert (newest.entry, newest.from_box, newest.changes[0].roll) == (2, True, right)
    assert (oldest.how, oldest.from_box, oldest.changes) == ("read by the camera", False, ())
    assert not oldest.in_force  # the log knows it, the table does not


def test_scores_name_the_likeliest_faces_and_every_doubt():
    reading = Reading(Verdict.ASK, (die("eye", 0.55, Reason.GLARE),))
    [scored] = die_scores(reading, (640, 480))
    assert scored.ranked == (("eye", 55), ("crown", 55), ("sun", 10))
    assert scored.doubts == ("Glare hides part of a die.",)
    assert die_scores(None, (0, 0)) == ()
