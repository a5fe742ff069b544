"""Which language a display speaks, and who decides it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from companion.config import ConfigError, Settings
from companion.web import create_app


def language_of(answer) -> str:
    found = re.search(r'<html lang="(\w+)">', answer.get_data(as_text=True))
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("en-GB,en;q=0.9,de;q=0.5", "en"),
        ("fr,de;q=0.3", "de"),
        ("fr", "en"),
        ("", "en"),
    ],
)
def test_a_display_speaks_what_its_browser_asks_for(asked, spoken, viewer):
    assert language_of(viewer.get("/display", headers={"Accept-Language": asked})) == spoken


def test_the_tables_own_language_stands_where_nothing_is_asked_for(services):
    german = replace(services, settings=replace(services.settings, language="de"))
    viewer = create_app(german).test_client()
    assert language_of(viewer.get("/display")) == "de"
    assert language_of(viewer.get("/display", headers={"Accept-Language": "en"})) == "en"
    assert viewer.get("/api/nowhere", headers={"Accept": "application/json"}).json["sentence"] == (
        "Diese Seite gibt es nicht."
    )


def test_the_switch_holds_for_this_display_alone(viewer, nova, post):
    answer = post(
        viewer,
        "/language",
        language="de",
        script=False,
        headers={"Referer": "http://localhost/display?x=1"},
    )
    assert (answer.status_code, answer.location) == (303, "/display")
    english = {"Accept-Language": "en"}
    assert language_of(viewer.get("/display", headers=english)) == "de"
    assert language_of(nova.get("/play", headers=english)) == "en"


@pytest.mark.parametrize("referrer", ["http://evil.example//evil.example/x", ""])
def test_the_switch_leads_back_to_this_table_only(referrer, viewer, post):
    answer = post(
        viewer,
        "/language",
        language="de",
        script=False,
        headers={"Referer": referrer, "Origin": "http://localhost"},
    )
    assert answer.location == "/"


def test_an_unknown_language_changes_nothing(viewer, post):
    assert post(viewer, "/language", language="xx", script=False).status_code == 400
    viewer.set_cookie("language", "../../etc")
    assert language_of(viewer.get("/display")) == "en"


@pytest.mark.parametrize("path", ["/look", "/dealer/more", "/play", "/", "/join"])
def test_the_switch_is_within_reach_of_every_screen(path, viewer, dealer, nova, services):
    client = {"/dealer/more": dealer, "/play": nova}.get(path, viewer)
    query = f"?t={services.tokens.issue()}" if path == "/join" else ""
    page = client.get(path + query).get_data(as_text=True)
    assert 'value="de" lang="de"' in page
    assert 'aria-pressed="true"' in page


def test_the_settings_name_the_languages_there_are():
    assert Settings(language="de").language == "de"
    with pytest.raises(ConfigError, match="language: must be one of en, de, not 'xx'"):
        Settings(language="xx")
