"""Words on the pages: translation, numbers, names of faces."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from flask import Flask, has_request_context, request, url_for
from flask_babel import Babel, format_decimal, get_locale, gettext, ngettext

from companion.rules.dice import CUBE_KIND, Colour, Symbol
from companion.rules.model import Line
from companion.rules.words import key

from .presenters.tray import FACES

LANGUAGES = {"en": "English", "de": "Deutsch"}  # each by its own name; all but English translated
COOKIE = "language"  # what a display's own switch chose


def prepare(app: Flask, own: str) -> None:
    """Give every template its filters and the application its languages; ``own`` is the table's."""
    Babel(app, locale_selector=lambda: choose_language(own))
    app.jinja_env.filters.update(
        say=say,
        word=word,
        opening=opening,
        face=face,
        credits=number,
        short=short,
        signed=signed,
        percent=percent,
        face_colour=face_colour,
        points=points,
        amount=amount,
        chi2=lambda value: fraction(value, 2),
    )
    app.jinja_env.globals.update(asset=asset)
    app.context_processor(lambda: {"locale": str(get_locale() or "en"), "languages": LANGUAGES})


def choose_language(own: str) -> str:
    """What this display chose, else the best its browser asks for, else ``own``, the table's."""
    if not has_request_context():  # the webhooks
        return own
    chosen = request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    return request.accept_languages.best_match(LANGUAGES, own) or own


def word(text: str) -> str:
    """A word or sentence of the rules in the reader's language."""
    return str(gettext(text)) if text else ""


def opening(text: str) -> str:
    """``text`` as the beginning of a sentence; other capitals stay, which German needs.

    >>> opening("von der Kamera gelesen")
    'Von der Kamera gelesen'
    """
    return text[:1].upper() + text[1:]


def say(line: Line | str) -> str:
    """A sentence of the history in the reader's language, its values in their own form."""
    if isinstance(line, str):
        return word(line)
    template = word(line.text)
    if line.one:
        template = str(ngettext(line.one, line.text, line.values["n"]))
    if not line.values:
        return template
    values = {k: cards(v) if k in ("card", "cards") else _value(v) for k, v in line.values.items()}
    return template.format_map(values)


def explained(fault: Exception) -> str:
    """What a fault says to the person who caused it: its own sentence, or its words."""
    line = getattr(fault, "line", None)
    return say(line) if isinstance(line, Line) else word(str(fault))


def cards(text: str) -> str:
    """Cards in a sentence, with their suits as shapes.

    >>> cards("+7c -3t")
    '+7● −3▲'
    """
    return "".join(_CARD_LETTERS.get(letter, letter) for letter in text)


_CARD_LETTERS = {"c": "●", "t": "▲", "s": "■", "-": "−"}


def _value(value: Any) -> str:
    if isinstance(value, Line):
        return say(value)
    if isinstance(value, Fraction):
        return fraction(value, 2)
    if isinstance(value, (Symbol, Colour)):
        return face(value.value)
    if isinstance(value, bool) or not isinstance(value, (int, tuple, list, Mapping)):
        return face_word(str(value))
    if isinstance(value, int):
        return number(value)
    return ", ".join(_value(item) for item in value)


def face_word(text: str) -> str:
    """A face's name translated; anything else, such as a player's name, as it is."""
    return word(text) if text in _FACE_NAMES else text


# Faces and colours as they stand in a sentence, and as labels.
_FACE_NAMES = frozenset(
    [
        key("spike"),
        key("flask"),
        key("crown"),
        key("compass"),
        key("eye"),
        key("sun"),
        key("red"),
        key("blue"),
        key("green"),
    ]
)
_LABELS = frozenset(
    [
        key("Spike"),
        key("Flask"),
        key("Crown"),
        key("Compass"),
        key("Eye"),
        key("Sun"),
        key("Red"),
        key("Blue"),
        key("Green"),
        key("Yellow"),
        key("Black"),
        key("White"),
        key("Cube"),
        key("Other"),
    ]
)


def face(name: str) -> str:
    """A face or place of the mat as a label."""
    return word(name[:1].upper() + name[1:])


def short(value: int) -> str:
    """Credits for a small place: exact up to 9,999, above in thousands or millions, rounded down.

    >>> short(9_999_999)
    '9.9M'
    """
    for size, mark in ((1_000_000, "M"), (10_000, "k")):
        if value >= size:
            tenths = value // (size // 10 if mark == "M" else 100)
            return f"{tenths / 10:g}{mark}"
    return str(value)


def number(value: int) -> str:
    """Credits with the language's grouping."""
    return str(format_decimal(value))


def signed(value: int) -> str:
    """A gain or loss with its sign."""
    return f"+{number(value)}" if value > 0 else f"−{number(-value)}" if value < 0 else "±0"


def percent(value: Fraction) -> str:
    """A chance that is already in percent, to a tenth."""
    return f"{fraction(value, 1)} %"


def amount(value: Fraction) -> str:
    """Credits on average, with their sign, to a tenth."""
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{fraction(abs(value), 1)}"


def fraction(value: Fraction, places: int) -> str:
    """An exact number to so many places; what is not quite 0 or 100 never reads as if it were."""
    step = Fraction(1, 10**places)
    if 0 < value < step:
        return f"< {fraction(step, places)}"
    if 100 - step < value < 100:
        return f"> {fraction(100 - step, places)}"
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    rounded = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return str(format_decimal(rounded, format="#,##0." + "#" * places)).replace("-", "−")


def face_colour(face: str) -> str:
    """The board's colour for a face of either kind of die."""
    return str(Symbol(face).colour) if face in list(Symbol) else face


def points(face: str) -> int:
    """The digit that picks a face: a symbol's value, or 1 for red and 2 for blue."""
    if face in list(Symbol):
        return Symbol(face).points
    return FACES[CUBE_KIND].index(face) + 1


def asset(name: str) -> str:
    """The address of a static file."""
    return url_for("static", filename=name)
