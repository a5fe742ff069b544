"""The pages of figures: what they say, to whom, and in a form that everybody can read."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from companion.rules.actions import BuyIn, ChooseGame, EndGame, FundBank, How, RecordRoll
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet, SettleOffers
from companion.rules.dice import Roll
from companion.web import charts
from companion.web.presenters.statistics import balance_chart, stats_view
from companion.web.statistics import figures
from tests.web.test_faults import do

MISS = ("eye", "eye", "eye")


@pytest.fixture
def played(services, nova, rook):
    do(services, FundBank(900), BuyIn(1, 100), BuyIn(2, 80), ChooseGame("crown_and_spike"))
    for n in range(4):
        bets = (PlaceBet(1, "sun", 10), PlaceBet(2, "crown", 5))
        do(services, OpenRound(), *bets, CloseBets())
        do(services, RecordRoll(Roll.of(MISS), How.MANUAL if n else How.READ))
    return services


def page(client, path):
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


def charts_of(text):
    return [
        ElementTree.fromstring(found)
        for found in re.findall(r'<svg class="chart".*?\n</svg>', text, re.DOTALL)
    ]


def test_every_chart_has_a_name_a_description_and_a_table(played, dealer):
    text = page(dealer, "/dealer/statistics")
    found = charts_of(text)
    assert len(found) == 3
    for chart in found:
        title, description = list(chart)[:2]
        assert (title.tag, description.tag) == ("title", "desc")
        assert title.text
        assert description.text
        assert chart.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert text.count("<table>") == 3
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_the_dealer_reads_counts_and_that_they_are_too_few(played, dealer):
    text = page(dealer, "/dealer/statistics")
    assert "Too few to tell: 18 more dice" in text
    assert "4 throws: 1 read unasked, 0 asked about, 3 entered by hand." in text
    row = re.search(r"<tr[^>]*><th[^>]*>(?:(?!</tr>).)*Eye(.*?)</tr>", text, re.DOTALL)
    assert re.findall(r">([\d.]+)<", row[1]) == ["12", "9", "100"]


def test_a_phone_sees_its_own_figures_and_the_tables_dice(played, nova):
    text = page(nova, "/play/statistics")
    assert "−40" in text
    assert "Too few to tell" in text
    assert "Rook" not in text
    assert "The bank" not in text


def test_the_summary_tells_who_won_what(played, dealer):
    text = page(dealer, "/dealer/summary")
    assert "Crown &amp; Spike" in text
    assert text.index("Rook") < text.index("Nova")  # who lost less comes first
    assert "+60" in text


@pytest.mark.parametrize("path", ["/dealer/statistics", "/dealer/summary"])
def test_an_empty_table_has_pages_too(path, dealer):
    assert "chart" not in page(dealer, path)


def test_the_pages_are_found_from_the_station_and_the_phone(dealer, nova):
    assert 'href="/dealer/statistics"' in page(dealer, "/dealer/more")
    assert 'href="/play/statistics"' in page(nova, "/play")


def test_the_room_is_told_the_evenings_best_between_games(played, viewer):
    do(played, OpenRound(), PlaceBet(1, "eye", 10), CloseBets())
    do(played, RecordRoll(Roll.of(MISS)), SettleOffers())
    assert "Biggest win" not in page(viewer, "/display")
    do(played, EndGame())
    assert "Biggest win of a round: 30, Nova (Crown &amp; Spike)." in page(viewer, "/display")


def test_a_balance_is_drawn_at_the_houses_own_time(played, app):
    with app.test_request_context():
        found = figures(played.service.snapshot())
    view = stats_view(found, played.service.snapshot().history.engine.games, "x", _noon)
    assert {tick.label for tick in view.balances.x_ticks} == {"12:00"}
    assert [s.badge for s in view.balances.series] == ["2", "1"]  # as in the table below it
    assert balance_chart(found, ()) is None


def _noon(_):
    return datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@given(low=st.floats(-1e6, 1e6), size=st.floats(0, 1e6))
@example(low=0.0, size=5e-324)
@example(low=-5e-324, size=5.0)
@example(low=0.0, size=2.5e-308)
@example(low=3.0, size=0.0)
def test_ticks_are_round_span_the_range_and_are_few(low, size):
    ticks = charts.nice_ticks(low, low + size)
    assert ticks[0] <= low
    assert ticks[-1] >= low + size
    assert 2 <= len(ticks) <= 7
    assert all(float(tick).is_integer() for tick in ticks)


@given(heights=st.lists(st.floats(14, 172), min_size=1, max_size=8))
def test_badges_never_overlap_and_stay_in_the_picture(heights):
    placed = charts.spread(heights, 14, 172)
    gaps = [b - a for a, b in zip(sorted(placed), sorted(placed)[1:], strict=False)]
    assert all(gap >= charts.BADGE - 1e-6 for gap in gaps)
    assert max(placed) <= 172 + 1e-6
    assert min(placed) >= 14 - 1e-6


@given(count=st.integers(1, 2000))
def test_thinned_lines_keep_their_ends(count):
    kept = charts.thin(list(range(count)))
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert len(kept) == min(count, charts.MOST_POINTS)
