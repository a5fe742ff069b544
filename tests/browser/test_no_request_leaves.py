"""No page asks another host for anything: watched in every browser test, and seen to bite here."""

from __future__ import annotations

import pytest

from companion.web import create_app

from .conftest import abroad

pytestmark = pytest.mark.browser
HOME = "http://127.0.0.1:8080/display"
FOREIGN = "http://192.0.2.7/pixel.png"  # a documentation address: nobody answers


@pytest.mark.parametrize(
    ("url", "leaves"),
    [
        ("http://127.0.0.1:8080/static/base.css", False),
        ("data:image/png;base64,AA", False),
        ("blob:http://127.0.0.1:8080/1", False),
        ("about:blank", False),
        ("http://127.0.0.1:9/static/base.css", True),
        ("https://fonts.example/font.woff2", True),
        ("//127.0.0.1.example/x.js", True),
    ],
)
def test_what_leaves_the_host(url, leaves):
    assert bool(abroad(url, HOME)) is leaves


def test_a_browser_that_is_let_would_be_caught(chromium):
    """Without the table's policy a picture from elsewhere is asked for, and that is noticed."""
    context = chromium.new_context()
    context.route("**/*", lambda route: route.abort())
    caught = []
    context.on("request", lambda sent: caught.extend(abroad(sent.url, HOME)))
    page = context.new_page()
    page.set_content(f"<img src='{FOREIGN}'>")
    context.close()
    assert caught == [f"a request left the host: {FOREIGN}"]


def test_the_tables_own_policy_lets_none_out(services, serve, chromium):
    """Script, picture, frame and data of another host are refused by the browser itself."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{serve(create_app(services))}/credits")
    page.evaluate(
        """async foreign => {
          globalThis.refused = [];
          document.addEventListener("securitypolicyviolation",
            (event) => refused.push(event.effectiveDirective));
          for (const [name, key] of [["img", "src"], ["script", "src"], ["iframe", "src"]]) {
            const element = document.createElement(name);
            element[key] = foreign;
            document.body.append(element);
          }
          await fetch(foreign).catch(() => 0);
        }""",
        FOREIGN,
    )
    page.wait_for_function("() => refused.length >= 4")
    assert sorted(page.evaluate("refused")) == [
        "connect-src",
        "frame-src",
        "img-src",
        "script-src-elem",
    ]
    context.close()
