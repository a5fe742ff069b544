"""Form posts as actions: strict about types, kind about mistakes."""

from __future__ import annotations

import json
import typing
from typing import Any

from werkzeug.datastructures import MultiDict

from companion.rules.actions import Action, ActionFormatError, fields_of, from_json
from companion.rules.model import Game
from companion.rules.options import Toggle, Value
from companion.rules.words import Line

from .presenters.tray import FACES

Form = MultiDict[str, str]


def action_from_form(form: Form) -> Action:
    """The action a page's form describes.

    ``kind`` names it, ``fields`` holds what was already decided as JSON, and every
    ``ask-<field>`` is what the person filled in. Where ``picks`` names a field, it holds the
    cards picked, in their order. Raises ActionFormatError.
    """
    kind = form.get("kind", "")
    hints = fields_of(kind)
    asked = {
        name.removeprefix("ask-"): value for name, value in form.items() if name.startswith("ask-")
    }
    if picks := form.get("picks"):
        asked[picks] = " ".join(form.getlist("card"))
    values = {name: typed(value, hints.get(name), name) for name, value in asked.items()}
    return from_json({**_decided(form.get("fields", "{}")), **values, "kind": kind})


def _decided(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):  # the latter from thousands of brackets
        fields = None
    if not isinstance(fields, dict):
        raise ActionFormatError("The form is damaged; reload the page.")
    return fields


def typed(text: str, hint: Any, name: str) -> Any:
    """A form's text as the type the field wants; left as text when it wants no number."""
    wanted = typing.get_args(hint) or (hint,)
    if bool in wanted:
        return text in ("1", "true", "on")
    if int in wanted:
        return whole(text, name)
    return text


def whole(text: str, name: str) -> int:
    """A whole number; raises ActionFormatError in words for the person who typed it."""
    cleaned = text.strip().replace(",", "").replace(" ", "")
    if not cleaned.isascii() or not cleaned.removeprefix("-").isdigit() or len(cleaned) > 12:
        called = Line(name.replace("_", " ").capitalize())
        raise ActionFormatError("{name} must be a whole number.", name=called)
    return int(cleaned)


def faces_from_form(form: Form) -> dict[str, list[str]]:
    """Faces by dice kind from the editor's ``spike-0`` ... fields."""
    found: dict[str, list[str]] = {}
    for kind, known in FACES.items():
        names = sorted(
            (n for n in form if n.rpartition("-")[0] == kind and n.rpartition("-")[2].isdigit()),
            key=lambda n: int(n.rpartition("-")[2]),
        )
        faces = [form[name] for name in names]
        if any(face not in known for face in faces):
            raise ActionFormatError("One of the dice has no face that its kind carries.")
        if faces:
            found[kind] = faces
    return found


def options_from_form(form: Form, game: Game) -> dict[str, Value]:
    """House rules as the game sheet posts them; a switch left off posts nothing."""
    return {toggle.name: _option(form, toggle) for toggle in game.toggles}


def _option(form: Form, toggle: Toggle) -> Value:
    text = form.get(f"option-{toggle.name}")
    if isinstance(toggle.default, bool):
        return text in ("1", "true", "on")
    if text is None:
        return toggle.default
    return whole(text, toggle.name) if isinstance(toggle.default, int) else text
