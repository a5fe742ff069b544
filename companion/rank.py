"""`companion rank`: whose hand wins, for players who argue and programs that compare.

One showdown a line, hands between ``|``; one JSON object a line comes out, in
the same order. A line with a fault is answered with what is wrong with it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TextIO

from companion.games import GAMES
from companion.rules import cards, galaxy_ranks, yarith_ranks
from companion.rules.cards import CardError, Hand
from companion.rules.errors import Refusal
from companion.rules.options import Toggle, Value, settle_options
from companion.rules.showdown import Showdown

USAGE, BAD_LINES = 2, 3

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ranking:
    """How one game sizes and compares hands."""

    least: int
    most: int
    toggles: tuple[Toggle, ...]
    showdown: Callable[[Sequence[Hand], Mapping[str, Any]], Showdown]


RANKINGS: Mapping[str, Ranking] = {
    "galaxy_series": Ranking(
        galaxy_ranks.LEAST,
        galaxy_ranks.MOST,
        GAMES["galaxy_series"].toggles,
        galaxy_ranks.showdown,
    ),
    "yarith_bespin": Ranking(
        yarith_ranks.CARDS,
        yarith_ranks.CARDS,
        GAMES["yarith_bespin"].toggles,
        yarith_ranks.showdown,
    ),
}


class ToggleError(ValueError):
    """A ``--toggle`` the game does not have, or a value it does not take."""


def add_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register ``rank`` on the command line."""
    command = commands.add_parser("rank", help="rank showdowns of a card game (JSON lines)")
    command.add_argument("--game", required=True, choices=sorted(RANKINGS))
    command.add_argument("--toggle", action="append", default=[], metavar="NAME=VALUE")
    command.add_argument("file", nargs="?", default="-", metavar="FILE", help="- for input")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Answer every line; 3 when one was faulty, 2 when nothing could be read."""
    try:
        options = toggled(RANKINGS[arguments.game], arguments.toggle)
        with _opened(arguments.file) as lines:
            return _answer_all(lines, RANKINGS[arguments.game], options)
    except (ToggleError, OSError) as fault:
        print(f"companion rank: {fault}", file=sys.stderr)
        return USAGE


def toggled(ranking: Ranking, wanted: Iterable[str]) -> Mapping[str, Any]:
    """The game's house rules with ``NAME=VALUE`` texts applied; raises ToggleError."""
    values = {}
    for text in wanted:
        name, found, value = text.partition("=")
        if not found:
            raise ToggleError(f"{text!r} must look like NAME=VALUE")
        values[name] = _value(value)
    options, refusal = settle_options(ranking.toggles, values)
    if refusal:
        names = ", ".join(toggle.name for toggle in ranking.toggles)
        raise ToggleError(f"{refusal.sentence} Its house rules are {names}.")
    return options


def _value(text: str) -> Value:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.isdecimal() else text


def answer(line: str, ranking: Ranking, options: Mapping[str, Any]) -> Answer:
    """The showdown of one line, or ``{"error": {"code", "sentence"}}``."""
    try:
        shown = ranking.showdown(parse_line(line, ranking), options)
    except CardError as fault:
        return {"error": {"code": fault.refusal.code, "sentence": fault.refusal.sentence}}
    hands = [
        {"rank": hand.rank, "name": hand.name, "total": hand.total, "why": why.english}
        for hand, why in zip(shown.hands, shown.whys, strict=True)
    ]
    return {
        "hands": hands,
        "winners": shown.winners,
        "takes_sabacc_pot": shown.takes_sabacc_pot,
        "tie": shown.tie,
    }


def parse_line(line: str, ranking: Ranking) -> list[Hand]:
    """The hands of a line; raises CardError naming the hand or the card at fault."""
    hands = [cards.parse(part) for part in line.split("|")]
    if not any(hands):
        raise CardError(Refusal("no_cards", "The line holds no cards."))
    together = [card for hand in hands for card in hand]
    if fault := cards.deck_fault(together):
        raise CardError(fault)
    for number, hand in enumerate(hands, 1):
        if fault := cards.size_fault(hand, ranking.least, ranking.most):
            said = {"number": number, "fault": fault.line}
            raise CardError(Refusal(fault.code, "Hand {number}: {fault}", said))
    return hands


def _answer_all(lines: Iterable[str], ranking: Ranking, options: Mapping[str, Any]) -> int:
    faulty = False
    for said in _answers(lines, ranking, options):
        faulty |= "error" in said
        sys.stdout.write(json.dumps(said, ensure_ascii=False) + "\n")
    sys.stdout.flush()
    return BAD_LINES if faulty else 0


def _answers(
    lines: Iterable[str], ranking: Ranking, options: Mapping[str, Any]
) -> Iterator[Answer]:
    for line in lines:
        yield answer(line, ranking, options)


def _opened(name: str) -> Any:
    """Text that never fails to decode: an odd byte becomes a word that is no card."""
    if name == "-":
        stream: TextIO = sys.stdin
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
        return nullcontext(stream)
    return open(name, encoding="utf-8", errors="replace")
