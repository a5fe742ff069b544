"""Files of the log, the ledger and the rolls, for the dealer."""

from __future__ import annotations

from flask import Response, abort

from companion.exports import COLUMNS, What, as_csv, as_json, export

from . import dealer
from .context import web

TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@dealer.bp.get("/export/<what>.<form>")
def download(what: str, form: str) -> Response:
    """One of the three as CSV or JSON."""
    if what not in list(What) or form not in TYPES:
        abort(404)
    kind = What(what)
    rows = export(web().service, kind)
    text = as_csv(rows, COLUMNS[kind]) if form == "csv" else as_json(rows)
    headers = {"Content-Disposition": f'attachment; filename="{what}.{form}"'}
    return Response(text, content_type=TYPES[form], headers=headers)
