"""What the buttons of the dealer's box do: the same as the station's keys, by the same path.

What is legal and what each button means now is asked of the station's own action bar, so
box and screen can never disagree. A choice that needs a screen is opened there.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from companion.auth import Actor, Role
from companion.database import StorageError
from companion.hub import Hub
from companion.rolls import DeskState, RollDesk
from companion.rules.actions import Action, Undo, from_json
from companion.rules.errors import Refusal
from companion.rules.words import key
from companion.table import Refused, Snapshot, Stale, TableService
from companion.web.presenters.dealer import ActionBar, Station, action_bar
from companion.web.presenters.history import last_roll
from companion.web.presenters.offers import OfferView

log = logging.getLogger(__name__)
BOX = Actor(Role.DEALER, None, "box")
GUARD_S = 0.45  # as on the screen: a hasty second press must not do what replaces the button
SEEN_S = 0.4  # a reading must have been on the screen for so long before a press can mean it


class Key(StrEnum):
    """What a press means; ``void`` is next, held."""

    CONFIRM = "confirm"
    CORRECT = "correct"
    UNDO = "undo"
    NEXT = "next"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class _Now:
    """The table, the tray and the buttons' meaning at one moment."""

    snapshot: Snapshot
    desk: DeskState
    bar: ActionBar


class Controls:
    """``answer(taken)`` is told how each press went, for a sound or a lamp.

    ``clock`` is the desk's, in seconds.
    """

    def __init__(
        self,
        service: TableService,
        desk: RollDesk,
        hub: Hub,
        answer: Callable[[bool], None] = lambda taken: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service = service
        self._desk = desk
        self._hub = hub
        self._answer = answer
        self._clock = clock
        self._deaf_until = float("-inf")

    def press(self, key: Key) -> Refusal | None:
        """Do what ``key`` means now; why not, when it was refused and nothing was changed."""
        if self._clock() < self._deaf_until:
            return Refusal("too_soon", "Pressed twice; the second press was ignored.")
        refusal = self._try(key)
        if refusal is not None:
            log.info("%s was refused: %s", key, refusal.sentence)
        self._deaf_until = self._clock() + GUARD_S
        self._answer(refusal is None)
        return refusal

    def _try(self, key: Key) -> Refusal | None:
        try:
            self._do(key, self._now())
        except Refused as refused:
            return refused.refusal
        except Stale:
            return Refusal("stale", "The table has moved on; look again and press again.")
        except StorageError as fault:
            return Refusal("storage", str(fault))
        return None

    def _do(self, key: Key, now: _Now) -> None:
        match key:
            case Key.CONFIRM:
                self._confirm(now)
            case Key.CORRECT:
                self._correct(now)
            case Key.UNDO:
                self._undo(now)
            case Key.NEXT:
                self._next(now)
            case Key.VOID:
                self._void(now)

    def _confirm(self, now: _Now) -> None:
        """Only faces the reader knows. Where a screen has the editor open, its faces count."""
        if now.desk.editing or now.bar.confirm_sheet:
            self._on_screen(Key.CONFIRM)
        elif now.bar.confirm:
            self._confirm_reading(now)
        else:
            raise Refused(Refusal("nothing_to_confirm", "There is no reading to confirm."))

    def _confirm_reading(self, now: _Now) -> None:
        pending = now.desk.pending
        if pending is None or self._clock() - pending.at < SEEN_S:
            text = key("The dice were read only just now; look at them and press again.")
            raise Refused(Refusal("too_soon", text))
        self._desk.confirm(
            BOX,
            None,
            reading=pending.id,
            expected_version=now.snapshot.version,
            request_id=_request_id(),
        )

    def _correct(self, now: _Now) -> None:
        if not now.bar.correct:
            raise Refused(Refusal("nothing_to_correct", "There are no dice to correct yet."))
        self._on_screen(Key.CORRECT)

    def _undo(self, now: _Now) -> None:
        if now.bar.undo is None:
            raise Refused(Refusal("nothing_to_undo", "Nothing has been done yet."))
        self._submit(Undo(now.bar.undo.to), now)

    def _next(self, now: _Now) -> None:
        if now.bar.next is not None:
            self._submit(_action(now.bar.next), now)
        elif now.bar.next_sheet:
            self._on_screen(Key.NEXT)
        else:
            raise Refused(Refusal("nothing_next", "There is nothing to go on to just now."))

    def _void(self, now: _Now) -> None:
        if now.bar.void is not None:
            self._submit(_action(now.bar.void), now)
        elif now.desk.pending is not None:
            self._desk.dismiss(BOX, now.desk.pending.id)
        else:
            raise Refused(Refusal("nothing_to_void", "There is nothing to void just now."))

    def _submit(self, action: Action, now: _Now) -> None:
        version = now.snapshot.version
        self._service.submit(action, BOX, expected_version=version, request_id=_request_id())

    def _on_screen(self, key: Key) -> None:
        self._hub.publish(f"key-{key}", 0)

    def _now(self) -> _Now:
        snapshot, desk = self._service.snapshot(), self._desk.state()
        history = snapshot.history
        station = Station(
            history=history,
            desk=desk,
            offers=history.engine.legal_actions(history.table, None),
            lines=(),
            picture=None,
            live=False,
            shown=None,
            table_name="",
            seats=0,
            chips=(),
        )
        return _Now(snapshot, desk, action_bar(station, last_roll(history)))


def _action(offer: OfferView) -> Action:
    """The action an offer without questions stands for, as its button would post it."""
    return from_json({**json.loads(offer.fields), "kind": offer.kind})


def _request_id() -> str:
    return f"box-{secrets.token_urlsafe(9)}"
