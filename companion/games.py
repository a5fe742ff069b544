"""The games this table can play. A game is listed here only when it is complete."""

from __future__ import annotations

from companion.rules.crown_and_spike import CROWN_AND_SPIKE
from companion.rules.engine import Games

GAMES: Games = {CROWN_AND_SPIKE.key: CROWN_AND_SPIKE}
