"""Which pages belong to which game."""

from __future__ import annotations

from collections.abc import Mapping

from companion.rules.crown_and_spike import CROWN_AND_SPIKE
from companion.rules.galaxy_series import GALAXY_SERIES
from companion.rules.model import Table
from companion.rules.point_five import POINT_FIVE
from companion.rules.sika import SIKA
from companion.rules.yarith_bespin import YARITH_BESPIN

from . import crown_and_spike, galaxy_series, point_five, sika, yarith_bespin
from .pages import Pages

PLAIN = Pages()
PAGES: Mapping[str, Pages] = {
    CROWN_AND_SPIKE.key: crown_and_spike.PAGES,
    POINT_FIVE.key: point_five.PAGES,
    SIKA.key: sika.PAGES,
    GALAXY_SERIES.key: galaxy_series.PAGES,
    YARITH_BESPIN.key: yarith_bespin.PAGES,
}


def pages_of(table: Table) -> Pages:
    """The pages of the game being played; plain ones when there are none."""
    return PAGES.get(table.game or "", PLAIN)
