"""What every request must pass, and the headers every answer carries."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from flask import Flask, Response, abort, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_wtf.csrf import CSRFProtect

BODY_BYTES = 64 * 1024  # the longest form is the game sheet, well below 4 KiB
JOIN_LIMIT = "30/minute"
PIN_LIMIT = "10/minute;60/hour"  # the PIN itself locks out sooner, for all addresses together

CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
# With "no-referrer" browsers send "Origin: null" on form posts, which the check below refuses.
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

csrf = CSRFProtect()
limiter = Limiter(get_remote_address, storage_uri="memory://", strategy="moving-window")


def protect(app: Flask, names: Iterable[str]) -> None:
    """Put every request of ``app`` behind the checks; ``names`` are further own host names."""
    app.config.update(
        MAX_CONTENT_LENGTH=BODY_BYTES,
        MAX_FORM_PARTS=200,
        SESSION_COOKIE_NAME="companion",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        WTF_CSRF_TIME_LIMIT=None,  # a station stays open all evening; the session bounds it
    )
    csrf.init_app(app)
    limiter.init_app(app)
    known = frozenset(name.lower() for name in names) | {socket.gethostname().lower()}

    @app.before_request
    def guard() -> None:
        if not host_allowed(request.host, known):
            abort(421)
        if request.method not in ("GET", "HEAD", "OPTIONS") and not _same_origin():
            abort(403, description="This request came from another site and was not carried out.")

    @app.after_request
    def headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if not request.path.startswith("/static/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def host_allowed(host: str, known: frozenset[str]) -> bool:
    """Whether a Host header may be answered; other names could be rebound to us by DNS.

    >>> host_allowed("192.168.1.7:8080", frozenset())
    True
    >>> host_allowed("table.example", frozenset())
    False
    """
    name = (_hostname(host) or "").lower().rstrip(".")
    if name in known or name == "localhost" or name.endswith(".local"):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _same_origin() -> bool:
    """Browsers send Origin with every post; a missing one comes from no browser page."""
    origin = request.headers.get("Origin")
    if origin is None:
        return request.headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none")
    return urlsplit(origin).netloc == request.host and origin != "null"
