"""The dealer's box at work: its pins opened, its buttons and lamps joined to the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.config import Settings
from companion.controls import Controls, Key
from companion.signals import Signals
from companion.web.services import WebServices
from hardware.buttons import Button, Buttons, Press, Timing
from hardware.lamps import Beep, Lamp, Lamps
from hardware.pins import PinsError, board_factory, conflict


@dataclass(frozen=True)
class Box:
    """The dealer's box, as far as there is one."""

    buttons: Buttons | None = None
    lamps: Lamps | None = None
    signals: Signals | None = None

    def start(self) -> None:
        """Begin to listen and to light."""
        for part in (self.signals, self.buttons):
            if part is not None:
                part.start()

    def close(self) -> None:
        """Give the pins back, lamps off."""
        for part in (self.buttons, self.signals, self.lamps):
            if part is not None:
                part.close()


def open_box(settings: Settings, services: WebServices, factory: Any) -> Box:
    """The buttons and lamps the settings name, at work. Raises PinsError."""

    def pressed(press: Press) -> None:
        controls.press(Key(press.value))

    buttons, board = open_pins(settings, pressed, factory)
    if buttons is None or board is None:
        return Box()
    controls = Controls(services.service, services.desk, services.hub, _answer(board))
    return Box(buttons, board, Signals(services.desk, services.hub, board))


def open_pins(
    settings: Settings, pressed: Callable[[Press], None], factory: Any
) -> tuple[Buttons | None, Lamps | None]:
    """The pins opened; nothing when none are named. Raises PinsError."""
    buttons, lamps = settings.buttons.pins(), settings.lamps.pins()
    named = {f"buttons.{name}": pin for name, pin in buttons.items()}
    named |= {f"lamps.{name}": pin for name, pin in lamps.items()}
    if not named:
        return None, None
    if problem := conflict(named):
        raise PinsError(problem)
    pins = board_factory() if factory is None else factory
    board = Lamps({Lamp(name): pin for name, pin in lamps.items()}, pins)
    timing = Timing(bounce_s=settings.buttons.bounce_s, hold_s=settings.buttons.hold_s)
    wired = {Button(name): pin for name, pin in buttons.items()}
    try:
        return Buttons(wired, pressed, pins, timing), board
    except PinsError:
        board.close()
        raise


def _answer(board: Lamps) -> Callable[[bool], None]:
    return lambda taken: board.beep(Beep.TAKEN if taken else Beep.REFUSED)
