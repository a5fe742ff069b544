"""A table with two seats, and clients in each role."""

from __future__ import annotations

import itertools
import re

import pytest

from companion.web import create_app
from companion.web.security import limiter
from tests.web.card_evening import Evening

_ids = itertools.count()


@pytest.fixture(scope="session")
def made():
    """The one application of all tests, as it was made: its routes take longer than most tests."""
    return []


@pytest.fixture
def app(services, made):
    """The application, on this test's own table and as if just started."""
    if not made:
        app = create_app(services)
        made += [app, dict(app.extensions)]
    app, extensions = made
    app.secret_key = services.secret_key
    app.extensions = {**extensions, "companion": services}
    app.testing = False  # errors must come out as pages, not as exceptions
    limiter.reset()
    return app


def token_of(client) -> str:
    """The CSRF token any page with a form carries."""
    page = client.get("/dealer/login").get_data(as_text=True)
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found
    return found[1]


@pytest.fixture
def csrf():
    return token_of


@pytest.fixture
def post(services):
    """Post a form with everything a page's form carries; ``script`` asks for JSON as pages do."""

    def send(client, path, *, headers=None, script=True, **form):
        data = {
            "csrf_token": token_of(client),
            "expected_version": str(services.service.snapshot().version),
            "request_id": f"test-{next(_ids):08}",
            **form,
        }
        wanted = {"Accept": "application/json"} if script else {}
        return client.post(path, data=data, headers={**wanted, **(headers or {})})

    return send


@pytest.fixture
def viewer(app):
    return app.test_client()


@pytest.fixture
def dealer(app, services, post):
    client = app.test_client()
    assert post(client, "/dealer/login", pin="483920", script=False).status_code == 303
    return client


def seated(app, services, post, seat, name):
    client = app.test_client()
    form = {"token": services.tokens.issue(), "seat": str(seat), "name": name, "colour": "teal"}
    assert post(client, "/join", script=False, **form).status_code == 303
    return client


@pytest.fixture
def nova(app, services, post):
    return seated(app, services, post, 1, "Nova")


@pytest.fixture
def rook(app, services, post, nova):
    return seated(app, services, post, 2, "Rook")


@pytest.fixture
def evening(services, nova, rook):
    return Evening(services)
