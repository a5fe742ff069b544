"""Recorded throws through camera, reader and desk into games: nobody types a face."""

import json
import time

import pytest

from companion import bootstrap
from companion.auth import Actor, Role
from companion.config import Settings
from companion.rules.actions import (
    BuyIn,
    ChooseGame,
    FundBank,
    How,
    JoinSeat,
    RecordRoll,
    from_json,
)
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet

from .recordings import RECORDING

DEALER = Actor(Role.DEALER, None, "dealer")
PATIENCE_S = 90.0


@pytest.fixture
def station(tmp_path, enrolled):
    settings = Settings(data_dir=tmp_path, camera=f"replay:{RECORDING}", station=enrolled)
    made = bootstrap.build(settings)
    made.start()
    yield made
    made.close()


def play(station, *actions):
    for action in actions:
        station.services.service.submit(action, DEALER)


def rolls(station):
    """The throws recorded so far."""
    log = station.services.service.log()
    return [row.action for row in log if isinstance(row.action, RecordRoll)]


def next_roll(station, have):
    """The next throw that the table takes by itself."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if len(found := rolls(station)) > have:
            return found[have]
        time.sleep(0.05)
    raise AssertionError(f"no throw was read: {station.services.desk.state()}")


def seated(station, game, **options):
    play(station, JoinSeat(1, "Nova"), JoinSeat(2, "Rook"), BuyIn(1, 500), BuyIn(2, 500))
    play(station, FundBank(5000), ChooseGame(game, options))


def test_crown_and_spike_is_paid_from_the_camera(station):
    seated(station, "crown_and_spike")
    play(station, OpenRound(), PlaceBet(1, "crown", 10), PlaceBet(2, "sun", 20), CloseBets())
    roll = next_roll(station, 0)
    assert roll.how is How.READ
    assert len(roll.roll.spikes) == 3
    assert station.services.desk.evidence.load(roll.evidence) is not None
    assert station.services.service.audit() == []


def test_point_five_turns_are_thrown_one_die_at_a_time(station):
    seated(station, "point_five")
    play(station, from_json({"kind": "open_game"}))
    roll = next_roll(station, 0)
    assert roll.how is How.READ
    assert len(roll.roll.spikes) == 1
    assert next_roll(station, 1).how is How.READ  # due at once; the first die is cleared for it
    assert station.services.service.audit() == []


def test_sika_takes_three_cubes(station):
    seated(station, "sika")
    play(station, from_json({"kind": "open_game"}))
    for seat, colour in ((1, "red"), (2, "blue")):
        play(station, from_json({"kind": "call_colour", "seat": seat, "colour": colour}))
    roll = next_roll(station, 0)
    assert roll.how is How.READ
    assert len(roll.roll.cubes) == 3
    assert next_roll(station, 1).how is How.READ
    assert station.services.service.audit() == []


@pytest.mark.parametrize("game", ["galaxy_series", "yarith_bespin"])
def test_the_card_games_take_their_two_dice_from_the_camera(station, game):
    folder = RECORDING.parents[1] / "games" / game
    played = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))
    ]
    actions = next(
        p["actions"] for p in played if any(a["kind"] == "record_roll" for a in p["actions"])
    )
    before = actions[: [a["kind"] for a in actions].index("record_roll")]
    play(station, *(from_json(action) for action in before))
    roll = next_roll(station, 0)
    assert roll.how is How.READ
    assert len(roll.roll.spikes) == 2
    assert station.services.service.audit() == []
