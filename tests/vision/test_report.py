"""Figures of an evaluation, by hand-made trials with known outcomes."""

import json

import numpy as np
import pytest

from vision.evaluate import _told, conditions
from vision.reading import DieReading, Verdict
from vision.report import Report, Trial, counts, upper_bound
from vision.truth import TrueDie


@pytest.mark.parametrize(
    ("errors", "trials", "bound"), [(0, 3000, 0.000998), (0, 100, 0.02951), (1, 100, 0.04656)]
)
def test_upper_bounds_are_those_of_clopper_and_pearson(errors, trials, bound):
    assert upper_bound(errors, trials) == pytest.approx(bound, rel=1e-3)


def trial(verdict, right, confidence=0.99, good=True, image="x", variant=0, under=(), dice=()):
    return Trial(
        "a", image, variant, good, verdict, right, confidence, 100.0, (), (), under, tuple(dice)
    )


TRIALS = (
    trial(Verdict.ACCEPT, True, under=("felt",), dice=[(0.99, True), (0.992, True)]),
    trial(Verdict.ACCEPT, False, 0.985, variant=1, under=("felt",), dice=[(0.985, False)]),
    trial(Verdict.ASK, False, 0.5, image="y", under=("mat",), dice=[(0.5, False), (1.0, True)]),
    trial(Verdict.ACCEPT, False, good=False, under=("mat",), dice=[(0.1, False)]),
)


def test_a_report_counts_what_was_silently_wrong():
    figures = counts(TRIALS)
    assert (figures["accepted"], figures["silent"], figures["bad_accepted"]) == (2, 1, 1)
    assert (figures["rolls"], figures["distinct"]) == (3, 2)
    assert Report(TRIALS).risk_coverage()[0] == (0.3333, 0.0)


def test_variants_of_one_throw_are_one_witness():
    same = [trial(Verdict.ACCEPT, True, variant=n) for n in range(100)]
    assert counts(same)["silent_upper_95"] == pytest.approx(upper_bound(0, 100), abs=1e-6)
    assert counts(same)["silent_upper_95_distinct"] == pytest.approx(upper_bound(0, 1), abs=1e-6)


def test_every_condition_has_figures_of_its_own():
    figures = dict(Report(TRIALS).by_condition())
    assert figures["felt"]["rolls"] == 2
    assert figures["felt"]["silent"] == 1
    assert figures["mat"]["rolls"] == 1
    assert figures["mat"]["bad_accepted"] == 1


def test_stated_confidence_is_set_against_what_was_right():
    bins = Report(TRIALS).honesty()
    assert [(part["from"], part["dice"], part["right"]) for part in bins] == [
        (0.5, 1, 0.0),  # dice of bad scenes say nothing of how honest it is
        (0.98, 1, 0.0),
        (0.99, 2, 1.0),
        (0.995, 1, 1.0),
    ]


def test_the_report_is_told_to_people_and_machines():
    report = Report(TRIALS, ("b: no dice",))
    said = report.table()
    assert "3 rolls of 2 distinct throws; 66.7 % accepted." in said
    assert "Silently wrong among accepted: 1 of 2" in said
    assert "Not used: b: no dice" in said
    facts = json.loads(json.dumps(report.facts()))
    assert facts["silent"] == ["a/x variant 1"]
    assert facts["conditions"]["mat"]["asked"] == 1
    assert "<svg" in report.plot()
    assert not report.readable


def test_conditions_come_from_the_facts():
    facts = {
        "camera": {"tilt_deg": 8.0},
        "px_per_mm": 7,
        "dice_mm": {"spike": 13.4},
        "tray": {"floor": "mat"},
        "bars_mm": 6.2,
    }
    assert conditions(facts) == (
        "floor mat",
        "camera 8 to 16 deg aslant",
        "over 6 px per mm",
        "dice under 14 mm",
        "window bars",
    )


def test_conditions_that_no_fact_tells_are_not_made_up():
    assert conditions({"dice_mm": {"pip": 16}}) == ("dice 14 to 17 mm", "no window bars")
    assert conditions({"camera": None, "tray": [], "dice_mm": [16]}) == ("no window bars",)
    straight_down = conditions({"camera": {"tilt_deg": 0.0}})
    assert straight_down == ("camera under 8 deg aslant", "no window bars")


def test_a_die_is_judged_by_the_one_that_lies_there():
    square = np.array([(0, 0), (40, 0), (40, 40), (0, 40)], float)
    lying = [TrueDie("spike", "sun", square)]

    def read(face, shift):
        quad = tuple((float(x), float(y)) for x, y in square + shift)
        return DieReading("spike", face, quad, 0.9, (), ())

    dice = [read("sun", 3), read("eye", 5), read("sun", 60), read(None, 0)]
    assert list(_told(dice, lying)) == [(0.9, True), (0.9, False)]
