"""The station in one line, for ``systemctl status``."""

from __future__ import annotations

from collections.abc import Callable

from companion.following import Following
from companion.hub import Hub
from companion.rolls import DeskState, RollDesk
from vision.reading import TrayState


def status(desk: DeskState, watched: bool) -> str:
    """What the station is doing; ``watched`` when it has a camera to watch with."""
    if desk.camera:
        return desk.camera if isinstance(desk.camera, str) else desk.camera.english
    if not watched:
        return "No camera; throws are entered by hand"
    if desk.pending is not None:
        return "Waiting for the dealer's word on a reading"
    match desk.tray:
        case TrayState.OFFLINE:
            return "Opening the camera"
        case TrayState.MOVED:
            return "The camera or the tray has moved; nothing is read until they are back"
        case TrayState.DARK:
            return "Too dark to see the tray; nothing is read until there is light"
        case TrayState.FROZEN:
            return "The camera repeats one picture; nothing is read until it moves on"
        case _:
            return "Watching the tray"


class StatusLine:
    """Tells ``tell`` every new line until closed; ``where`` says how to reach the pages.

    ``watched`` is asked each time: a camera may be chosen, or let go, while the station runs.
    """

    def __init__(
        self,
        desk: RollDesk,
        hub: Hub,
        tell: Callable[[str], None],
        where: str,
        watched: Callable[[], bool],
    ) -> None:
        self._desk = desk
        self._tell = tell
        self._where = where
        self._watched = watched
        self._said = ""
        self._following = Following(hub, "status", self.update)

    def start(self) -> None:
        """Say the present state and follow it."""
        self._following.start()

    def close(self) -> None:
        """Say nothing more."""
        self._following.close()

    def update(self) -> None:
        """Say the state, if it is another one."""
        line = f"{status(self._desk.state(), self._watched())}. {self._where}"
        if line != self._said:
            self._said = line
            self._tell(line)
