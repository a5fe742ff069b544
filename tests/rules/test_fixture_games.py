"""Played games, one file each: the log's actions and the credits they must leave.

``fixtures/games/<game>/*.json`` holds ``game``, ``title``, ``options``, ``end`` (one of the
game's end reasons), ``covers`` (house rules this game shows, with their values),
``actions`` as the log stores them, and ``balances`` of every account but the house.
A file put there is played by these tests; an end or a house rule without one fails them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.games import GAMES
from companion.rules.actions import ChooseGame, from_json, to_json
from companion.rules.engine import Engine
from companion.rules.history import History
from companion.rules.model import Table
from companion.rules.options import Toggle
from companion.rules.transfers import HOUSE, post

FOLDER = Path(__file__).parents[2] / "fixtures" / "games"
KEYS = {"game", "title", "options", "end", "covers", "actions", "balances"}
FILES = sorted(FOLDER.glob("*/*.json"))


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def fixtures_of(game: str) -> Iterator[dict[str, Any]]:
    return (read(path) for path in FILES if path.parent.name == game)


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def values_of(toggle: Toggle) -> list[Any]:
    """Every value; of a number its default, to which one more must be shown."""
    if toggle.choices:
        return list(toggle.choices)
    return [False, True] if isinstance(toggle.default, bool) else [toggle.default]


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_played_game_leaves_these_credits(path):
    played = read(path)
    assert set(played) == KEYS
    assert played["game"] == path.parent.name
    history, ledger = History(Engine(GAMES), Table()), {}
    for number, data in enumerate(played["actions"], 1):
        action = from_json(data)
        assert from_json(to_json(action)) == action
        refusal = history.why_not(action)
        assert refusal is None, f"entry {number}: {refusal}"
        history, posted, _ = history.push(action)
        ledger = post(ledger, (entry.transfer for entry in posted))
    table = history.table
    assert table.game == played["game"]
    assert GAMES[table.game].ended(table) == played["end"]
    assert ledger == table.accounts
    credits = dict(ledger)
    assert -credits.pop(HOUSE, 0) == sum(played["balances"].values())
    assert credits == played["balances"]


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_played_game_has_the_house_rules_it_claims(path):
    played = read(path)
    chosen = [from_json(data) for data in played["actions"] if data["kind"] == "choose_game"]
    assert chosen[-1] == ChooseGame(played["game"], played["options"])
    defaults = {toggle.name: toggle.default for toggle in GAMES[played["game"]].toggles}
    assert {**defaults, **played["options"], **played["covers"]} == {
        **defaults,
        **played["options"],
    }


@pytest.mark.parametrize("key", GAMES)
def test_every_end_of_a_game_is_played(key):
    assert {end.value for end in GAMES[key].ends} == {f["end"] for f in fixtures_of(key)}


@pytest.mark.parametrize("key", GAMES)
def test_every_value_of_every_house_rule_is_played(key):
    shown = [(n, value) for played in fixtures_of(key) for n, value in played["covers"].items()]
    for toggle in GAMES[key].toggles:
        values = [value for name, value in shown if name == toggle.name]
        missing = [value for value in values_of(toggle) if value not in values]
        assert not missing, f"{key}: no game shows {toggle.name} = {missing}"
        assert len(set(values)) > 1, f"{key}: no game shows another {toggle.name}"


def test_every_folder_is_a_game():
    assert {path.parent.name for path in FILES} == set(GAMES)
