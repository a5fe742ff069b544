"""Every page and state of the table, staged: who looks at what, one stop after the other.

A scene puts the table into one state after the other and yields a stop for each page worth
looking at. What is done at a stop (words measured, axe run, a picture kept) is not its business.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from companion.rules.actions import JoinSeat
from companion.rules.model import Line
from companion.setup.model import (
    CameraChoice,
    DiceDraft,
    DieLook,
    FaceState,
    LightView,
    Setup,
    TrayDraft,
    TrayState,
    TryOut,
)
from companion.setup.table import TableNames
from companion.web import create_app
from companion.wifi import Wifi
from tests.recordings import RECORDING
from tests.test_setup import Store
from tests.test_table import DEALER
from vision.reading import DieReading, Reading, Reason, TrayEvent, Verdict
from vision.reading import TrayState as Tray

from .conftest import DEALER_PIN

FRAME = (1152, 864)  # pixels of the recorded pictures
SYMBOLS = ("spike", "flask", "crown", "compass", "eye", "sun")
SIZES = {
    "dealer": ((1280, 800),),
    "phone": ((390, 844), (320, 568)),
    "guest": ((390, 844), (320, 568)),  # a phone without a seat
    "lobby": ((1280, 800),),  # the dealer's screen without the PIN
    "display": ((1920, 1080),),
    "overlay": ((1920, 1080),),
}


@dataclass(frozen=True)
class Stop:
    """One page in one state. ``main``: the page a role looks at most, worth every theme."""

    name: str
    kind: str  # of screen: a key of SIZES
    path: str = ""  # empty: the kind's own page
    sheet: bool = False  # as the dialog it is on that page
    ready: str = "body"  # what is there once the state is shown
    main: bool = False
    axe: bool = True  # off where test_axe visits the same state in every size and theme
    then: Callable[[object], None] | None = None  # the last touch, after every load


def lines() -> list[dict]:
    """What the recording says of its pictures."""
    return [json.loads(line) for line in (RECORDING / "truth.jsonl").read_text().splitlines()]


def picture(name: str) -> bytes:
    """A recorded picture as JPEG."""
    return (RECORDING / name).read_bytes()


def throw(kind: str = "spike", count: int = 3, number: int = 0) -> tuple[bytes, Reading]:
    """A recorded throw of ``count`` dice with a reading that is sure of every die."""
    found = [t for t in lines() if t["scene"] == "throw" and t["expect"] == {kind: count}][number]
    dice = tuple(
        DieReading(d["kind"], d["face"], tuple(map(tuple, d["quad"])), 0.99, ((d["face"], 0.99),))
        for d in found["dice"]
    )
    return picture(found["image"]), Reading(Verdict.ACCEPT, dice, (), 12.0, {kind: count})


def asking(reading: Reading) -> Reading:
    """The same dice, the last of them in doubt."""
    last = reading.dice[-1]
    other = next(face for face in SYMBOLS if face != last.face)
    ranked = ((last.face, 0.61), (other, 0.37))
    unsure = replace(
        last, confidence=0.61, alternatives=ranked, reasons=(Reason.AMBIGUOUS, Reason.DISAGREE)
    )
    dice = (*reading.dice[:-1], unsure)
    return replace(reading, verdict=Verdict.ASK, dice=dice, reasons=unsure.reasons)


def spoilt(jpeg: bytes, light: float = 1.0, blur: int = 1, turn: float = 0.0) -> bytes:
    """The picture darker, blurred along its rows by ``blur`` pixels, or turned by degrees."""
    frame = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    height, width = frame.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    frame = cv2.warpAffine(frame, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    frame = cv2.blur(frame, (blur, 1)) * light
    return cv2.imencode(".jpg", frame.astype(np.uint8))[1].tobytes()


class ShownCamera:
    """A camera whose picture is well lit, or dark."""

    setting, fixed, dark = "usb:0", False, False

    def choices(self):
        cameras = (("usb:0", "HD Webcam C615"), ("picamera2:0", "Camera Module 3"))
        found = [CameraChoice(s, label, s == self.setting) for s, label in cameras]
        return (*found, CameraChoice("disabled", ""))

    def light(self):
        if not self.dark:
            return LightView(FRAME, 148, (), (), 81)
        dark = Line("Too dark: {level} of 255.", {"level": 34})
        return LightView(FRAME, 34, (dark,), ((700.0, 300.0, 160.0, 120.0),), 42)


class ShownTray:
    """A tray that is not calibrated, just found, or in use."""

    def __init__(self):
        self.now = TrayState()
        self.found = None

    def state(self):
        return self.now

    def take(self):
        corners = ((104.0, 86.0), (1093.0, 76.0), (1102.0, 776.0), (110.0, 792.0))
        self.found = TrayDraft(7, FRAME, corners, 91, (), True)

    def draft(self):
        return self.found

    def picture(self):
        return picture("empty/000.jpg")


class ShownDice:
    """Dice half taught, then learnt and tried."""

    def __init__(self):
        self.being = None

    def begin_spikes(self, taught: int) -> None:
        faces = tuple(FaceState(name, 2 if i < taught else 0, 2) for i, name in enumerate(SYMBOLS))
        self.being = DiceDraft("spike", "Ivory", 16, faces, learnt=taught == len(SYMBOLS))

    def looks(self, millimetres: int) -> None:
        self.being = replace(self.being, looks_mm=millimetres)

    def draft(self):
        return self.being

    def look(self, face):
        found = next(t for t in lines() if t["image"] == f"faces/spike/{face}_1.jpg")
        quad = tuple(map(tuple, found["dice"][0]["quad"]))
        near = Line("Too near the wall; move it towards the middle.")
        return DieLook(3, FRAME, (near,), quad, can_take=True, ready=False)

    def now(self):
        if self.being.learnt:
            return throw()[0]
        return picture(f"faces/spike/{self.being.next_face or 'sun'}_1.jpg")

    def crop(self):
        return None

    def taken(self, face, index):
        return picture(f"faces/spike/{face}_{index + 1}.jpg")

    def try_out(self):
        return TryOut(5, FRAME, (), throw()[1])

    def labels(self):
        return {"spike": "Ivory"} if self.being else {}


@dataclass
class Stage:
    """The table behind the screens, and the screens."""

    services: object
    serve: Callable
    open_page: Callable
    frame: bytes | None = None  # what the camera shows now
    pages: dict = field(default_factory=dict)
    number: int = 100

    def __post_init__(self):
        self.camera, self.tray, self.dice = ShownCamera(), ShownTray(), ShownDice()
        self.names = TableNames(Store(), "Docking Bay 94")
        self.begin()

    def begin(self, wifi: Wifi | None = None) -> None:
        """Serve the table's pages, from a station with its own ``wifi`` or none."""
        shown = replace(
            self.services,
            setup=Setup(self.names, self.camera, self.tray, self.dice),
            live_frame=lambda: self.frame,
            wifi=wifi,
        )
        self.url, self.pages = self.serve(create_app(shown)), {}

    def do(self, *actions) -> None:
        for action in actions:
            self.services.service.submit(action, DEALER)

    @property
    def play(self):
        return self.services.service.snapshot().table.play

    @property
    def version(self) -> int:
        return self.services.service.version

    def saw(self, state: Tray, reading: Reading | None = None, jpeg: bytes | None = None) -> None:
        """The tray is now so; what was read is its own picture."""
        self.number += 1
        self.services.desk.on_event(TrayEvent(self.number, state, reading, jpeg))

    def token(self) -> str:
        return self.services.tokens.issue()

    def code(self, seat: int) -> str:
        return self.services.show_code(seat, self.services.service.snapshot())

    def people(self, *names: str) -> None:
        for seat, name in enumerate(names, 1):
            self.do(JoinSeat(seat, name))

    def page(self, kind: str):
        """The screen of a kind: the station signed in, the phone in seat 1."""
        if kind not in self.pages:
            self.pages[kind] = self.open_page(LIKE.get(kind, kind), f"{self.url}/credits")
            self._enter(kind, self.pages[kind])
        return self.pages[kind]

    def _enter(self, kind: str, page) -> None:
        if kind == "dealer":
            page.goto(f"{self.url}/dealer/login")
            page.evaluate(PIN, DEALER_PIN)
            page.wait_for_selector("#tray, .setup")
        if kind == "phone":
            page.goto(self.url)
            page.evaluate(CODE, self.code(1))
            page.wait_for_selector("#balance")


LIKE = {"overlay": "display", "guest": "phone", "lobby": "dealer"}
PIN = "pin => { document.querySelector('[name=pin]').value = pin; document.forms[0].submit() }"
CODE = "code => { document.querySelector('[name=code]').value = code; document.forms[0].submit() }"
OWN = {"dealer": "/dealer", "phone": "/play", "display": "/display", "overlay": "/overlay"}
OPEN = """url => {
  const link = document.createElement("a");
  link.href = url;
  link.dataset.sheet = "";
  document.querySelector("main").append(link);
  link.click();
  link.remove();
}"""


def go(stage: Stage, stop: Stop, page) -> None:
    """Bring a screen to a stop, as one comes there."""
    page.goto(stage.url + (OWN[stop.kind] if stop.sheet or not stop.path else stop.path))
    if stop.sheet:
        page.evaluate(OPEN, stop.path)
        page.wait_for_selector("#sheet[open] #sheet-body")
    page.wait_for_selector(stop.ready, state="attached")
    if stop.then is not None:
        stop.then(page)
    page.evaluate("document.fonts.ready")


Scene = Callable[[Stage], Iterator[Stop]]
