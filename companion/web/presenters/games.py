"""The games and their house rules as the game sheet shows them."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.model import Game, Table
from companion.rules.options import Toggle, Value


@dataclass(frozen=True, slots=True)
class ToggleView:
    """One house rule. ``kind`` is ``switch``, ``choice``, ``number`` or ``text``."""

    name: str
    kind: str
    meaning: str
    value: Value
    default: Value
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class GameView:
    """A game that can be chosen; toggles show the present values when it is being played."""

    key: str
    title: str
    toggles: tuple[ToggleView, ...]


def game_view(game: Game, table: Table) -> GameView:
    """One game with its house rules."""
    present = table.options if table.game == game.key else {}
    toggles = tuple(_toggle_view(t, present.get(t.name, t.default)) for t in game.toggles)
    return GameView(game.key, game.title, toggles)


def _toggle_view(toggle: Toggle, value: Value) -> ToggleView:
    return ToggleView(
        toggle.name,
        _kind(toggle),
        toggle.meaning,
        value,
        toggle.default,
        toggle.choices,
        toggle.least,
        toggle.most,
    )


def _kind(toggle: Toggle) -> str:
    if toggle.choices:
        return "choice"
    match toggle.default:
        case bool():
            return "switch"
        case int():
            return "number"
        case _:
            return "text"
