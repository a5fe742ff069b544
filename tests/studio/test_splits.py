"""What chooses the reader's thresholds and what judges them have nothing in common."""

import json
import tomllib
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from fixtures.studio.art import FAMILIES
from fixtures.studio.facts import describe
from fixtures.studio.stations import SPLITS
from fixtures.studio.variety import nearer, random_station
from fixtures.studio.wider import wider

FIXTURES = Path(__file__).parents[2] / "fixtures"
EVERY = {"dev": 10, "validation": 1, "test": 1}  # of thousands in dev, each drawn as any other
WRITTEN = tomllib.loads((FIXTURES / "splits.toml").read_text(encoding="utf-8"))


def recorded(name):
    return json.loads((FIXTURES / "sessions" / name / "recording.json").read_text("utf-8"))


@cache
def sketched(split):
    written = [WRITTEN[split][name] for name in ("sketches", "leaning") if name in WRITTEN[split]]
    seeds = [n for first, last in written for n in range(first, last + 1, EVERY[split])]
    return [facts for seed in seeds for facts in drawn(seed, split)]


def drawn(seed, split):
    """What is written of a random station, seen from afar and near, and some of more kinds."""
    families = set(FAMILIES)
    kinds = [random_station(seed, split)]
    kinds.append(nearer(kinds[0]))
    if seed % 20 in (0, 1):  # these take longer; every `leaning` one ends in 1
        kinds.append(wider(kinds[0]))
    for signs in set(FAMILIES) - families:  # six megabytes each, for thousands of stations
        del FAMILIES[signs]
    return [json.loads(json.dumps(describe(kind))) for kind in kinds]


def shared(facts):
    """What no two splits may have in common, by its name."""
    return {
        "dice": (facts["dice_set"]["spike"], facts["dice_mm"]["spike"]),
        "tray": json.dumps({**facts["tray"], "corners_px": None}),
        "light": json.dumps(facts["light"]),
        "lens": json.dumps(facts["camera"]),
    }


def test_every_recording_is_in_the_split_it_names():
    written = {name: split for split in SPLITS for name in WRITTEN[split]["sessions"]}
    there = {path.parent.name for path in FIXTURES.glob("sessions/*/recording.json")}
    assert set(written) == there
    assert {name: recorded(name)["split"] for name in there} == written


@pytest.mark.parametrize(("one", "other"), list(combinations(SPLITS, 2)))
def test_splits_share_no_dice_tray_light_or_lens(one, other):
    ours, theirs = (
        [shared(f) for f in [*map(recorded, WRITTEN[split]["sessions"]), *sketched(split)]]
        for split in (one, other)
    )
    for what in ("dice", "tray", "light", "lens"):
        assert not {facts[what] for facts in ours} & {facts[what] for facts in theirs}


def test_the_same_seed_gives_another_station_in_each_split():
    stations = [describe(random_station(1, split)) for split in SPLITS]
    assert len({json.dumps(facts["dice_mm"]) for facts in stations}) == len(SPLITS)
    assert len({facts["dice_set"]["spike"] for facts in stations}) == len(SPLITS)


@pytest.mark.parametrize("split", SPLITS)
def test_a_seed_gives_the_same_station_every_time(split):
    one, again = (json.dumps(describe(random_station(2, split))) for _ in range(2))
    assert one == again
