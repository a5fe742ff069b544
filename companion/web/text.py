"""Words on the pages: translation, numbers, names of faces."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from flask import Flask, request, url_for
from flask_babel import Babel, format_decimal, get_locale, gettext

from companion.rules.dice import CUBE_KIND, Colour, Symbol
from companion.rules.model import Line

from .context import new_request_id
from .look import chosen_theme, theme_sheets
from .presenters.tray import FACES

LANGUAGES = ("en",)  # every further folder in translations/ is added here


def prepare(app: Flask) -> None:
    """Give every template its filters and the application its languages."""
    Babel(app, locale_selector=choose_language)
    app.jinja_env.filters.update(
        say=say,
        word=word,
        face=face,
        credits=number,
        short=short,
        signed=signed,
        percent=percent,
        face_colour=face_colour,
        points=points,
        amount=amount,
    )
    app.jinja_env.globals.update(asset=asset, new_request_id=new_request_id)
    app.context_processor(page_values)


def page_values() -> dict[str, Any]:
    """What every page's head needs: its language and its theme."""
    theme = chosen_theme()
    return {
        "locale": str(get_locale() or "en"),
        "theme": theme,
        "theme_sheets": theme_sheets(theme),
    }


def choose_language() -> str:
    """The best language the browser asks for."""
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]


def word(text: str) -> str:
    """A word or sentence of the rules in the reader's language."""
    return str(gettext(text)) if text else ""


def say(line: Line | str) -> str:
    """A sentence of the history in the reader's language, its values in their own form."""
    if isinstance(line, str):
        return word(line)
    values = {k: cards(v) if k in ("card", "cards") else _value(v) for k, v in line.values.items()}
    return word(line.text).format_map(values)


def cards(text: str) -> str:
    """Cards in a sentence, with their suits as shapes.

    >>> cards("+7c -3t")
    '+7● −3▲'
    """
    return "".join(_CARD_LETTERS.get(letter, letter) for letter in text)


_CARD_LETTERS = {"c": "●", "t": "▲", "s": "■", "-": "−"}


def _value(value: Any) -> str:
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


_FACE_NAMES = frozenset([*Symbol, *Colour])


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
    return str(format_decimal(rounded, format="#,##0." + "#" * places))


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
