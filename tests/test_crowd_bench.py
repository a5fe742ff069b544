"""`companion bench --phones`: nobody misses anything. Nothing here depends on how fast."""

import json

import pytest

from companion import crowd_bench
from companion.cli import main
from companion.crowd import Heard


def test_eight_phones_hear_and_show_everything_and_the_dropped_come_back(capsys):
    assert main(["bench", "--phones", "8", "--seconds", "2", "--views", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["phones"], found["connected"], found["refused"]) == (8, 8, 0)
    assert found["events"] >= 2
    assert (found["lost"], found["repeated"], found["behind"]) == (0, 0, 0)
    assert (found["dropped"], found["reconnected"]) == (3, 3)
    assert found["heard"]["n"] >= 5 * found["events"]  # five phones were never dropped
    assert 0 < found["heard"]["p50"] <= found["heard"]["p99"] <= found["heard"]["worst"]
    assert found["shown"]["n"] == found["view_requests"] >= 8  # each showed at least the newest
    assert found["threads"] > 8


def test_what_is_lost_or_comes_twice_is_counted():
    told = {version: float(version) for version in range(1, 8)}
    well = Heard([[(n, n + 0.010) for n in told]])
    ill = Heard([[(1, 1.02), (2, 2.02), (4, 4.02), (4, 4.03)], [(6, 9.0), (7, 7.5)]])
    found = crowd_bench.found([well, ill], told, 2, 1, 0.7, (50.0, 60.0, 9), 0.0)
    assert (found.lost, found.repeated, found.behind, found.reconnected) == (1, 1, 0, 1)
    assert found.heard.n == 7 + 4 + 1  # the first after coming back says nothing of speed
    assert found.heard.worst == pytest.approx(500)
    assert (found.cpu_ms, found.memory_added_mib) == (100.0, 10.0)
    assert found.shown is None
    lines = "\n".join(crowd_bench.told_lines(found))
    assert "lost 1, repeated 1" in lines


def test_a_phone_that_never_heard_the_newest_is_behind():
    found = crowd_bench.found([Heard([[(1, 1.1)]])], {1: 1.0, 2: 2.0}, 1, 0, 0.1, (1, 1, 1), 0)
    assert found.behind == 1


@pytest.mark.parametrize("phones", ["0", "241", "many"])
def test_more_phones_than_the_table_takes_are_refused(phones, capsys):
    with pytest.raises(SystemExit) as left:
        main(["bench", "--phones", phones])
    assert left.value.code == 2
    assert "1 to 240" in capsys.readouterr().err
