"""Each of the five games to its end: station, box, three phones and the room's screen.

The dice are read by the camera's own pipeline from recorded throws: what it is sure of is
taken, what it asks about is confirmed or corrected by the dealer. Credits are compared with
the ledger on every screen. Point Five throws the recording's single dice, most of which the
reader was taught with, for there is only one other; what is tested here is the table.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from companion import bootstrap
from companion.box import ButtonSettings
from companion.config import Settings
from companion.rules.actions import How, RecordRoll
from companion.rules.transfers import post
from companion.table import audit
from hardware.buttons import Button
from hardware.camera import ReplayCamera
from tests.recordings import RECORDING

from .conftest import DEALER_PIN
from .pages import PINS, THROW_MS, Box, Phone, Room, Station

pytestmark = pytest.mark.browser

NAMES = {1: "Nova", 2: "Rook", 3: "Vex"}
BUY_IN = 500
FASTER = 3  # than it was filmed
WIRED = ButtonSettings(**{button.value: pin for button, pin in PINS.items()}, hold_s=5.0)

SPIKE_CROWN = "throws/004.jpg"
PAIR, ONE_OFF_THE_TRAY = "throws/006.jpg", "bad/004.jpg"
COCKED = "bad/000.jpg"
CUBES = "throws/009.jpg"


def die(face: str, copy: int = 1) -> str:
    """A single die with ``face`` up."""
    return f"faces/spike/{face}_{copy}.jpg"


def recorded(folder: Path, *throws: tuple[str, dict[str, int]], clip: str = "") -> Path:
    """A recording that plays ``clip`` and then these throws of the recorded table, in order."""
    folder.mkdir()
    for part in ("empty", "throws", "bad", "faces", "clips"):
        (folder / part).symlink_to(RECORDING / part)
    truth = [json.loads(line) for line in (RECORDING / "truth.jsonl").read_text().splitlines()]
    lines = [line for line in truth if clip and line["image"].startswith(f"clips/{clip}/")]
    lines += [{"image": image, "scene": "throw", "expect": due} for image, due in throws]
    (folder / "truth.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


class Hand:
    """The hand that throws: the film runs only as far as throws were made."""

    def __init__(self, due, done):
        self._due = due
        self._done = done
        self._until = 0

    def throw(self, times: int) -> None:
        self._until += times

    def due(self):
        """What the film should throw now."""
        return self._due() if self._done() < self._until else None


class Evening:
    """A station that plays a recording, with everybody at their screens."""

    def __init__(self, made, url, open_page, factory, hand):
        self.made = made
        self.hand = hand
        self.service = made.services.service
        self.url = url
        self.open_page = open_page
        self.station = Station(open_page("dealer", f"{url}/dealer"))
        self.station.log_in(DEALER_PIN)
        self.box = Box(factory, self.station)
        self.room = Room(open_page("display", f"{url}/display"))
        self.phones = {}

    def sit_down(self, game: str, bank: int = 0) -> None:
        """The game is chosen and all three players join with their phones and buy in."""
        self.station.choose(game)
        if bank:
            self.station.fund_bank(bank)
        for seat, name in NAMES.items():
            token = self.made.services.tokens.issue()
            page = self.open_page("phone", f"{self.url}/join?t={token}")
            self.phones[seat] = Phone(page, seat)
            self.phones[seat].join(name)
            self.station.buy_in(seat, BUY_IN)
            self.phones[seat].balance(BUY_IN)

    def go_on(self) -> None:
        """The dealer presses Next, looking at a screen that shows how the table is now."""
        self.station.at(self.service.version)
        self.box.go_on()

    def throw(self, times: int = 1) -> None:
        """The players throw, as often as dice are due."""
        self.hand.throw(times)

    @property
    def screens(self):
        return (self.station, self.room, *self.phones.values())

    def rolls(self) -> list[RecordRoll]:
        rows = self.service.log()
        return [row.action for row in rows if row.in_force and isinstance(row.action, RecordRoll)]

    def how(self) -> list[How]:
        return [roll.how for roll in self.rolls()]

    def everybody_agrees(self) -> dict[int, int]:
        """The ledger's credits by seat, once every phone and the room show exactly them."""
        ledger = post({}, (row.transfer for row in self.service.ledger()))
        assert sum(ledger.values()) == 0
        assert ledger == dict(self.service.snapshot().table.accounts)
        credits = {seat: ledger[f"seat:{seat}"] for seat in NAMES}
        for seat, phone in self.phones.items():
            phone.balance(credits[seat])
        self.room.balances(credits)
        assert self.service.audit() == []
        return credits

    def end(self) -> None:
        """The game ends, the room invites to the next; what is stored adds up."""
        self.station.end_game()
        self.room.shows(".attract")
        assert self.service.snapshot().table.game is None
        assert audit(self.made.database, self.service.snapshot().history.engine) == []


