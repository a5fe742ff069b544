"""The catalogue of everything a person can read: found in the source, merged, compiled.

``python -m companion.web.catalogue`` (``make catalogue``) does all three. Messages are

- the arguments of the calls in ``WORDS`` and ``NUMBERED``, at their places;
- names that become words: kinds of actions, what an offer asks for, house rules and
  their choices, titles of games, the values of ``REASON_TEXT``;
- ``_()`` and ``ngettext()`` in the templates.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "translations"
SOURCES = ("companion", "hardware", "vision")
TRANSLATED = ("de",)
# Of a call by this name, which argument is a message. The second number of a pair is the
# place of the singular, where the call may have one.
WORDS = {
    "key": 0,
    "gettext": 0,
    "ActionFormatError": 0,
    "SetupRefused": 1,
    "StorageError": 0,
    "Offer": 1,
    "Toggle": 2,
    "_line": 0,
}
WORDS |= dict.fromkeys(
    ("CameraError", "CameraLost", "CameraStuck", "StationError", "DiceSetError"), 0
)
NUMBERED = {"Line": (0, 2), "Refusal": (1, 3)}
TITLES = ("title",)  # of classes: the games' names
TABLES = ("REASON_TEXT", "OUTLINE_TEXT", "EDGE_TEXT")

Message = str | tuple[str, str]
Found = tuple[int, Message]


def messages(source: str) -> Iterator[Found]:
    """Line number and message of every string of Python source that a person may read."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                yield from _of_call(node)
            case ast.ClassDef():
                yield from _of_class(node)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as table):
                if name in TABLES:
                    yield from _texts(table)


def _of_call(call: ast.Call) -> Iterator[Found]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = call.func.id if isinstance(call.func, ast.Name) else name
    if name in WORDS:
        yield from _texts(_argument(call, WORDS[name]))
    if name in NUMBERED:
        yield from _numbered(call, *NUMBERED[name])
    for place, words in NAMES.get(name, {}).items():
        yield from ((at, words(text)) for at, text in _strings(_argument(call, place)))


def _numbered(call: ast.Call, place: int, one: int) -> Iterator[Found]:
    many, single = _argument(call, place), _argument(call, one, "one")
    if isinstance(many, ast.Constant) and isinstance(single, ast.Constant):
        yield call.lineno, (str(single.value), str(many.value))
    else:
        yield from _texts(many)


def _of_class(node: ast.ClassDef) -> Iterator[Found]:
    for part in node.body:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in TITLES:
                yield from _texts(value)
    for mark in node.decorator_list:  # @action("close_bets")
        if isinstance(mark, ast.Call) and getattr(mark.func, "id", "") == "action":
            for at, text in _strings(_argument(mark, 0)):
                yield at, _title(text)
                yield at, text.replace("_", " ")


def _argument(call: ast.Call, place: int, name: str = "") -> ast.expr | None:
    named = next((word.value for word in call.keywords if name and word.arg == name), None)
    return named or (call.args[place] if place < len(call.args) else None)


def _texts(node: ast.expr | None) -> Iterator[Found]:
    yield from _strings(node)


def _strings(node: ast.expr | None) -> Iterator[tuple[int, str]]:
    """Strings that ``node`` may be: one, either of two, or those of a list or table."""
    match node:
        case ast.Constant(value=str(text)) if text:
            yield node.lineno, text
        case ast.IfExp(body=body, orelse=other):
            yield from _strings(body)
            yield from _strings(other)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            for part in parts:
                yield from _strings(part)


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _spaced(name: str) -> str:
    return name.replace("_", " ")


# Of a call by this name, which arguments are names that pages show as words.
NAMES: dict[str, dict[int, Callable[[str], str]]] = {
    "Toggle": {0: _title, 3: _spaced},
    "Ask": {0: _title},
}


def template() -> Catalog:
    """Every message of the present source, without translations."""
    catalogue = Catalog(project="Spike Companion", copyright_holder="", fuzzy=False)
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            for at, found in messages(path.read_text(encoding="utf-8")):
                catalogue.add(found, locations=[(place, at)])
    pages = FOLDER.parent / "templates"
    said = extract_from_dir(str(pages), [("**.html", "jinja2")], keywords=DEFAULT_KEYWORDS)
    for place, line, message, _, _ in sorted(said, key=lambda one: (one[0], one[1])):
        catalogue.add(message, locations=[(f"companion/web/templates/{place}", line)])
    return catalogue


def read(language: str) -> Catalog:
    """The translations of one language as they are kept."""
    with (FOLDER / language / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return read_po(file, locale=language)


def update(language: str) -> Catalog:
    """Bring one language up to the present source; what is new stands there untranslated."""
    kept = read(language)
    kept.update(template(), no_fuzzy_matching=True)
    kept.obsolete.clear()
    kept.revision_date = kept.creation_date = datetime(2026, 1, 1, tzinfo=UTC)  # no noise
    folder = FOLDER / language / "LC_MESSAGES"
    with (folder / "messages.po").open("wb") as file:
        write_po(file, kept, width=100, sort_output=True, include_lineno=False)
    with (folder / "messages.mo").open("wb") as file:
        write_mo(file, kept)
    return kept


def main() -> None:
    """Extract, merge and compile, and say what waits for a translator."""
    for language in TRANSLATED:
        waiting = [message for message in update(language) if message.id and not message.string]
        print(f"{language}: {len(waiting)} messages without a translation")
        for message in waiting:
            print(f"  {message.id}")


if __name__ == "__main__":
    main()
