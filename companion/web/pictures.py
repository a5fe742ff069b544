"""Camera frames and kept pictures as the pages show them."""

from __future__ import annotations

from flask import Response, abort, url_for

from companion.rolls import DeskState
from vision.reading import Reading

from .context import web
from .presenters.tray import Picture, jpeg_size

NO_SIZE = (1280, 960)


def station_picture(desk: DeskState) -> tuple[Picture | None, bool]:
    """The picture the station shows, and whether it is the living one.

    While a reading waits its own picture stands still under the outlines.
    """
    if desk.pending and (kept := evidence_picture(desk.pending.evidence_id)):
        return kept, False
    frame = web().live_frame()
    if frame is None:
        return None, False
    width, height = jpeg_size(frame) or NO_SIZE
    return Picture(url_for("dealer.tray_picture"), width, height), True


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
