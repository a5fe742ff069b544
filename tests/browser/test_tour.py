"""A tour of every page and state: German words fit, axe finds nothing, pictures on request.

With COMPANION_SCREENSHOTS=1 (`make screenshots`) each stop is also kept in docs/screenshots.
"""

from __future__ import annotations

import os

import cv2
import numpy as np
import pytest

from companion.web.look import Theme
from companion.web.text import COOKIE

from .conftest import SCREENSHOTS
from .ruler import measure
from .scenes import SCENES
from .test_axe import AXE, THEMED, WEAR, axe  # noqa: F401 - a fixture
from .test_axe import SIZES as AXE_SIZES
from .tour import SIZES, Stage, go

pytestmark = pytest.mark.browser
WEBP_QUALITY = 74
TALLEST_PX = 2600  # of a picture; what lies below is more of the same
IN_PICTURES = os.environ.get("COMPANION_SCREENSHOTS") == "1"


@pytest.fixture
def stage(services, serve, open_page):
    return Stage(services, serve, open_page)


def wear(page, url: str, **cookies: str) -> None:
    page.context.add_cookies([{"name": n, "value": v, "url": url} for n, v in cookies.items()])


def visit(stage, stop, size, **cookies):
    """The page of a stop, in a size and with the screen's own wishes."""
    page = stage.page(stop.kind)
    wear(page, stage.url, **cookies)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    go(stage, stop, page)
    return page


@pytest.mark.parametrize("scene", SCENES)
def test_german_words_fit_and_axe_finds_nothing(scene, stage, axe):  # noqa: F811
    """What axe judges has no language; coming to a stop is most of the time, so it is done once."""
    faults = []
    turn = 0
    for stop in SCENES[scene](stage):
        for size in SIZES[stop.kind]:
            page = visit(stage, stop, size, **{COOKIE: "de"})
            faults += [f"{stop.name} {size[0]}: {fault}" for fault in measure(page)]
        if stop.axe:
            judge(page, axe, stop.name, turn)
            turn += 1
    assert faults == [], "\n".join(faults)


def judge(page, axe, name: str, turn: int) -> None:  # noqa: F811
    """A state in three of the nine pairs of size and theme: every size and theme once."""
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(axe.script)
    for number, size in enumerate(AXE_SIZES):
        theme = list(Theme)[(turn + number) % len(Theme)]
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate(WEAR, theme.value)
        rules = [] if theme is Theme.CANTINA else THEMED
        axe.faults += [f"{name} {size[0]} {theme}: {f}" for f in page.evaluate(AXE, rules)]


@pytest.mark.skipif(not IN_PICTURES, reason="pictures are taken by make screenshots")
@pytest.mark.parametrize("scene", SCENES)
def test_pictures(scene, stage):
    """Not a check: what people look at."""
    for stop in SCENES[scene](stage):
        for size in SIZES[stop.kind]:
            keep(visit(stage, stop, size, **{COOKIE: "en", "theme": "cantina"}), stop, size)
        if not stop.main:
            continue
        size = SIZES[stop.kind][0]
        for theme in (Theme.BRIGHT, Theme.CONTRAST):
            page = visit(stage, stop, size, **{COOKIE: "en", "theme": theme.value})
            keep(page, stop, size, f"-{theme}")
        for size in SIZES[stop.kind]:
            page = visit(stage, stop, size, **{COOKIE: "de", "theme": "cantina"})
            keep(page, stop, size, "-de")


def keep(page, stop, size, how: str = "") -> None:
    """A picture of the page in docs/screenshots; small phones say so in its name."""
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("Promise.all([...document.images].map(i => i.decode().catch(() => 0)))")
    page.wait_for_timeout(250)  # for pictures inside drawings; no check depends on it
    whole = stop.kind in ("phone", "guest") and not stop.sheet
    if whole or stop.path.startswith(("/dealer/statistics", "/dealer/summary")):
        height = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({"width": size[0], "height": max(size[1], min(height, TALLEST_PX))})
    see_through = stop.kind == "overlay"
    png = np.frombuffer(page.screenshot(omit_background=see_through), np.uint8)
    picture = cv2.imdecode(png, cv2.IMREAD_UNCHANGED)
    small = "-320" if size[0] == 320 else ""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    file = SCREENSHOTS / f"{stop.name}{how}{small}.webp"
    cv2.imwrite(str(file), picture, [cv2.IMWRITE_WEBP_QUALITY, WEBP_QUALITY])
