"""Random play of both card games: ten thousand legal steps each, and many illegal ones."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.games import GAMES
from companion.rules.galaxy_series import (
    BuyArray,
    DiscardGain,
    Gain,
    LayArray,
    NameArrayCard,
    SwapArray,
)
from companion.rules.yarith_bespin import BuyCard, LaySpikes, Place, SwapSpike
from tests.rules.card_play import random_evening

EVENINGS, STEPS = 70, 150
STEPS_DONE: dict[str, int] = {"galaxy_series": 0, "yarith_bespin": 0}
ENDS: dict[str, set] = {"galaxy_series": set(), "yarith_bespin": set()}


def galaxy_actions(seat, amount, chance):
    discards = chance.random() < 0.5
    return [
        LayArray(),
        NameArrayCard(amount % 4, "+7c"),
        Gain(seat, discards),
        DiscardGain(seat, discards),
        BuyArray(seat, amount % 5),
        SwapArray(seat, amount % 5),
    ]


def yarith_actions(seat, amount, chance):
    place = chance.choice(list(Place))
    return [LaySpikes(), BuyCard(seat, place, chance.random() < 0.5), SwapSpike(seat)]


OWN = {"galaxy_series": galaxy_actions, "yarith_bespin": yarith_actions}


def options_of(game):
    """Some of the game's toggles at any of their values."""
    known = {
        toggle.name: st.sampled_from(toggle.choices)
        if toggle.choices
        else st.booleans()
        if isinstance(toggle.default, bool)
        else st.integers(1, 4)
        for toggle in GAMES[game].toggles
    }
    return st.fixed_dictionaries({}, optional=known)


@pytest.mark.parametrize("game", sorted(OWN))
def test_random_evenings(game):
    @settings(
        max_examples=EVENINGS,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(options_of(game), st.integers(0, 2**32))
    def evening(options, seed):
        done, ends = random_evening(game, options, random.Random(seed), STEPS, OWN[game])
        STEPS_DONE[game] += done
        ENDS[game] |= ends

    evening()
    assert STEPS_DONE[game] >= 10_000
    assert {str(end) for end in ENDS[game]} == {end.value for end in GAMES[game].ends}
