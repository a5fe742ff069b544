"""What leaves the table as a file, and what must not."""

from __future__ import annotations

import csv
import io
import json

import pytest

from companion.exports import COLUMNS, What, as_csv, as_json, defused, export
from companion.rules.actions import BuyIn, ChooseGame, CorrectRoll, FundBank, JoinSeat, Undo
from companion.rules.card_actions import EnterHand, Muck, RevealHands
from companion.rules.card_state import Phase
from companion.rules.dice import Roll
from tests.test_statistics import HIT, MISS, Told
from tests.web.card_evening import GALAXY, YARITH, Evening

HANDS = {GALAXY: ("+7c -7t", "+9c -8c"), YARITH: ("+7c -7t +1s", "+9c -8c +4s")}


@pytest.fixture
def told(tmp_path):
    return Told(tmp_path / "told")


def read_csv(text):
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


@pytest.mark.parametrize("what", What)
def test_a_csv_has_a_row_for_every_row_of_the_json(services, nova, rook, what):
    Evening(services).to_showdown(GALAXY)
    rows = export(services.service, what)
    assert rows
    assert json.loads(as_json(rows)) == rows
    again = read_csv(as_csv(rows, COLUMNS[what]))
    assert len(again) == len(rows)
    assert tuple(again[0]) == COLUMNS[what] == tuple(rows[0])


def test_the_ledger_says_which_entry_takes_back_which(told):
    told.do(JoinSeat(1, "Nova"), BuyIn(1, 40), Undo(1))
    buy, back = export(told.service, What.LEDGER)
    assert (buy["source"], buy["target"], buy["amount"], buy["reverses"]) == (
        "house",
        "seat:1",
        40,
        None,
    )
    assert (back["entry"], back["source"], back["reverses"]) == (3, "seat:1", 2)


def test_a_roll_keeps_the_faces_first_recorded(told_round):
    entry = told_round.round(MISS)
    told_round.do(CorrectRoll(entry, Roll.of(HIT)))
    (row,) = export(told_round.service, What.ROLLS)
    assert (row["standing"], row["spike"], row["first_spike"]) == (
        "corrected",
        list(HIT),
        list(MISS),
    )


@pytest.fixture
def told_round(told):
    told.do(FundBank(1000), JoinSeat(1, "Nova"), BuyIn(1, 40), ChooseGame("crown_and_spike"))
    return told


def test_only_what_came_after_an_entry(told_round):
    told_round.round(MISS)
    everything = export(told_round.service, What.LOG)
    assert [row["no"] for row in export(told_round.service, What.LOG, after=5)] == [
        row["no"] for row in everything[5:]
    ]


def cards_of(service):
    rows = export(service, What.LOG)
    return [row["action"]["cards"] for row in rows if row["kind"] == "enter_hand"]


@pytest.mark.parametrize("game", [GALAXY, YARITH])
def test_a_hand_is_hidden_until_it_is_laid_open(services, nova, rook, game):
    evening, service = Evening(services), services.service
    evening.to_showdown(game)
    wrong, (right, other) = "-1c -2c +3c"[: len(HANDS[game][0])], HANDS[game]
    evening.do(EnterHand(1, wrong), EnterHand(1, right), EnterHand(2, other))
    assert cards_of(service) == ["hidden"] * 3
    texts = [as_csv(export(service, what), COLUMNS[what]) for what in What]
    assert not any(card in text for text in texts for card in (right, other))
    evening.do(RevealHands())
    assert cards_of(service) == ["hidden", right, other]
    told = service.version
    evening.do(Undo(told - 1))
    assert cards_of(service) == ["hidden"] * 3
    log = as_json(export(service, What.LOG))
    assert "+7c" not in log


def test_a_hand_given_up_unseen_stays_hidden(services, nova, rook):
    evening = Evening(services)
    evening.to_showdown(GALAXY)
    evening.do(EnterHand(1, "+7c -7t"), EnterHand(2, "+9c -8c"), Muck(2))
    if evening.play.phase is Phase.SHOWDOWN:
        evening.do(RevealHands())
    assert cards_of(services.service)[1] == "hidden"


def test_no_hash_leaves_for_it_would_tell_the_cards(services, nova, rook):
    evening = Evening(services)
    evening.to_showdown(GALAXY)
    evening.do(EnterHand(1, "+7c -7t"))
    text = as_json(export(services.service, What.LOG))
    assert "hash" not in text
    assert "previous" not in text


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\n=1", "\u00a0=1", "＝1", "\r1"]
)
def test_a_formula_is_defused(text):
    assert defused(text) == f"'{text}"


def test_a_players_name_cannot_become_a_formula(told):
    told.do(JoinSeat(1, '=HYPERLINK("x")'), BuyIn(1, 5))
    for row in read_csv(as_csv(export(told.service, What.LOG), COLUMNS[What.LOG])):
        for cell in row.values():
            assert cell[:1] not in "=+-@" or cell == ""


def test_downloads_are_the_dealers(services, nova, rook, dealer, viewer):
    Evening(services).to_showdown(GALAXY)
    for what in What:
        path = f"/dealer/export/{what}.csv"
        assert viewer.get(path).status_code == nova.get(path).status_code == 302
        answer = dealer.get(path)
        assert answer.headers["Content-Type"].startswith("text/csv")
        assert f"{what}.csv" in answer.headers["Content-Disposition"]
        assert dealer.get(f"/dealer/export/{what}.json").get_json() == export(
            services.service, what
        )
    assert dealer.get("/dealer/export/setting.csv").status_code == 404
    assert dealer.get("/dealer/export/log.xml").status_code == 404
