"""The rail that says how far a hand of cards has come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.rules.card_state import Phase, Play

from .common import key

WORDS = {
    Phase.IDLE: key("Ante"),
    Phase.DEAL: key("Deal"),
    Phase.ARRAY: key("Draw"),
    Phase.CARDS: key("Cards"),
    Phase.SPIKES: key("Spike"),
    Phase.BUYING: key("Buy"),
    Phase.BETTING: key("Bets"),
    Phase.DICE: key("Dice"),
    Phase.SHOWDOWN: key("Show"),
}
LAST = (Phase.SHOWDOWN, Phase.LAST_SEAT, Phase.BLIND_DRAW)

Rounds = Sequence[tuple[Phase, ...]]  # the phases of each round, in order


@dataclass(frozen=True, slots=True)
class Stage:
    """One word of the rail; ``state`` is ``done``, ``now`` or ``ahead``."""

    label: str
    state: str


@dataclass(frozen=True, slots=True)
class Group:
    """The opening, one round, or the showdown. ``number`` is 0 but for rounds."""

    number: int
    state: str
    stages: tuple[Stage, ...]


def rail(play: Play, rounds: Rounds) -> tuple[Group, ...]:
    """Opening, rounds and showdown, each with its phases."""
    groups = ((Phase.IDLE, Phase.DEAL), *rounds, (Phase.SHOWDOWN,))
    here = place(play, len(rounds))
    return tuple(_group(play, phases, n, here, len(rounds)) for n, phases in enumerate(groups))


def place(play: Play, rounds: int) -> int:
    """Which group the hand is in: 0 the opening, then the rounds, then the showdown."""
    if play.phase in (Phase.IDLE, Phase.DEAL):
        return 0
    if play.phase in LAST:
        return rounds + 1
    return play.round_no + (play.phase is Phase.SPIKES)  # laid between the first two rounds


def _group(play: Play, phases: tuple[Phase, ...], n: int, here: int, rounds: int) -> Group:
    now = phases.index(_shown(play.phase)) if n == here else len(phases) if n < here else -1
    stages = tuple(Stage(WORDS[phase], _state(i, now)) for i, phase in enumerate(phases))
    return Group(n if 0 < n <= rounds else 0, _state(n, here), stages)


def _shown(phase: Phase) -> Phase:
    return Phase.SHOWDOWN if phase in LAST else phase


def _state(index: int, now: int) -> str:
    return "now" if index == now else "done" if index < now else "ahead"