@pytest.fixture
def evening(tmp_path, serve, open_page, enrolled, monkeypatch):
    """Begin an evening on a recording."""
    stations, hands = [], []

    def filmed(setting, due, done):
        """The station's camera: the recording, faster, and thrown when the test says so."""
        hand = Hand(due, done)
        hands.append(hand)
        return ReplayCamera(
            Path(setting.partition(":")[2]),
            hand.due,
            done,
            hold_s=0.3,
            sleep=lambda seconds: time.sleep(seconds / FASTER),
        )

    monkeypatch.setattr(bootstrap, "open_camera", filmed)

    def begin(recording: Path) -> Evening:
        factory = MockFactory()
        settings = Settings(
            data_dir=tmp_path / "data",
            camera=f"replay:{recording}",
            station=enrolled,
            buttons=WIRED,
        )
        made = bootstrap.build(settings, pin_factory=factory)
        made.services.pin.set(DEALER_PIN)
        stations.append(made)
        made.start()
        return Evening(made, serve(made.web), open_page, factory, hands[-1])

    yield begin
    for made in stations:
        made.close()


def test_crown_and_spike(evening, tmp_path):
    three = {"spike": 3}
    table = evening(
        recorded(tmp_path / "film", (COCKED, three), (ONE_OFF_THE_TRAY, three), clip="first")
    )
    table.sit_down("crown_and_spike", bank=3000)
    nova, rook, vex = table.phones.values()

    table.go_on()
    nova.bet("sun", 1)
    table.station.shows("#spot-sun .bet")
    table.box.does(Button.UNDO)  # on the wrong place
    nova.balance(BUY_IN)
    nova.bet("eye", 2)
    rook.bet("crown", 1)
    vex.bet("sun", 4)
    vex.sleeps()
    table.go_on()
    table.throw()
    nova.shows("#run-eye", timeout=THROW_MS)
    rook.shows(".verdict.loss")
    vex.wakes()
    vex.shows("#run-sun")  # asleep while the dice were thrown, and right again
    table.go_on()
    assert table.everybody_agrees() == {1: 550, 2: 475, 3: 600}

    table.go_on()
    for phone, on in ((nova, "crown"), (rook, "flask"), (vex, "crown")):
        phone.bet(on, 1)
    vex.page.reload()  # keeps its seat and its bet
    vex.shows("#spot-crown .mine")
    table.go_on()
    table.throw()
    table.station.asks()
    assert len(table.rolls()) == 1, "a cocked die moves no credit"
    table.box.does(Button.CONFIRM)
    nova.shows("#run-crown")
    table.go_on()
    table.everybody_agrees()

    table.go_on()
    for phone, on in ((nova, "eye"), (rook, "flask"), (vex, "sun")):
        phone.bet(on, 1)
    table.go_on()
    table.throw()
    table.station.asks()
    table.box.press(Button.CORRECT)
    table.station.enter_faces(1, 5, 6)  # the third die lies off the tray, and shows a sun
    table.box.does(Button.CONFIRM)
    vex.shows("#run-sun")
    table.go_on()
    assert table.how() == [How.READ, How.CONFIRMED, How.MANUAL]
    assert table.everybody_agrees() == {1: 600, 2: 425, 3: 650}
    table.end()


