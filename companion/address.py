"""Where phones reach this machine. Asked anew each time: at power-on the network comes later."""

from __future__ import annotations

import socket
from collections.abc import Iterable

ELSEWHERE = "192.0.2.1"  # routed like any place outside the house; RFC 5737
HOTSPOT_GUEST = "10.42.0.2"  # a neighbour in the network of our own hotspot (systemd/hotspot)
ALONE = "127.0.0.1"


def lan_address(towards: Iterable[str] = (ELSEWHERE, HOTSPOT_GUEST)) -> str:
    """This machine's address in the house's network, else in that of its own hotspot.

    With both, phones in the hotspot reach the house's address too, through this machine.
    """
    return next(filter(None, map(_own_address, towards)), ALONE)


def _own_address(target: str) -> str:
    """The address packets to ``target`` would carry; connecting such a socket sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((target, 9))
            return str(probe.getsockname()[0])
        except OSError:
            return ""
