"""The rank command: its contract, line by line."""

import io
import json

import pytest

from companion.cli import main


def ranked(tmp_path, capsys, lines, *more, game="galaxy_series"):
    """Exit status and the answers to ``lines``."""
    path = tmp_path / "showdowns.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    status = main(["rank", "--game", game, *more, str(path)])
    return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_an_answer_has_the_fields_of_the_contract_in_their_order(tmp_path, capsys):
    status, (said,) = ranked(tmp_path, capsys, ["+7c -3t +10s | 0 0 | -5c +5t"])
    assert status == 0
    assert list(said) == ["hands", "winners", "takes_sabacc_pot", "tie"]
    assert [list(hand) for hand in said["hands"]] == [["rank", "name", "total", "why"]] * 3
    assert [(hand["rank"], hand["total"]) for hand in said["hands"]] == [(15, 14), (1, 0), (14, 0)]
    assert (said["winners"], said["takes_sabacc_pot"], said["tie"]) == ([1], True, None)
    assert said["hands"][1]["why"] == "Wins: Pure Sabacc beats Sabacc Pair."


def test_ties(tmp_path, capsys):
    tied = ["+7c -7t | +7t -7s | +6c -6t"]
    _, (said,) = ranked(tmp_path, capsys, tied)
    assert (said["winners"], said["tie"]) == ([0, 1], "split")
    _, (said,) = ranked(tmp_path, capsys, tied, "--toggle", "ties=blind_draw")
    assert said["tie"] == "blind_draw"
    _, (said,) = ranked(tmp_path, capsys, ["+7c -7t 0 | +7t -7s 0"], game="yarith_bespin")
    assert (said["winners"], said["tie"]) == ([0, 1], "blind_draw")


def test_a_single_hand_wins_unopposed(tmp_path, capsys):
    status, (said,) = ranked(tmp_path, capsys, ["+1c +2c"])
    assert (status, said["winners"], said["takes_sabacc_pot"]) == (0, [0], False)
    assert said["hands"][0]["why"] == "Nulrhek, with nobody to beat."


@pytest.mark.parametrize(
    ("line", "code", "named"),
    [
        ("+7c -7c | +7c -1t", "card_twice", "+7c"),
        ("+7c +7t +7s | +7c -1t", "fourth_of_value", "4 cards of +7"),
        ("0 +1c | 0 0", "third_sylop", "3 Sylops"),
        ("+1c -1c +2c -2c +3c -3c", "too_many_cards", "Hand 1"),
        ("+1c -1c | +2c", "too_few_cards", "Hand 2"),
        ("+1c -1c |", "too_few_cards", "Hand 2"),
        ("+1c -1x", "bad_card", "'-1x'"),
        ("", "no_cards", "no cards"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_answered(tmp_path, capsys, line, code, named):
    status, said = ranked(tmp_path, capsys, ["0 0", line, "+1c -1c"])
    assert status == 3
    assert [next(iter(answer)) for answer in said] == ["hands", "error", "hands"]
    assert said[1]["error"]["code"] == code
    assert named in said[1]["error"]["sentence"]


def test_yarith_hands_have_three_cards(tmp_path, capsys):
    lines = ["+1c -1c", "+1c -1c 0 +2c", "+1c -1c 0"]
    _, said = ranked(tmp_path, capsys, lines, game="yarith_bespin")
    assert [answer.get("error", {}).get("code") for answer in said] == [
        "too_few_cards",
        "too_many_cards",
        None,
    ]


@pytest.mark.parametrize("text", ["kinds", "kinds=both", "sort=up", "pure=true"])
def test_a_toggle_the_game_does_not_have_is_refused_before_anything_is_read(capsys, text):
    assert main(["rank", "--game", "galaxy_series", "--toggle", text, "nowhere.txt"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert text.partition("=")[0] in said.err


def test_any_house_rule_of_the_game_may_be_named(tmp_path, capsys):
    toggles = ("--toggle", "prime=false", "--toggle", "stakes=3")
    _, (said,) = ranked(tmp_path, capsys, ["+10c -10c 0"], *toggles, game="yarith_bespin")
    assert said["hands"][0]["name"] == "Yee-Haa"


def test_a_missing_file_is_named(capsys):
    assert main(["rank", "--game", "yarith_bespin", "nowhere.txt"]) == 2
    assert "nowhere.txt" in capsys.readouterr().err


def test_lines_are_read_from_the_input(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("0 0\r\n+1c -1c"))
    assert main(["rank", "--game", "galaxy_series"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
