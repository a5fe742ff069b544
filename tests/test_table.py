"""The table on disk: nothing acknowledged is lost, nothing half-done is kept."""

import itertools
import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from companion.auth import Actor, Role
from companion.chips import fewest
from companion.database import Database, StorageError
from companion.evidence import EvidenceStore
from companion.games import GAMES
from companion.hub import Hub, TooManySubscribers
from companion.rolls import RollDesk
from companion.rules.actions import (
    BuyIn,
    ChooseGame,
    CorrectRoll,
    FundBank,
    JoinSeat,
    RecordRoll,
    Undo,
)
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet
from companion.rules.dice import Roll
from companion.rules.engine import Engine
from companion.table import Refused, Stale, TableService, audit
from vision.reading import DieReading, Reading, Reason, TrayEvent, TrayState, Verdict

DEALER = Actor(Role.DEALER, None, "dealer")
ANN = Actor(Role.PLAYER, 1, "Ann")
SQUARE = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))


@pytest.fixture
def database(tmp_path):
    made = Database.in_folder(tmp_path)
    yield made
    made.close()


@pytest.fixture
def service(database):
    return TableService(database, Engine(GAMES), Hub())


@pytest.fixture
def desk(service, tmp_path):
    return RollDesk(service, EvidenceStore(tmp_path / "evidence", 10**6), Hub())


def opened(service, *more):
    actions = [FundBank(1000), JoinSeat(1, "Ann"), BuyIn(1, 100), JoinSeat(2, "Bo")]
    actions += [BuyIn(2, 100), ChooseGame("crown_and_spike"), OpenRound(), *more]
    for action in actions:
        service.submit(action, DEALER)


def read(*faces, verdict=Verdict.ACCEPT, reasons=()):
    dice = tuple(DieReading("spike", face, SQUARE, 0.99) for face in faces)
    return TrayEvent(7, TrayState.READ, Reading(verdict, dice, reasons), b"jpeg")


EMPTY = TrayEvent(1, TrayState.EMPTY)


def test_a_restart_folds_the_log_to_the_same_table(service, database):
    opened(service, PlaceBet(1, "crown", 10), Undo(3))
    again = TableService(database, Engine(GAMES), Hub())
    assert again.snapshot().table == service.snapshot().table
    assert again.audit() == []


def test_a_repeated_request_is_answered_not_repeated_even_after_a_restart(service, database):
    opened(service)
    first = service.submit(BuyIn(1, 5), DEALER, request_id="tap")
    again = TableService(database, Engine(GAMES), Hub())
    for table in (service, again):
        second = table.submit(BuyIn(1, 5), DEALER, request_id="tap")
        assert (second.version, second.repeated) == (first.version, True)
    assert service.snapshot().table.credits(1) == 105


@pytest.mark.parametrize(
    ("actor", "action"), [(DEALER, BuyIn(1, 6)), (DEALER, BuyIn(2, 5)), (ANN, BuyIn(1, 5))]
)
def test_a_request_id_stands_for_one_action_of_one_actor(service, actor, action):
    opened(service)
    version = service.submit(BuyIn(1, 5), DEALER, request_id="tap").version
    with pytest.raises(Refused) as caught:
        service.submit(action, actor, request_id="tap")
    assert caught.value.refusal.code == "request_used"
    assert service.version == version


def test_a_bet_elsewhere_does_not_make_a_phone_stale_but_closing_bets_does(service):
    opened(service)
    seen = service.version
    service.submit(PlaceBet(2, "sun", 5), DEALER)
    service.submit(PlaceBet(1, "sun", 5), ANN, expected_version=seen)
    with pytest.raises(Stale):
        service.submit(PlaceBet(1, "eye", 5), ANN, expected_version=seen)
    service.submit(CloseBets(), DEALER)
    with pytest.raises(Stale):
        service.submit(PlaceBet(1, "eye", 5), ANN, expected_version=seen + 2)