def test_point_five(evening, tmp_path):
    dice = (
        *(SPIKE_CROWN, die("eye")),  # Nova, who calls
        *(die("sun"), die("sun", 2)),  # Rook, who busts
        *map(die, ("spike", "flask", "crown", "compass", "eye", "sun")),  # Vex, all six
    )
    table = evening(recorded(tmp_path / "film", *((image, {"spike": 1}) for image in dice)))
    table.sit_down("point_five")
    nova, rook, _ = table.phones.values()
    tablet = Phone(table.open_page("phone", f"{table.url}/"), 1)
    tablet.take_seat_by(nova.seat_code())

    table.go_on()
    table.throw(2)
    for phone in (nova, tablet):
        phone.shows("#point-five .places.big .lit >> nth=1", timeout=THROW_MS)
    tablet.does("#call")
    nova.shows("#my-points:has-text('5')")  # the second throw, an eye, counts once its value
    table.throw(2)
    rook.shows("#point-five .places.big .bust", timeout=THROW_MS)
    table.throw(6)
    for screen in table.screens:
        screen.shows("#finished", timeout=THROW_MS)
    assert table.how() == [How.READ] * len(dice)
    assert table.everybody_agrees() == {1: 495, 2: 495, 3: 510}
    table.end()


def test_sika(evening, tmp_path):
    table = evening(recorded(tmp_path / "film", (CUBES, {"cube": 3})))
    table.sit_down("sika")
    table.go_on()
    for phone, colour in zip(table.phones.values(), ("red", "blue", "blue"), strict=True):
        phone.press(f"#sika [data-call={colour}]")
        phone.shows(f"#sika .called.c-{colour}, #sika [data-call={colour}].chosen")
    table.throw(27)
    for screen in table.screens:
        screen.shows("#finished", timeout=4 * THROW_MS)
    assert len(table.rolls()) == 27
    assert set(table.how()) == {How.READ}
    for seat, total in ((1, 36), (2, 18), (3, 18)):
        table.room.shows(f"#row-{seat} .total:has-text('{total}')")
    assert table.everybody_agrees() == {1: 510, 2: 495, 3: 495}
    table.end()


def in_turn(table, control: str) -> None:
    """Everybody does the same, from the dealer's left; each on the own phone."""
    for seat in (2, 3, 1):
        table.phones[seat].does(control)


def test_galaxy_series(evening, tmp_path):
    table = evening(recorded(tmp_path / "film", (PAIR, {"spike": 2})))
    table.sit_down("galaxy_series")
    table.go_on()
    table.go_on()
    for number in range(3):
        table.go_on()  # a card is laid in the Array
        in_turn(table, "#stand")
        in_turn(table, "#check")
        table.throw(1 if number == 1 else 0)
    table.phones[2].press("#enter")
    table.phones[2].pick_cards("+3c", "-1c")
    for seat, hand in ((1, ("+1c", "-2c")), (3, ("+9s", "+8s"))):
        table.station.open(f"#holder-{seat} .end a")
        table.station.pick_cards(*hand)
    table.go_on()
    for screen in table.screens:
        screen.shows("#finished .ranking")
    assert table.how() == [How.READ]
    table.everybody_agrees()
    table.end()


def test_yarith_bespin(evening, tmp_path):
    pair = {"spike": 2}
    table = evening(recorded(tmp_path / "film", (PAIR, pair), (ONE_OFF_THE_TRAY, pair)))
    table.sit_down("yarith_bespin")
    table.go_on()
    table.go_on()
    in_turn(table, "#check")
    table.go_on()  # spike cards
    for _ in range(3):
        in_turn(table, "#stand")
        in_turn(table, "#check")
        table.throw()
    table.phones[2].press("#enter")
    table.phones[2].pick_cards("+1c", "+2c", "+3c")
    for seat, hand in ((1, ("+7c", "-7c", "0")), (3, ("+4s", "+5s", "+6s"))):
        table.station.open(f"#holder-{seat} .end a")
        table.station.pick_cards(*hand)
    table.go_on()
    for screen in table.screens:
        screen.shows("#finished .ranking")
    assert table.how() == [How.READ] * 3
    table.everybody_agrees()
    table.end()
