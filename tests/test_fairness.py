"""Chi-square against published tables, and words that fit the number of dice."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.fairness import (
    POWER_80,
    Verdict,
    chi_square,
    detectable,
    fairness,
    p_value,
    upper_gamma,
)

# Upper-tail critical values of chi-square (Abramowitz & Stegun 1964, table 26.8).
TABLE = [
    (1, 0.05, 3.84146),
    (1, 0.001, 10.8276),
    (2, 0.10, 4.60517),
    (5, 0.95, 1.145476),
    (5, 0.50, 4.35146),
    (5, 0.05, 11.0705),
    (5, 0.01, 15.0863),
    (5, 0.001, 20.515),
    (10, 0.99, 2.55821),
    (10, 0.05, 18.3070),
    (30, 0.05, 43.7729),
    (100, 0.05, 124.342),
]


@pytest.mark.parametrize(("freedom", "p", "value"), TABLE)
def test_p_values_are_those_of_the_tables(freedom, p, value):
    assert p_value(value, freedom) == pytest.approx(p, rel=2e-4)


@given(x=st.floats(0, 700))
def test_two_ways_to_the_same_tail(x):
    """For one and two degrees of freedom the tail has a closed form."""
    assert upper_gamma(1, x) == pytest.approx(math.exp(-x), rel=1e-10, abs=1e-300)
    assert upper_gamma(0.5, x) == pytest.approx(math.erfc(math.sqrt(x)), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("freedom", POWER_80)
def test_the_power_constants_give_four_chances_in_five(freedom):
    """The noncentral chi-square is a Poisson mixture of central ones."""
    critical = {1: 3.841459, 5: 11.070498}[freedom]
    half = POWER_80[freedom] / 2
    weights = [math.exp(-half + j * math.log(half) - math.lgamma(j + 1)) for j in range(80)]
    found = sum(w * p_value(critical, freedom + 2 * j) for j, w in enumerate(weights))
    assert found == pytest.approx(0.80, abs=0.001)


FACES = ("a", "b", "c", "d", "e", "f")


def of(*counts):
    seen = [face for face, count in zip(FACES, counts, strict=True) for _ in range(count)]
    return fairness("spike", FACES, seen, (), len(seen))


def test_nothing_is_said_below_five_of_each():
    few = of(29, 0, 0, 0, 0, 0)
    assert (few.verdict, few.chi2, few.p, few.wanted) == (Verdict.TOO_FEW, None, None, 1)
    assert of(30, 0, 0, 0, 0, 0).verdict is Verdict.STRONG
    assert of(0, 0, 0, 0, 0, 0).bias is None


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((10, 10, 10, 10, 10, 10), Verdict.UNREMARKABLE),
        ((19, 10, 10, 8, 7, 6), Verdict.UNREMARKABLE),  # chi2 = 11.0, p = 0.051
        ((20, 10, 9, 8, 7, 6), Verdict.NOTABLE),  # chi2 = 13.0, p = 0.023
        ((60, 20, 20, 20, 20, 20), Verdict.STRONG),
    ],
)
def test_the_words_follow_the_p_value(counts, verdict):
    assert of(*counts).verdict is verdict


def test_what_the_reader_saw_and_what_was_typed_are_told_apart_and_counted_together():
    both = fairness("cube", ("red", "blue"), ["red"] * 6, ["red"] * 2 + ["blue"] * 4, 6)
    assert [(f.read, f.manual, f.total) for f in both.faces] == [(6, 2, 8), (0, 4, 4)]
    assert both.chi2 == pytest.approx(chi_square([8, 4]))
    assert (both.dice, both.throws, both.expected) == (12, 6, 6)


def test_a_hundred_times_the_dice_show_a_tenth_of_the_bias():
    assert detectable(100, 6) == pytest.approx(10 * detectable(10_000, 6))
    assert detectable(2566, 6) == pytest.approx(math.sqrt(12.83 * 5 / 2566))