def test_a_player_acts_only_for_the_own_seat(service):
    opened(service)
    for action in (PlaceBet(2, "sun", 5), CloseBets(), BuyIn(1, 5), Undo(0)):
        with pytest.raises(Refused, match="not yours"):
            service.submit(action, ANN)


def test_many_writers_leave_one_sound_log(service):
    opened(service)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: service.submit(BuyIn(1 + n % 2, 1), DEALER), range(60)))
    table = service.snapshot().table
    assert table.credits(1) + table.credits(2) == 260
    assert service.audit() == []


@pytest.mark.parametrize(
    "spoil",
    [
        "update log set body = replace(body, '100', '900') where no = 3",
        "update ledger set amount = amount + 1 where no = 2",
        "delete from ledger where no = 3",
        "delete from log where no = 4",
    ],
)
def test_audit_finds_a_tampered_row(service, database, spoil):
    opened(service)
    with database.transaction() as connection:
        connection.execute(text(spoil))
    assert audit(database, Engine(GAMES))


def fill(service):
    for _ in range(500):
        service.submit(BuyIn(1, 1), DEALER)


def test_a_full_disk_is_said_and_changes_nothing(service, database):
    opened(service)
    before = service.snapshot()
    with database.transaction() as connection:
        pages = connection.execute(text("pragma page_count")).scalar()
        connection.execute(text(f"pragma max_page_count = {pages}"))
    with pytest.raises(StorageError, match="disk is full"):
        fill(service)
    after = service.snapshot()
    assert after.version > before.version  # the last free page held some
    assert after.table.credits(1) == 100 + after.version - before.version
    assert service.audit() == []


def test_kill_9_in_mid_round_loses_nothing_acknowledged(tmp_path):
    program = textwrap.dedent("""
        import sys
        from pathlib import Path
        from companion.auth import Actor, Role
        from companion.database import Database
        from companion.games import GAMES
        from companion.hub import Hub
        from companion.rules.actions import BuyIn, ChooseGame, FundBank, JoinSeat
        from companion.rules.crown_and_spike import ChangeBet, OpenRound, PlaceBet
        from companion.rules.engine import Engine
        from companion.table import TableService
        service = TableService(Database.in_folder(Path(sys.argv[1])), Engine(GAMES), Hub())
        dealer = Actor(Role.DEALER, None, "dealer")
        def do(action):
            print(service.submit(action, dealer).version, flush=True)
        for action in (FundBank(9000), JoinSeat(1, "Ann"), BuyIn(1, 900),
                       ChooseGame("crown_and_spike"), OpenRound(), PlaceBet(1, "sun", 1)):
            do(action)
        for n in range(100_000):
            do(ChangeBet(1, "sun", 2 + n % 50))
    """)
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    acknowledged = 0
    while acknowledged < 40:
        acknowledged = int(child.stdout.readline())
    os.kill(child.pid, signal.SIGKILL)
    rest = child.stdout.read().split()
    child.wait()
    acknowledged = int(rest[-1]) if rest else acknowledged
    database = Database.in_folder(tmp_path)
    back = TableService(database, Engine(GAMES), Hub())
    assert back.version in (acknowledged, acknowledged + 1)  # stored, but not yet said
    assert back.snapshot().table.play.phase == "betting"
    assert back.audit() == []
    database.close()


def test_a_sure_reading_of_the_due_dice_is_recorded_once(service, desk):
    opened(service, PlaceBet(1, "sun", 10), CloseBets())
    desk.on_event(EMPTY)
    desk.on_event(read("sun", "eye", "eye"))
    desk.on_event(read("sun", "eye", "eye"))
    assert service.snapshot().table.play.runs[0].winnings == 10
    assert desk.state().pending is None


