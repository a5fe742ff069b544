"""The table's state on the box's lamps, which hold still while a read is armed."""

from __future__ import annotations

from typing import Protocol

from companion.following import Following
from companion.hub import Hub
from companion.rolls import DeskState, RollDesk
from vision.reading import TrayState

BLIND = frozenset({TrayState.OFFLINE, TrayState.MOVED, TrayState.DARK, TrayState.FROZEN})


class Board(Protocol):
    """The lamps, as the table uses them."""

    def show(self, signal: str) -> None:
        """Light ``ready``, ``ask`` or ``trouble``."""

    def celebrate(self) -> None:
        """A throw was recorded."""

    def freeze(self) -> None:
        """Hold still."""

    def thaw(self) -> None:
        """Show again what is asked."""


def signal(desk: DeskState) -> str:
    """Which lamp the dealer should see."""
    if desk.camera or desk.tray in (TrayState.MOVED, TrayState.FROZEN):
        return "trouble"
    return "ask" if desk.pending is not None else "ready"


def armed(desk: DeskState) -> bool:
    """Whether the next dice to lie still are read and may move credits unasked."""
    watched = not desk.camera and desk.tray not in BLIND
    return watched and desk.expect is not None and desk.pending is None


class Signals:
    """Follows the table's events until closed."""

    def __init__(self, desk: RollDesk, hub: Hub, board: Board) -> None:
        self._desk = desk
        self._board = board
        self._was_due = False
        self._following = Following(hub, "lamps", self.update)

    def start(self) -> None:
        """Show the present state and follow it."""
        self._following.start()

    def close(self) -> None:
        """Stop following."""
        self._following.close()

    def update(self) -> None:
        """Bring the lamps up to the table."""
        desk = self._desk.state()
        due = desk.expect is not None
        if armed(desk):
            self._board.show(signal(desk))
            self._board.freeze()
        else:
            self._board.thaw()
            self._board.show(signal(desk))
            if self._was_due and not due and desk.last is not None:
                self._board.celebrate()
        self._was_due = due
