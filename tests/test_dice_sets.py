"""Which dice were thrown: rolls carry their set, and each set has figures of its own."""

from __future__ import annotations

import json

import pytest

from companion.action_log import entries
from companion.fairness import Verdict
from companion.games import GAMES
from companion.rounds import Standing, Throw
from companion.rules.actions import How, RecordRoll, from_json, to_json
from companion.rules.crown_and_spike import CloseBets, PlaceBet
from companion.rules.dice import Roll
from companion.rules.engine import Engine
from companion.statistics import set_dice
from companion.table import audit
from companion.web.presenters.statistics import dice_view
from tests.test_table import DEALER, SQUARE, database, desk, opened, service  # noqa: F401
from vision.reading import DieReading, Reading, TrayEvent, TrayState
from vision.reading import Verdict as Seen

SUNS = Roll.of(["sun", "sun", "sun"])


def throw(entry: int, faces: list[str], sets: dict[str, str]) -> Throw:
    roll = Roll.of(faces)
    return Throw(entry, "", "", roll, roll, How.READ, Standing.IN_FORCE, None, sets)


def read(desk, *faces: str) -> None:  # noqa: F811
    dice = tuple(DieReading("spike", face, SQUARE, 0.99, ((face, 0.99),)) for face in faces)
    desk.on_event(TrayEvent(1, TrayState.EMPTY))
    reading = Reading(Seen.ACCEPT, dice, (), 1.0, {"spike": 3})
    desk.on_event(TrayEvent(2, TrayState.READ, reading, b"a picture"))


def recorded(service) -> RecordRoll:  # noqa: F811
    return next(r.action for r in reversed(service.log()) if isinstance(r.action, RecordRoll))


def test_a_roll_that_is_read_carries_the_name_of_its_set(service, desk):  # noqa: F811
    desk.sets = lambda: {"spike": "Ivory", "cube": "Red"}
    opened(service, PlaceBet(1, "sun", 5), CloseBets())
    read(desk, "sun", "eye", "crown")
    assert recorded(service).sets == (("spike", "Ivory"),), "there was no cube in this throw"


def test_what_a_person_enters_without_a_reading_has_no_set(service, desk):  # noqa: F811
    desk.sets = lambda: {"spike": "Ivory"}
    opened(service, PlaceBet(1, "sun", 5), CloseBets())
    desk.confirm(DEALER, {"spike": ["sun"] * 3}, expected_version=None, request_id="by-hand-1")
    assert recorded(service).sets == ()


def test_dice_without_a_name_are_of_no_known_set(service, desk):  # noqa: F811
    desk.sets = lambda: {"spike": ""}
    opened(service, PlaceBet(1, "sun", 5), CloseBets())
    read(desk, "sun", "eye", "crown")
    assert recorded(service).sets == ()


def test_rows_from_before_sets_were_noted_keep_their_form_and_their_hash():
    old = {"kind": "record_roll", "roll": {"spike": ["sun"], "cube": []}, "how": "read"}
    old["evidence"] = None
    action = from_json(old)
    assert action.sets == ()
    assert to_json(action) == old


def test_a_set_outlives_the_log_and_its_audit(database, service, desk):  # noqa: F811
    desk.sets = lambda: {"spike": "Ivory"}
    opened(service, PlaceBet(1, "sun", 5), CloseBets())
    read(desk, "sun", "eye", "crown")
    stored = [entry.action for entry, _ in entries(database)]
    assert stored[-1].sets == (("spike", "Ivory"),)
    assert audit(database, Engine(GAMES)) == []


@pytest.mark.parametrize("sets", [[["spike", "Ivory"]], []])
def test_sets_come_back_from_json_as_they_went(sets):
    action = RecordRoll(SUNS, sets=tuple(map(tuple, sets)))
    assert from_json(json.loads(json.dumps(to_json(action)))) == action


def test_each_set_is_counted_by_itself_and_the_unknown_last():
    ivory = [throw(n, ["sun"] * 3, {"spike": "Ivory"}) for n in range(12)]
    brass = [throw(20 + n, ["spike", "flask", "crown"], {"spike": "Brass"}) for n in range(2)]
    older = [throw(40, ["eye"], {})]
    found = set_dice("spike", [*ivory, *brass, *older])
    assert [(each.name, each.found.dice) for each in found] == [
        ("Brass", 6),
        ("Ivory", 36),
        ("", 1),
    ]
    assert found[1].found.verdict is Verdict.STRONG, "36 suns in 36 dice"
    assert found[0].found.chi2 is None, "six dice tell nothing"
    assert set_dice("cube", [*ivory, *older]) == ()


def test_where_no_set_was_ever_noted_nothing_is_said_of_sets():
    assert set_dice("spike", [throw(1, ["eye"], {})]) == ()


def test_the_page_calls_what_it_does_not_know_unknown():
    found = set_dice("spike", [throw(1, ["sun"], {"spike": "Ivory"}), throw(2, ["eye"], {})])
    view = dice_view(found[0].found, found)
    assert [(each.name, each.dice) for each in view.sets] == [("Ivory", 1), ("unknown set", 1)]