@pytest.mark.parametrize(
    "event",
    [
        read("sun", "eye"),
        read("sun", "eye", "eye", verdict=Verdict.ASK, reasons=(Reason.AMBIGUOUS,)),
        read("sun", "eye", "eye", verdict=Verdict.REFUSE, reasons=(Reason.COCKED,)),
        read("sun", "eye", None),
    ],
)
def test_anything_else_waits_for_the_dealer(service, desk, event):
    opened(service, PlaceBet(1, "sun", 10), CloseBets())
    version = service.version
    desk.on_event(EMPTY)
    desk.on_event(event)
    assert service.version == version
    assert desk.state().pending.reading == event.reading


def test_a_throw_before_bets_close_is_never_taken_by_itself(service, desk):
    opened(service, PlaceBet(1, "sun", 10))
    desk.on_event(EMPTY)
    desk.on_event(read("sun", "eye", "eye"))
    service.submit(CloseBets(), DEALER)
    desk.on_event(read("sun", "eye", "eye"))
    assert desk.expect() is not None
    seen = desk.state().pending.id
    desk.confirm(DEALER, None, reading=seen, expected_version=service.version, request_id="ok")
    assert service.log()[-1].action.how == "confirmed"


def test_a_corrected_roll_reverses_its_entries(service):
    opened(service, PlaceBet(1, "sun", 10), PlaceBet(2, "eye", 10), CloseBets())
    desk_roll = Roll.of(["sun", "sun", "crown"])
    service.submit(RecordRoll(desk_roll), DEALER)
    service.submit(CorrectRoll(service.version, Roll.of(["eye", "crown", "crown"])), DEALER)
    assert [run.seat for run in service.snapshot().table.play.runs] == [2]
    assert service.audit() == []


def test_the_hub_turns_a_screen_away_at_the_cap_and_closes_the_rest():
    hub = Hub(cap=1)
    subscription = hub.subscribe()
    with pytest.raises(TooManySubscribers):
        hub.subscribe()
    for number in range(300):
        hub.publish("table", number)
    seen = []
    for event in subscription:
        seen.append(event.id)
        if event.id == 299:
            break
    assert seen[-1] == 299  # a slow screen still learns the newest version
    hub.close()


def test_fewest_chips_where_greed_is_wrong():
    assert fewest(30, [("one", 1), ("fifteen", 15), ("twenty", 20)]) == [("fifteen", 15, 2)]
    assert fewest(1_000_130, [("five", 5), ("hundred", 100), ("25", 25)]) == [
        ("hundred", 100, 10001),
        ("25", 25, 1),
        ("five", 5, 1),
    ]


@pytest.mark.parametrize("unseen", ["a start", "a lost camera"])
def test_dice_that_nobody_saw_fall_wait_for_the_dealer(service, desk, unseen):
    """They may be a throw that is recorded already, lying there since before."""
    opened(service, PlaceBet(1, "sun", 10), CloseBets())
    if unseen == "a lost camera":
        desk.on_event(EMPTY)
        desk.camera_trouble("unplugged")
        desk.camera_trouble("")
    desk.on_event(read("sun", "eye", "eye"))
    assert desk.expect() is not None
    assert desk.state().pending is not None
    desk.on_event(EMPTY)
    desk.on_event(read("sun", "eye", "eye"))
    assert desk.expect() is None


def test_the_editor_counts_until_its_throw_is_settled_or_gone(service, desk):
    desk.opened_editor()
    assert not desk.state().editing  # no throw is due
    opened(service, PlaceBet(1, "sun", 10), CloseBets())
    assert desk.state().editing
    desk.on_event(EMPTY)
    assert not desk.state().editing
    desk.on_event(read("sun", None, "eye"))
    desk.opened_editor()
    desk.dismiss(DEALER, desk.state().pending.id)
    assert not desk.state().editing


def test_a_button_event_never_takes_the_place_of_the_newest_version():
    hub = Hub(beat_s=0.0)
    subscription = hub.subscribe()
    for number in range(200):
        hub.publish("table", number)
    hub.publish("key-correct", 0)
    seen = list(itertools.takewhile(lambda event: event.kind != "beat", subscription))
    assert (seen[-1].kind, seen[-1].id) == ("table", 199)
