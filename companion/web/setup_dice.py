"""Teaching the station its dice: choose the kind, show each face, try a throw, save."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, flash, jsonify, redirect, request
from flask import url_for as address
from flask_babel import gettext
from werkzeug.wrappers import Response as BaseResponse

from companion.rules.actions import ActionFormatError
from companion.rules.dice import Colour, Symbol
from companion.setup.model import DiceDraft, SetupRefused

from .forms import whole
from .pictures import jpeg_response
from .presenters.common import key
from .presenters.setup import KINDS, LABELS, OWN_FACES
from .presenters.tray import die_views, outline
from .setup import Page, attempt, bp, has_camera, page, setup
from .text import explained, face, say


@bp.get("/dice")
def dice() -> str:
    """Which dice, how large, and what they are called."""
    return page(
        "dice",
        "dice",
        kinds=KINDS,
        labels=LABELS,
        own_faces=OWN_FACES,
        taught=setup().dice.labels(),
        draft=setup().dice.draft(),
        tray=setup().tray.state(),
        has_camera=has_camera(),
    )


@bp.post("/dice")
def begin_dice() -> Page:
    """Begin to teach a kind of dice."""

    def begin() -> None:
        kind, label = request.form.get("kind", ""), request.form.get("label", "")
        if kind not in KINDS or label not in LABELS:
            raise SetupRefused("bad_form", "Choose one of the kinds of dice.")
        setup().dice.begin(
            kind, label, _faces(kind), whole(request.form.get("mm", ""), key("Size"))
        )

    return attempt(begin, "setup.teach", dice)


def _faces(kind: str) -> list[str]:
    match kind:
        case "spike":
            return [symbol.value for symbol in Symbol]
        case "cube":
            return [Colour.RED.value, Colour.BLUE.value]
        case _:
            return [name for name in request.form.getlist("face") if name in OWN_FACES]


@bp.get("/teach")
def teach() -> BaseResponse | str:
    """The living picture, the face to show now, and what was taken so far."""
    draft = setup().dice.draft()
    if draft is None:
        return redirect(address("setup.dice"))
    return page("teach", "dice", draft=draft, now=_face_now(draft))


def _face_now(draft: DiceDraft) -> str:
    asked = request.args.get("face", "")
    known = {each.name for each in draft.faces}
    return asked if asked in known else draft.next_face or draft.faces[-1].name


@bp.get("/teach/look")
def look() -> Response:
    """What the camera makes of the die now, for the page's script."""
    return _told(_look)


def _look() -> Response:
    seen = setup().dice.look(request.args.get("face", ""))
    return jsonify(
        number=seen.number,
        size=seen.size,
        lines=[say(line) for line in seen.lines],
        quad=outline(seen.quad) if seen.quad else "",
        can_take=seen.can_take,
        ready=seen.ready,
        looks_like=face(seen.looks_like) if seen.looks_like else "",
    )


def _told(do: Callable[[], Response]) -> Response:
    try:
        return do()
    except (SetupRefused, ActionFormatError) as refused:
        code = refused.code if isinstance(refused, SetupRefused) else "bad_form"
        answer = jsonify(lines=[explained(refused)], code=code)
        answer.status_code = 422
        return answer


@bp.post("/teach/take")
def take() -> Response:
    """Take the picture that was looked at."""

    def taken() -> Response:
        name = request.form.get("face", "")
        setup().dice.take(name, whole(request.form.get("number", ""), "number"))
        draft = setup().dice.draft()
        done = draft is None or next(f.done for f in draft.faces if f.name == name)
        return jsonify(next=(draft.next_face if draft and done else name), ready=_ready(draft))

    return _told(taken)


def _ready(draft: DiceDraft | None) -> bool:
    return draft is not None and draft.ready


@bp.post("/teach/remove")
def remove() -> Page:
    """Take one picture out again."""
    name = request.form.get("face", "")
    return attempt(
        lambda: setup().dice.remove(name, whole(request.form.get("index", ""), "index")),
        "setup.teach",
        lambda: str(teach()),
    )


@bp.post("/teach/learn")
def learn() -> Page:
    """Learn the faces, as dice of another size if it is told; then they can be tried."""

    def learnt() -> None:
        size = request.form.get("mm")
        setup().dice.learn(None if size is None else whole(size, key("Size")))

    return attempt(learnt, "setup.try_out", lambda: str(teach()))


@bp.get("/try")
def try_out() -> BaseResponse | str:
    """A throw read with what was learnt, before anything is saved."""
    draft = setup().dice.draft()
    if draft is None or not draft.learnt:
        return redirect(address("setup.teach"))
    return page("try", "dice", draft=draft)


@bp.get("/try/look")
def try_look() -> Response:
    """What is read now, for the page's script."""
    return _told(_try_look)


def _try_look() -> Response:
    seen = setup().dice.try_out()
    views = die_views(seen.reading, seen.size)
    return jsonify(
        number=seen.number,
        size=seen.size,
        lines=[say(line) for line in seen.lines],
        read=seen.reading is not None,
        dice=[
            {
                "points": view.points,
                "sure": view.sure,
                "label": [round(part) for part in view.label],
                "face": view.face or "",
                "kind": view.kind,
                "words": f"{face(view.face)} {view.percent} %" if view.face else "?",
            }
            for view in views
        ],
    )


@bp.post("/dice/save")
def save_dice() -> Page:
    """Use the dice from the next picture on."""

    def save() -> None:
        setup().dice.save()
        flash(gettext("These dice are in use from now on."), "good")

    return attempt(save, "setup.home", lambda: str(try_out()))


@bp.post("/dice/drop")
def drop_dice() -> BaseResponse:
    """Forget what was taught and not saved; the dice in use stay."""
    setup().dice.drop()
    return redirect(address("setup.dice"), 303)


# Pictures


@bp.get("/now.jpg")
def now() -> Response:
    """The picture that was looked at last."""
    return jpeg_response(setup().dice.now())


@bp.get("/crop.jpg")
def crop() -> Response:
    """The face in it."""
    return jpeg_response(setup().dice.crop())


@bp.get("/taken/<name>/<int:index>.jpg")
def taken(name: str, index: int) -> Response:
    """A picture that was taken."""
    return jpeg_response(setup().dice.taken(name, index))
