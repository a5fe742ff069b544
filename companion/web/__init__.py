"""The web application: one factory, given the services it may use."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

from flask import Flask

from . import (
    api,
    appeals,
    card_sheets,
    context,
    dealer,
    devices,
    display,
    entry,
    errors,
    exports,
    look,
    player,
    security,
    setup,
    setup_dice,
    statistics,
    stream,
    text,
)
from .services import WebServices

# These add routes when they are imported.
__all__ = [
    "WebServices",
    "appeals",
    "card_sheets",
    "create_app",
    "devices",
    "exports",
    "setup_dice",
    "statistics",
]


def create_app(services: WebServices) -> Flask:
    """The Flask application for one table."""
    app = Flask(__name__)
    app.secret_key = services.secret_key
    app.extensions["companion"] = services
    own = urlsplit(services.base_url())
    app.config.update(
        SESSION_COOKIE_SECURE=own.scheme == "https",
        PERMANENT_SESSION_LIFETIME=timedelta(days=2),  # a long evening, and the way home
        SEND_FILE_MAX_AGE_DEFAULT=0,  # asked again each time, answered by ETag
    )
    security.protect(app, [own.hostname or "localhost"])
    text.prepare(app, services.settings.language)
    app.context_processor(look.page_values)
    app.jinja_env.globals.update(new_request_id=context.new_request_id)
    errors.prepare(app)
    for module in (entry, dealer, setup, player, display, look, stream, api):
        app.register_blueprint(module.bp)
    return app
