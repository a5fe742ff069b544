"""Camera frames and kept pictures as the pages show them."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response, abort, url_for

from companion.rolls import DeskState
from vision.reading import Reading

from .context import web
from .presenters.tray import Picture, jpeg_size

NO_SIZE = (1280, 960)


@dataclass(frozen=True, slots=True)
class Shown:
    """The picture on the station and the reading drawn on it; ``live`` when it moves."""

    picture: Picture | None
    live: bool
    reading: Reading | None = None


def station_picture(desk: DeskState) -> Shown:
    """A reading stands still with its own picture as long as its dice lie in the tray."""
    waiting = desk.pending.reading if desk.pending else None
    evidence_id = desk.pending.evidence_id if desk.pending else desk.last
    kept = load_evidence(evidence_id)
    if kept is not None:
        return Shown(evidence_picture(evidence_id), False, kept[1])
    frame = web().live_frame()
    if frame is None:
        return Shown(None, False, waiting)
    width, height = jpeg_size(frame) or NO_SIZE
    return Shown(Picture(url_for("dealer.tray_picture"), width, height), True, waiting)


def load_evidence(evidence_id: str | None) -> tuple[bytes, Reading] | None:
    """The kept picture and its reading; None when the ring has let it go."""
    if not evidence_id:
        return None
    return web().desk.evidence.load(evidence_id)


def evidence_picture(evidence_id: str | None) -> Picture | None:
    """The kept picture by address and size."""
    kept = load_evidence(evidence_id)
    if kept is None:
        return None
    width, height = jpeg_size(kept[0]) or NO_SIZE
    return Picture(url_for("dealer.evidence", evidence_id=evidence_id), width, height)


def evidence_reading(evidence_id: str | None) -> Reading | None:
    """What the reader said about a kept picture."""
    kept = load_evidence(evidence_id)
    return kept[1] if kept else None


def jpeg_response(data: bytes | None) -> Response:
    """A JPEG, or 404 when there is none."""
    if data is None:
        abort(404)
    return Response(data, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})
