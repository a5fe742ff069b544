"""The games and their house rules as the game sheet shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.chips import payable
from companion.rules.card_game import CardGame
from companion.rules.model import Game, Line, Table
from companion.rules.options import Toggle, Value

from .common import key

Chips = Sequence[tuple[str, int]]
STAKES = "stakes"  # the house rule that multiplies every ante of a game


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
    note: Line | None = None  # why ``value`` is proposed in the place of the default


@dataclass(frozen=True, slots=True)
class GameView:
    """A game that can be chosen; toggles show the present values when it is being played."""

    key: str
    title: str
    toggles: tuple[ToggleView, ...]


def game_view(game: Game, table: Table, chips: Chips = ()) -> GameView:
    """One game with its house rules; stakes that ``chips`` cannot pay are proposed higher."""
    present = table.options if table.game == game.key else {}
    toggles = tuple(_toggle_view(t, present.get(t.name, t.default)) for t in game.toggles)
    if not present:
        toggles = tuple(_in_chips(game, toggle, chips) for toggle in toggles)
    return GameView(game.key, game.title, toggles)


def _in_chips(game: Game, toggle: ToggleView, chips: Chips) -> ToggleView:
    """The least stakes at which every ante can be laid down in chips.

    Yarith Bespin's antes are 2 and 1: a table whose smallest chip is worth 5 cannot pay them.
    The rule's own default stays what it is; a table with smaller chips plays by it.
    """
    if toggle.name != STAKES or not isinstance(game, CardGame) or not chips:
        return toggle
    plain = {known.name: known.default for known in game.toggles}
    for stakes in range(toggle.least or 1, (toggle.most or 1) + 1):
        antes = game.antes({**plain, STAKES: stakes}).values()
        if all(payable(ante, chips) for ante in antes):
            break
    else:
        return toggle
    if stakes == toggle.default:
        return toggle
    values = {"n": stakes, "chip": min(worth for _, worth in chips)}
    text = key("{n} is proposed, for the table's smallest chip is worth {chip}.")
    return replace(toggle, value=stakes, note=Line(text, values))


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
