"""The catalogue holds every sentence of the present source, whole and translated."""

from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo

from companion.config import LANGUAGES as CONFIGURED
from companion.web import catalogue
from companion.web.text import LANGUAGES

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "companion/web/templates").rglob("*.html"))
PLACES = re.compile(r"\{(\w+)\}|%\((\w+)\)s")
NOT_SAID = r"\{% block (body_class|data) %\}.*?\{% endblock %\}"  # attributes of other elements
# Text of the templates that is the same in every language.
SIGNS = {"Aa", "mm", "C", "PIN", "www.gamesofthegalaxy.com", "Spike Companion"}


def ids(catalog):
    return {_key(message.id): message for message in catalog if message.id}


def _key(text):
    return text if isinstance(text, str) else tuple(text)


def forms(text):
    return (text,) if isinstance(text, str) else tuple(text)


def places(text):
    return {one or other for one, other in PLACES.findall(text)}


@pytest.fixture(scope="module")
def present():
    return ids(catalogue.template())


@pytest.fixture(params=catalogue.TRANSLATED)
def language(request):
    return request.param


def test_every_language_of_the_screens_can_be_configured_and_is_translated():
    assert tuple(LANGUAGES) == CONFIGURED == ("en", *catalogue.TRANSLATED)


def test_the_catalogue_has_the_messages_of_the_present_source_and_no_others(language, present):
    kept = ids(catalogue.read(language))
    assert set(present) - set(kept) == set(), "make catalogue, then translate"
    assert set(kept) - set(present) == set(), "make catalogue drops these"


def test_every_message_is_translated_and_none_is_a_guess(language):
    for message in ids(catalogue.read(language)).values():
        assert all(forms(message.string)), message.id
        assert not message.fuzzy, message.id


def test_a_translation_names_the_values_its_sentence_has(language):
    for message in ids(catalogue.read(language)).values():
        wanted = places(forms(message.id)[-1])
        said = forms(message.string)
        assert places(said[-1]) == wanted, message.id
        assert all(places(form) <= wanted for form in said), message.id


def test_a_translation_ends_as_its_sentence_does(language):
    for message in ids(catalogue.read(language)).values():
        for said, meant in zip(forms(message.string), forms(message.id), strict=True):
            full_stop = meant.endswith((".", ":", "?", "…"))
            assert not full_stop or said.endswith((".", ":", "?", "…", "!")), meant


def test_the_compiled_catalogue_is_that_of_the_readable_one(language):
    with (catalogue.FOLDER / language / "LC_MESSAGES" / "messages.mo").open("rb") as file:
        compiled = ids(read_mo(file))
    readable = ids(catalogue.read(language))
    assert {key: forms(message.string) for key, message in compiled.items()} == {
        key: forms(message.string) for key, message in readable.items()
    }, "make catalogue"


def test_no_sentence_is_put_together_before_it_can_be_translated():
    wanted = {**catalogue.WORDS, **{name: at for name, (at, _) in catalogue.NUMBERED.items()}}
    for folder in catalogue.SOURCES:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                name = getattr(getattr(node, "func", None), "id", "")
                if name in wanted and len(node.args) > wanted[name]:
                    text = node.args[wanted[name]]
                    where = f"{path.name}:{node.lineno}"
                    raised_for_the_log = name == "StorageError" and "holds no table" in ast.unparse(
                        text
                    )
                    technical = path.name in ("camera.py", "replay.py", "hal.py")
                    if not raised_for_the_log and not technical:
                        assert not isinstance(text, ast.JoinedStr), where


class Texts(HTMLParser):
    """Text and spoken attributes of a page."""

    def __init__(self):
        super().__init__()
        self.found: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag, attrs):
        self._silent += tag in ("script", "style")
        self.found += [
            value
            for name, value in attrs
            if value and name in ("aria-label", "title", "alt", "placeholder")
        ]

    def handle_endtag(self, tag):
        self._silent -= tag in ("script", "style")

    def handle_data(self, data):
        if not self._silent:
            self.found.append(data)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_has_no_words_of_its_own(path):
    source = re.sub(NOT_SAID, " ", path.read_text("utf-8"), flags=re.S)
    source = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", source, flags=re.S)
    page = Texts()
    page.feed(source)
    for text in page.found:
        words = [word for word in re.findall(r"[A-Za-z.]{2,}", text) if word not in SIGNS]
        assert not words, text.strip()
