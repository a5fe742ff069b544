"""Errors as a person reads them: what happened, that nothing was lost, what to do next."""

from __future__ import annotations

from flask import (
    Flask,
    Response,
    current_app,
    jsonify,
    make_response,
    render_template,
    url_for,
)
from flask_babel import gettext
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from companion.database import StorageError

from . import context
from .presenters.common import key
from .text import explained

SENTENCES = {
    400: key("The request could not be understood; nothing was changed."),
    403: key("This is not allowed here; nothing was changed."),
    404: key("There is no such page."),
    405: key("This page cannot be used that way."),
    413: key("That was too much to send; nothing was changed."),
    421: key("This address is not the table's own. Use the address on the table's screen."),
    429: key("Too many tries. Wait a minute, then try again."),
    500: key("Something went wrong on the table's side. The log is safe; reload the page."),
    503: key("The table is busy; this page will try again."),
}


def prepare(app: Flask) -> None:
    """Answer every error with a page, or with JSON where a script asked."""
    app.register_error_handler(HTTPException, answer)
    app.register_error_handler(CSRFError, outdated)
    app.register_error_handler(RecursionError, too_deep)
    app.register_error_handler(StorageError, not_stored)
    app.register_error_handler(Exception, broken)


def outdated(fault: CSRFError) -> Response:
    """The page was open since before this browser's session began."""
    return _answer(400, gettext("This page is out of date. Reload it and try again."))


def answer(fault: HTTPException) -> Response:
    """Any refused request; its own words where it has some of ours."""
    code = fault.code or 500
    ours = fault.description if fault.description != type(fault).description else None
    response = _answer(code, ours or gettext(SENTENCES.get(code, SENTENCES[400])))
    if code in (429, 503):
        response.headers["Retry-After"] = "5" if code == 503 else "60"
    return response


def too_deep(fault: RecursionError) -> Response:
    """JSON of thousands of brackets."""
    return _answer(400, gettext(SENTENCES[400]))


def not_stored(fault: StorageError) -> Response:
    """The disk refused; the fault's own words say why and what to do."""
    current_app.logger.error("not stored: %s", fault)
    return _answer(507, explained(fault), code="storage")


def broken(fault: Exception) -> Response:
    """A fault of ours: logged in full, told without details."""
    current_app.logger.exception("unexpected fault", exc_info=fault)
    return _answer(500, gettext(SENTENCES[500]))


def _answer(status: int, sentence: str, **facts: str) -> Response:
    if context.wants_json():
        return make_response(jsonify(sentence=sentence, **facts), status)
    page = render_template(
        "error.html", heading=gettext("Sorry"), sentence=sentence, back=url_for("entry.home")
    )
    return make_response(page, status)
