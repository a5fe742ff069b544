"""The games this table can play, by key."""

from __future__ import annotations

from companion.rules.crown_and_spike import CROWN_AND_SPIKE
from companion.rules.engine import Games
from companion.rules.galaxy_series import GALAXY_SERIES
from companion.rules.point_five import POINT_FIVE
from companion.rules.sika import SIKA
from companion.rules.yarith_bespin import YARITH_BESPIN

GAMES: Games = {
    game.key: game for game in (CROWN_AND_SPIKE, POINT_FIVE, SIKA, GALAXY_SERIES, YARITH_BESPIN)
}
