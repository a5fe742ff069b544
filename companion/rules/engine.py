"""The table as the fold of its actions.

``why_not`` / ``legal_actions`` / ``apply`` come as a triple, for the table and
for each game: the first says why an action is refused, the second drives every
button, the third returns the next table with the credits that moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from . import seating
from .actions import Action, ChooseGame, EndGame, RecordRoll
from .dice import CUBE_KIND, SPIKE_KIND, Expect
from .errors import Refusal, RuleError
from .model import Applied, Game, Line, Offer, Table
from .options import settle_options
from .transfers import OverdrawnError, post
from .words import key

Games = Mapping[str, Game]


class Engine:
    """The table's own rules over a set of games."""

    def __init__(self, games: Games) -> None:
        self.games = games

    def game(self, table: Table) -> Game | None:
        """The game being played."""
        return self.games[table.game] if table.game else None

    def why_not(self, table: Table, action: Action) -> Refusal | None:
        """Why ``action`` is refused now; None when ``apply`` will do it."""
        match action:
            case ChooseGame():
                return self._why_not_choose(table, action)
            case _ if seating.handles(action):
                return seating.why_not(table, action, self.game(table))
        game = self.game(table)
        if game is None:
            return Refusal("no_game", "Choose a game first.")
        return game.why_not(table, action) or _wrong_dice(game, table, action)

    def apply(self, table: Table, action: Action) -> Applied:
        """The table after ``action``; raises RuleError where ``why_not`` refuses."""
        refusal = self.why_not(table, action)
        if refusal is not None:
            raise RuleError(refusal)
        try:
            return self._apply(table, action)
        except OverdrawnError as fault:  # a rule let a debt through: refuse rather than lend
            raise RuleError(fault.refusal) from fault

    def legal_actions(self, table: Table, seat: int | None) -> tuple[Offer, ...]:
        """What a seat (None: the dealer) may do in the present game."""
        game = self.game(table)
        return game.legal_actions(table, seat) if game else ()

    def expects(self, table: Table) -> Expect | None:
        """The dice the next roll must show; None when no roll is due."""
        game = self.game(table)
        return game.expects(table) if game else None

    def _apply(self, table: Table, action: Action) -> Applied:
        match action:
            case ChooseGame(game=key):
                return self._choose(table, key, action.options)
            case _ if seating.handles(action):
                return seating.apply(table, action)
        game = self.games[table.game or ""]
        step = game.apply(table, action)
        accounts = post(table.accounts, step.transfers)
        after = replace(table, play=step.play, accounts=accounts)
        if isinstance(action, EndGame):
            after = replace(after, game=None, play=None, options={})
        return Applied(after, step.transfers, step.lines)

    def _why_not_choose(self, table: Table, action: ChooseGame) -> Refusal | None:
        if action.game not in self.games:
            return Refusal("unknown_game", "There is no game called {name}.", {"name": action.game})
        present = self.game(table)
        if present is not None and (busy := present.why_not(table, EndGame())):
            return busy
        return settle_options(self.games[action.game].toggles, action.options)[1]

    def _choose(self, table: Table, key: str, wanted: Mapping[str, Any]) -> Applied:
        game = self.games[key]
        options, _ = settle_options(game.toggles, wanted)
        ready = replace(table, game=key, options=options, play=None)
        line = Line("{game} begins.", {"game": game.title})
        return Applied(replace(ready, play=game.new(ready)), (), (line,))


_DICE = {SPIKE_KIND: key("{n} spike"), CUBE_KIND: key("{n} cube")}


def _wrong_dice(game: Game, table: Table, action: Action) -> Refusal | None:
    """A roll must show exactly the dice the game asked for."""
    if not isinstance(action, RecordRoll):
        return None
    expected = game.expects(table)
    if expected is None:
        return Refusal("no_roll_due", "No roll is due now.")
    if dict(expected) != dict(action.roll.expect):
        wanted = [Line(_DICE[kind], {"n": n}) for kind, n in expected.items()]
        return Refusal("wrong_dice", "This roll needs {wanted} dice.", {"wanted": wanted})
    return None
