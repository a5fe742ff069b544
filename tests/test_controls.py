"""The box's buttons do what the station's keys would do, and never more."""

import itertools

import pytest

from companion.auth import Actor, Role
from companion.controls import GUARD_S, Controls, Key
from companion.database import Database
from companion.evidence import EvidenceStore
from companion.games import GAMES
from companion.hub import Hub
from companion.rolls import RollDesk
from companion.rules.actions import BuyIn, ChooseGame, FundBank, JoinSeat
from companion.rules.crown_and_spike import CloseBets, OpenRound, Phase, PlaceBet
from companion.rules.engine import Engine
from companion.signals import Signals, armed, signal
from companion.table import TableService
from vision.reading import DieReading, Reading, TrayEvent, TrayState, Verdict

DEALER = Actor(Role.DEALER, None, "dealer")
SQUARE = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
SEATED = (FundBank(1000), JoinSeat(1, "Ann"), BuyIn(1, 100), ChooseGame("crown_and_spike"))
DUE = (*SEATED, OpenRound(), PlaceBet(1, "sun", 10), CloseBets())


class Table:
    """A real table on disk with its box; ``events`` hears what pages would hear."""

    def __init__(self, folder):
        self.hub = Hub(beat_s=0.0)
        self.database = Database.in_folder(folder)
        self.service = TableService(self.database, Engine(GAMES), self.hub)
        self.answers = []
        self.now = 0.0
        evidence = EvidenceStore(folder / "evidence", 10**6)
        self.desk = RollDesk(self.service, evidence, self.hub, lambda: self.now)
        self.controls = Controls(
            self.service, self.desk, self.hub, self.answers.append, lambda: self.now
        )
        self.events = self.hub.subscribe()

    def do(self, *actions):
        for action in actions:
            self.service.submit(action, DEALER)

    def read(self, *faces, verdict=Verdict.ASK):
        dice = tuple(DieReading("spike", face, SQUARE, 0.8) for face in faces)
        reading = Reading(verdict, dice, (), 5.0, {"spike": len(faces)})
        self.desk.on_event(TrayEvent(3, TrayState.READ, reading, b"jpeg"))

    def press(self, key):
        self.now += 1.0
        return self.controls.press(Key(key))

    def on_screen(self):
        """The keys passed to the pages since the last look."""
        waiting = itertools.takewhile(lambda event: event.kind != "beat", self.events)
        return [event.kind for event in waiting if event.kind.startswith("key-")]

    @property
    def play(self):
        return self.service.snapshot().table.play


@pytest.fixture
def table(tmp_path):
    made = Table(tmp_path)
    yield made
    made.database.close()


def untouched(table, key, code):
    """Pressing ``key`` is refused and changes nothing."""
    before = table.service.version
    refusal = table.press(key)
    assert refusal.code == code
    assert refusal.sentence.endswith(".")
    assert table.service.version == before
    assert table.answers[-1] is False
    assert table.on_screen() == []


def test_confirm_records_what_the_reader_suggested(table):
    table.do(*DUE)
    table.read("sun", "eye", "eye")
    assert table.press("confirm") is None
    row = table.service.log()[-1]
    assert (row.action.how, row.actor) == ("confirmed", "box")
    assert table.desk.state().pending is None
    assert table.answers == [True]
    assert table.service.audit() == []


@pytest.mark.parametrize("faces", [("sun", "eye", None), ("sun", "eye"), ("sun",) * 4])
def test_confirm_never_records_dice_that_are_not_all_known(table, faces):
    table.do(*DUE)
    table.read(*faces)
    before = table.service.version
    assert table.press("confirm") is None
    assert table.service.version == before
    assert table.on_screen() == ["key-confirm"]


def test_confirm_never_records_a_reading_that_came_under_the_finger(table):
    table.do(*DUE)
    table.read("sun", "eye", "eye")
    table.now += 10.0
    table.read("sun", "sun", "eye")
    before = table.service.version
    table.now += 0.2 - 1.0  # press() lets a second pass
    assert table.press("confirm").code == "too_soon"
    assert table.service.version == before
    assert table.desk.state().pending is not None
    assert table.press("confirm") is None
    assert [face.value for face in table.service.log()[-1].action.roll.spikes].count("sun") == 2


def test_confirm_without_a_reading_is_refused(table):
    untouched(table, "confirm", "nothing_to_confirm")
    table.do(*DUE)
    untouched(table, "confirm", "nothing_to_confirm")


def test_confirm_before_bets_are_closed_is_not_taken(table):
    table.do(*SEATED, OpenRound(), PlaceBet(1, "sun", 10))
    table.read("sun", "eye", "eye")
    before = table.service.version
    table.press("confirm")
    assert table.service.version == before


def test_an_open_editor_has_the_word_not_the_readers_suggestion(table):
    """The dealer may have set other faces there; only the page knows them."""
    table.do(*DUE)
    table.read("sun", "eye", "eye")
    table.desk.opened_editor()
    before = table.service.version
    assert table.press("confirm") is None
    assert table.service.version == before
    assert table.on_screen() == ["key-confirm"]


