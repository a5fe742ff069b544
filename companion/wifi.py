"""The hotspot of the station, as the room's screen offers it: join once by scanning."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path


class WifiError(ValueError):
    """The hotspot's file cannot be used; the message names it."""


@dataclass(frozen=True, slots=True)
class Wifi:
    """Name and passphrase of a WPA2 network."""

    ssid: str
    passphrase: str

    def code(self) -> str:
        """What phones' cameras understand as a network to join.

        >>> Wifi("Cantina; back", "ab:cd1234").code()
        'WIFI:T:WPA;S:Cantina\\\\; back;P:ab\\\\:cd1234;;'
        """
        return f"WIFI:T:WPA;S:{_quoted(self.ssid)};P:{_quoted(self.passphrase)};;"


def read_wifi(file: Path | None) -> Wifi | None:
    """The hotspot that installing made; None where there is none. Raises WifiError."""
    if file is None or not file.exists():
        return None
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
        wifi = Wifi(str(found["ssid"]), str(found["passphrase"]))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as fault:
        text = f"{file}: the hotspot's name and passphrase cannot be read ({fault})"
        raise WifiError(f"{text}; run the installation with --hotspot again") from fault
    if not 1 <= len(wifi.ssid.encode()) <= 32 or not 8 <= len(wifi.passphrase) <= 63:
        raise WifiError(f"{file}: a hotspot has a name of 1 to 32 and a passphrase of 8 to 63")
    return wifi


def _quoted(text: str) -> str:
    return re.sub(r'([\\;,:"])', r"\\\1", text)
