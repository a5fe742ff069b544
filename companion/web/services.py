"""What the pages are given to work with; bootstrap fills it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from companion.auth import JoinTokens, Pin, SeatCodes
from companion.config import Settings
from companion.hub import Hub
from companion.rolls import RollDesk
from companion.setup.model import Setup
from companion.table import Snapshot, TableService
from companion.wifi import Wifi


def no_frame() -> bytes | None:
    """Stands in for the camera on a station without one."""
    return None


@dataclass(frozen=True)
class WebServices:
    """Everything the web application may touch; it opens nothing itself."""

    service: TableService
    desk: RollDesk
    hub: Hub
    pin: Pin
    tokens: JoinTokens
    settings: Settings
    secret_key: str
    base_url: Callable[[], str]  # as phones reach the table now, without a slash at the end
    setup: Setup
    codes: SeatCodes = field(default_factory=SeatCodes)
    live_frame: Callable[[], bytes | None] = field(default=no_frame)  # the newest JPEG
    wifi: Wifi | None = None  # the station's own hotspot

    def show_code(self, seat: int, snapshot: Snapshot) -> str:
        """A fresh code that brings one more device to a seat."""
        return self.codes.issue(seat, self.tokens.seat_token(seat, snapshot))

    @property
    def table_name(self) -> str:
        """The table's name as its people chose it."""
        return self.setup.table.name