def test_correct_opens_the_editor_on_the_screen(table):
    untouched(table, "correct", "nothing_to_correct")
    table.do(*DUE)
    assert table.press("correct") is None
    assert table.on_screen() == ["key-correct"]
    table.read("sun", "eye", "eye")
    table.press("confirm")
    table.press("correct")  # the recorded roll
    assert table.on_screen() == ["key-correct"]


def test_undo_takes_back_the_last_thing_in_force(table):
    untouched(table, "undo", "nothing_to_undo")
    table.do(*DUE)
    table.press("undo")
    assert table.play.phase is Phase.BETTING
    table.press("undo")
    assert table.service.snapshot().table.credits(1) == 100
    assert table.service.audit() == []


def test_next_walks_through_the_round_and_waits_for_dice(table):
    untouched_key = "nothing_next"
    table.do(*SEATED)
    assert table.press("next") is None
    assert table.play.phase is Phase.BETTING
    untouched(table, "next", untouched_key)  # nobody has bet
    table.do(PlaceBet(1, "sun", 10))
    table.press("next")
    assert table.desk.expect() == {"spike": 3}
    untouched(table, "next", untouched_key)


def test_next_opens_what_needs_the_screen(table):
    table.press("next")
    assert table.on_screen() == ["key-next"]  # choose a game
    assert table.service.version == 0


def test_void_gives_the_stakes_back_or_drops_the_throw(table):
    untouched(table, "void", "nothing_to_void")
    table.do(*SEATED, OpenRound(), PlaceBet(1, "sun", 10))
    assert table.press("void") is None
    assert table.service.snapshot().table.credits(1) == 100
    table.read("sun", "eye", "eye")  # a throw outside of any round
    assert table.press("void") is None
    assert table.desk.state().pending is None


def test_a_hasty_second_press_is_ignored(table):
    table.do(*DUE)
    table.press("undo")
    before = table.service.version
    table.now += GUARD_S / 2
    assert table.controls.press(Key.UNDO).code == "too_soon"
    assert table.service.version == before
    table.now += GUARD_S
    assert table.controls.press(Key.UNDO) is None


def test_a_table_that_moved_on_between_is_not_acted_on(table, monkeypatch):
    table.do(*DUE)
    now = table.controls._now()
    monkeypatch.setattr(table.controls, "_now", lambda: now)
    table.do(JoinSeat(2, "Bo"))
    before = table.service.version
    assert table.press("undo").code == "stale"
    assert table.service.version == before


# The lamps' view of the table


class Board:
    def __init__(self):
        self.done = []

    def show(self, signal):
        self.done.append(signal)

    def celebrate(self):
        self.done.append("celebrate")

    def freeze(self):
        self.done.append("freeze")

    def thaw(self):
        self.done.append("thaw")


def test_lamps_freeze_while_a_read_is_armed_and_only_then(table):
    board = Board()
    signals = Signals(table.desk, table.hub, board)

    def after(change):
        board.done.clear()
        change()
        signals.update()
        return board.done

    empty = TrayEvent(1, TrayState.EMPTY)
    assert after(lambda: table.do(*DUE)) == ["thaw", "ready"]  # nothing is watched yet
    assert after(lambda: table.desk.on_event(empty)) == ["ready", "freeze"]
    assert after(lambda: table.read("sun", "eye", None)) == ["thaw", "ask"]
    assert after(lambda: table.desk.dismiss(DEALER, table.desk.state().pending.id)) == [
        "ready",
        "freeze",
    ]
    assert after(lambda: table.desk.camera_trouble("unplugged")) == ["thaw", "trouble"]
    assert after(lambda: table.desk.camera_trouble("")) == ["thaw", "ready"]
    assert after(lambda: table.desk.on_event(empty)) == ["ready", "freeze"]
    sure = lambda: table.read("eye", "eye", "eye", verdict=Verdict.ACCEPT)  # noqa: E731
    assert after(sure) == ["thaw", "ready", "celebrate"]
    assert after(lambda: None) == ["thaw", "ready"]
    signals.close()


def test_the_lamps_follow_the_tables_events_and_survive_a_fault(table):
    class Failing(Board):
        def thaw(self):
            super().thaw()
            if len(self.done) == 3:
                raise OSError("the pin is gone")

    board = Failing()
    signals = Signals(table.desk, table.hub, board)
    signals.start()
    table.do(*SEATED)
    table.hub.close()
    signals._following._thread.join(timeout=30)
    assert board.done[:2] == ["thaw", "ready"]
    assert board.done[-1] == "ready"
    assert board.done.count("thaw") >= 1 + len(SEATED)


def test_signal_and_armed_agree_with_the_desk(table):
    assert signal(table.desk.state()) == "ready"
    assert not armed(table.desk.state())
