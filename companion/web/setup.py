"""Setting up the station from its own screen: PIN, name, camera, light, tray. Dealer only.

Every step can be done at any time, in any order; what is in use stays in use until the new
is confirmed. The dice are taught in `setup_dice`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flask import Blueprint, Response, flash, jsonify, redirect, render_template, request, session
from flask import url_for as address
from flask_babel import gettext
from werkzeug.wrappers import Response as BaseResponse

from companion.rules.actions import ActionFormatError
from companion.setup.model import FloorShape, Setup, SetupRefused, TrayDraft
from vision.reading import Point

from . import context
from .context import web
from .forms import whole
from .pictures import jpeg_response
from .presenters.common import key
from .presenters.setup import steps
from .text import explained, say

bp = Blueprint("setup", __name__, url_prefix="/dealer/setup")
Page = BaseResponse | str | tuple[str, int]


@bp.before_request
def only_dealer() -> BaseResponse | None:
    """As on the station itself."""
    if request.method == "GET" and not context.is_dealer() and not context.wants_json():
        return redirect(address("entry.login"))
    context.dealer()
    return None


def setup() -> Setup:
    """What does the work."""
    return web().setup


def page(template: str, step: str, /, **values: object) -> str:
    """One step's page."""
    return render_template(
        f"setup_{template}.html",
        table_name=web().table_name,
        version=web().service.version,
        steps=steps(setup(), step),
        step=step,
        first_run=setup().table.first_run,
        **values,
    )


def attempt(do: Callable[[], object], good: str, again: Callable[[], str]) -> Page:
    """Do what a form asks and go on to ``good``; else the page again with the reason."""
    try:
        do()
    except (SetupRefused, ActionFormatError, ValueError) as fault:
        flash(explained(fault), "bad")
        return again(), 422
    return redirect(address(good), 303)


@bp.get("")
def home() -> str:
    """All steps, with what is done and what is not."""
    return page("home", "", labels=setup().dice.labels(), tray=setup().tray.state())


@bp.post("/done")
def done() -> BaseResponse:
    """Play: the station is as its people want it."""
    setup().table.finish()
    return redirect(address("dealer.station"), 303)


# PIN and name


@bp.get("/pin")
def pin() -> str:
    """The dealer's own PIN."""
    return page("pin", "pin")


@bp.post("/pin")
def choose_pin() -> Page:
    """Both entries must agree; every other screen is signed out."""

    def choose() -> None:
        first, second = request.form.get("pin", ""), request.form.get("again", "")
        if first != second:
            raise SetupRefused("differ", "The two PINs differ; enter the same one twice.")
        if not (first.isascii() and first.isdigit() and 4 <= len(first) <= 12):
            raise SetupRefused("bad_pin", "A PIN has 4 to 12 digits.")
        web().pin.set(first)
        setup().table.own_pin_chosen()
        session["dealer"] = web().pin.stamp()

    return attempt(choose, "setup.name", pin)


@bp.get("/name")
def name() -> str:
    """What the table is called."""
    return page("name", "name", name=request.form.get("name") or web().table_name)


@bp.post("/name")
def rename() -> Page:
    """Call the table so on every screen."""
    return attempt(lambda: setup().table.rename(request.form.get("name", "")), "setup.camera", name)


# Camera, light and focus


@bp.get("/camera")
def camera() -> str:
    """Which camera looks at the tray."""
    cameras = setup().camera
    return page("camera", "camera", choices=cameras.choices(), fixed=cameras.fixed)


@bp.post("/camera")
def choose_camera() -> Page:
    """Use the camera from now on."""
    setting = request.form.get("camera", "")
    if setup().camera.fixed and setting == setup().camera.setting:
        return redirect(address("setup.picture"), 303)
    after = "setup.home" if setting == "disabled" else "setup.picture"
    return attempt(lambda: setup().camera.choose(setting), after, camera)


@bp.get("/picture")
def picture() -> str:
    """The living picture with what its light and focus lack."""
    return page("picture", "picture", light=setup().camera.light(), has_camera=has_camera())


def has_camera() -> bool:
    """Whether there is any camera to look through."""
    return setup().camera.setting != "disabled"


@bp.get("/light")
def light() -> Response:
    """Light and focus now, for the page's script."""
    seen = setup().camera.light()
    if seen is None:
        return jsonify(lines=[gettext("Waiting for the camera's picture…")], good=False)
    return jsonify(
        size=seen.size,
        lines=[say(line) for line in seen.lines],
        spots=seen.spots,
        focus=seen.focus,
        level=seen.level,
        good=not seen.lines,
    )


# The tray


@bp.get("/tray")
def tray() -> str:
    """The tray in use, or the draft to be confirmed."""
    trays = setup().tray
    state, draft = trays.state(), trays.draft()
    shape = _shape(request.values.get("shape", state.shape))
    return page(
        *("tray", "tray"),
        tray=state,
        draft=draft,
        has_camera=has_camera(),
        shape=shape,
        shapes=FloorShape,
        marks=_marks(draft, shape) if draft else (),
    )


@bp.post("/tray/take")
def take_tray() -> Page:
    """Take pictures of the empty tray and look for it."""
    return attempt(setup().tray.take, "setup.tray", tray)


@bp.post("/tray/keep")
def keep_tray() -> Page:
    """Use the corners as they are now."""
    return attempt(
        lambda: setup().tray.keep(_corners(), _shape(request.form.get("shape", "")), _size_mm()),
        "setup.tray" if setup().tray.state().kinds else "setup.dice",
        tray,
    )


def _corners() -> list[Point]:
    numbers = [float(text) for text in request.form.get("corners", "").replace(",", " ").split()]
    if len(numbers) % 2 or not all(abs(number) < 1e5 for number in numbers):
        raise SetupRefused("bad_corners", "The form is damaged; reload the page.")
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _marks(draft: TrayDraft, shape: FloorShape) -> Sequence[Point]:
    """Where the marks are: where they were dragged to, if that was refused."""
    try:
        dragged = _corners()
    except (SetupRefused, ValueError):
        dragged = []
    return dragged if len(dragged) == shape.marks else draft.marks(shape)


def _shape(named: str) -> FloorShape:
    """The floor's shape; a rectangle where none is named that is known."""
    return FloorShape(named) if named in set(FloorShape) else FloorShape.RECTANGLE


def _size_mm() -> tuple[float, float] | None:
    """The size that was typed; None where the first die shall tell it."""
    width, height = request.form.get("width", ""), request.form.get("height", "")
    if not width and not height:
        return None
    return float(whole(width, key("Width"))), float(whole(height, key("Height")))


@bp.post("/tray/drop")
def drop_tray() -> BaseResponse:
    """Forget the pictures; the tray in use stays."""
    setup().tray.drop()
    return redirect(address("setup.tray"), 303)


@bp.post("/tray/back")
def step_back() -> Page:
    """One calibration back, and forth again."""
    return attempt(setup().tray.step_back, "setup.tray", tray)


@bp.get("/tray.jpg")
def tray_picture() -> Response:
    """The draft's picture."""
    return jpeg_response(setup().tray.picture())
