"""Real Chromium against a real server on loopback; skipped, saying why, where it is missing."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import waitress

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "docs" / "screenshots"
SIZES = {"dealer": (1280, 800), "phone": (390, 844), "display": (1920, 1080)}


@pytest.fixture(scope="session")
def chromium() -> Iterator:
    """One browser for all tests."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if not CHROMIUM.exists() and not shutil.which("chromium"):
        pytest.skip("Chromium is missing: apt-get install chromium, or set CHROMIUM to its path")
    path = CHROMIUM if CHROMIUM.exists() else shutil.which("chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(path), args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def serve() -> Iterator[Callable]:
    """Serve a Flask application on a free loopback port; gives its address."""
    servers = []

    def start(app) -> str:
        server = waitress.create_server(app, host="127.0.0.1", port=0, threads=24)
        threading.Thread(target=server.run, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.effective_port}"

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def open_page(chromium) -> Iterator[Callable]:
    """Open a page of its own (own cookies) in one of the three sizes; faults fail the test."""
    contexts, faults = [], []

    def start(kind: str, url: str):
        width, height = SIZES[kind]
        context = chromium.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: faults.append(f"{kind}: {error}"))
        page.on(
            "console",
            lambda line: faults.append(f"{kind}: {line.text}") if "Policy" in line.text else None,
        )
        page.goto(url)
        return page

    yield start
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def picture() -> Callable:
    """Keep a screenshot in docs when COMPANION_SCREENSHOTS=1."""

    def keep(page, name: str) -> None:
        if os.environ.get("COMPANION_SCREENSHOTS") == "1":
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            page.wait_for_timeout(1200)  # for animations; no check depends on it
            page.screenshot(path=SCREENSHOTS / f"{name}.png")

    return keep
