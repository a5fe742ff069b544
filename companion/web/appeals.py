"""The dealer's look at past rolls: every one of the evening, with its picture and scores."""

from __future__ import annotations

from flask import abort
from flask_babel import gettext

from .context import web
from .dealer import bp, sheet
from .pictures import evidence_picture, evidence_reading
from .presenters.appeals import RollView, die_scores, roll_views


def _rolls() -> tuple[RollView, ...]:
    return roll_views(web().service.snapshot().history, web().service.log())


@bp.get("/rolls")
def rolls() -> str:
    """All rolls, newest first."""
    return sheet("rolls", gettext("Rolls"), web().service.snapshot(), rolls=_rolls()[:200])


@bp.get("/roll/<int:entry>")
def roll(entry: int) -> str:
    """One roll: the kept picture with the faces drawn, every score, and who answered for it."""
    found = next((each for each in _rolls() if each.entry == entry), None)
    if found is None:
        abort(404)
    picture = evidence_picture(found.evidence)
    size = (picture.width, picture.height) if picture else (0, 0)
    return sheet(
        "roll",
        gettext("Roll of %(time)s", time=found.time),
        web().service.snapshot(),
        r=found,
        picture=picture,
        scores=die_scores(evidence_reading(found.evidence), size),
    )
