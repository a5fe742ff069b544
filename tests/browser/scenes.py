"""The scenes of the tour: ways in, the station's tray, the five games, figures, set-up."""

from __future__ import annotations

from collections.abc import Iterator

from companion.rules.actions import BuyIn, ChooseGame, EndGame, FundBank, How, RecordRoll, Undo
from companion.rules.betting import AllIn, Bet, Check
from companion.rules.card_actions import DealCards, EnterHand, OpenHand, RevealHands, Stand
from companion.rules.card_state import Phase, on_turn
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet, SettleOffers
from companion.rules.crown_state import Phase as CrownPhase
from companion.rules.dice import Colour, Roll, Symbol
from companion.rules.galaxy_series import LayArray
from companion.rules.point_five import Call
from companion.rules.pot_game import OpenGame
from companion.rules.sika import CallColour
from companion.rules.yarith_bespin import LaySpikes
from companion.wifi import Wifi
from vision.reading import Reading, Reason, Verdict
from vision.reading import TrayState as Tray

from .tour import Scene, Stage, Stop, TrayState, asking, picture, spoilt, throw

GUESTS = ("Nova", "Rook", "Vex")
COLOURS = {"colour_bets": True, "crown_pot": "ante"}
SELECT = "name => document.querySelector(`#sheet [value='${name}']`)?.click()"


def seated(stage: Stage, game: str = "", **options) -> None:
    """Three players with credits, a bank, and the game."""
    stage.people(*GUESTS)
    stage.do(FundBank(3000), *(BuyIn(seat, 500) for seat in (1, 2, 3)))
    if game:
        stage.do(ChooseGame(game, options))


def everywhere(name: str, *kinds: str, main: bool = False, axe: bool = True) -> Iterator[Stop]:
    """The same state on several screens."""
    for kind in kinds or ("dealer", "phone", "display"):
        yield Stop(f"{kind}-{name}", kind, main=main and kind != "overlay", axe=axe)


def sheets(*names: str, axe: bool = False) -> Iterator[Stop]:
    """Sheets of the station."""
    for name in names:
        title = name.replace("/", "-")
        yield Stop(f"dealer-sheet-{title}", "dealer", f"/dealer/{name}", sheet=True, axe=axe)


def ways_in(stage: Stage) -> Iterator[Stop]:
    """From the door to a seat, and every page that says no."""
    yield Stop("guest-home", "guest", "/", main=True, axe=False)
    yield Stop("guest-join", "guest", f"/join?t={stage.token()}", main=True, axe=False)
    yield Stop("guest-old-code", "guest", "/join?t=old")
    yield Stop("guest-wrong-code", "guest", "/", then=wrong("form[action$='/seat']", "code"))
    yield Stop("guest-no-name", "guest", f"/join?t={stage.token()}", then=wrong("form", "name"))
    yield Stop("guest-login", "guest", "/dealer/login", axe=False)
    yield Stop("guest-wrong-pin", "guest", "/dealer/login", then=wrong("form", "pin"))
    yield Stop("guest-credits", "guest", "/credits", axe=False)
    yield Stop("guest-no-such-page", "guest", "/no-such-page", axe=False)
    yield Stop("guest-look", "guest", "/look")
    yield Stop("dealer-login", "lobby", "/dealer/login")
    yield Stop("dealer-wrong-pin", "lobby", "/dealer/login", then=wrong("form", "pin"))
    yield Stop("display-attract", "display", axe=False)
    yield Stop("overlay-attract", "overlay")
    stage.people(*(f"Guest {n}" for n in range(1, 9)))
    yield Stop("guest-join-full", "guest", f"/join?t={stage.token()}")


def wrong(form: str, field: str):
    """Send a form whose ``field`` is no good."""

    def send(page) -> None:
        page.fill(f"{form} [name={field}]", {"code": "ZZZZZZ", "pin": "0000"}.get(field, " "))
        with page.expect_navigation():  # until its styles are there, too
            page.evaluate("form => document.querySelector(form).submit()", form)
        page.wait_for_selector(".notice, .entry")

    return send


def station(stage: Stage) -> Iterator[Stop]:
    """The station before a game, and what it opens."""
    yield Stop("dealer-empty-table", "dealer", axe=False)
    seated(stage)
    yield Stop("display-between-games", "display")
    yield from sheets("game", "seats", "seat/1", "seat/6", "bank", "more")
    yield from sheets("history", axe=True)
    yield Stop("dealer-house-rules", "dealer", "/dealer/game", sheet=True, then=open_rules)
    stage.code(2)
    yield from sheets("seat/2/device", axe=True)
    yield Stop("dealer-look", "dealer", "/look?from=dealer", sheet=True)
    yield Stop("dealer-refused", "dealer", "/dealer/seat/6", sheet=True, then=refused)


def open_rules(page) -> None:
    """The house rules of the first game."""
    page.click("#sheet details summary >> nth=0")


def refused(page) -> None:
    """Sit down under a name that is taken: said at the bottom of the screen."""
    page.evaluate(
        "() => { const field = document.querySelector('#sheet [data-field=text]');"
        "field.value = 'Nova'; field.form.requestSubmit(); }"
    )
    page.wait_for_selector("#toast:not([hidden])")


def tray(stage: Stage) -> Iterator[Stop]:
    """What the camera sees, from an empty tray to one that cannot be read."""
    seated(stage, "crown_and_spike")
    stage.do(OpenRound(), PlaceBet(1, "spike", 50), PlaceBet(2, "flask", 25))
    stage.frame = picture("empty/000.jpg")
    stage.saw(Tray.EMPTY)
    yield Stop("dealer-betting", "dealer", main=True, axe=False)
    stage.do(CloseBets())
    still = picture("throws/000.jpg")
    for state, frame in (
        (Tray.EMPTY, picture("empty/001.jpg")),
        (Tray.HAND, picture("bad/001.jpg")),
        (Tray.ROLLING, spoilt(still, blur=41)),
        (Tray.SETTLED, still),
        (Tray.MOVED, spoilt(still, turn=7)),
        (Tray.DARK, spoilt(still, light=0.08)),
        (Tray.FROZEN, still),
    ):
        stage.frame = frame
        stage.saw(state)
        yield Stop(f"dealer-tray-{state.value}", "dealer", ready="#tray-state")
    jpeg, sure = throw()
    stage.saw(Tray.EMPTY)
    stage.saw(Tray.READ, asking(sure), jpeg)
    yield Stop("dealer-tray-asked", "dealer", ready="#tray polygon.line >> nth=2", axe=False)
    yield Stop("dealer-correct", "dealer", "/dealer/correct", sheet=True, axe=False)
    stage.saw(Tray.EMPTY)
    stage.saw(Tray.READ, Reading(Verdict.ASK, sure.dice, (Reason.LIGHT,), 9.0, {"spike": 3}), jpeg)
    yield Stop("dealer-reading", "dealer", ready="#tray polygon.line >> nth=2", axe=False)
    stage.saw(Tray.EMPTY)
    few = Reading(Verdict.REFUSE, sure.dice[:1], (Reason.TOO_FEW, Reason.COCKED), 9.0, {"spike": 3})
    stage.saw(Tray.READ, few, picture("bad/000.jpg"))
    yield Stop("dealer-tray-refused", "dealer", ready="#reading .why")
    yield Stop("dealer-correct-by-hand", "dealer", "/dealer/correct", sheet=True)
    stage.saw(Tray.EMPTY)
    stage.saw(Tray.READ, sure, jpeg)
    yield from everywhere("result", main=True, axe=False)
    yield Stop("overlay-result", "overlay", axe=False)
    before = tuple((die.kind, die.face) for die in sure.dice)
    stage.saw(Tray.NUDGED, Reading(Verdict.ASK, sure.dice[:2], (Reason.CHANGED,), 9, {}, before))
    yield Stop("dealer-tray-nudged", "dealer")
    yield from sheets("history", "rolls")
    yield Stop("dealer-appeal", "dealer", f"/dealer/roll/{stage.version}", sheet=True)
    stage.frame = None
    stage.services.desk.camera_trouble("The camera does not answer; check its cable.")
    yield Stop("dealer-tray-offline", "dealer")


def crown(stage: Stage) -> Iterator[Stop]:
    """Crown & Spike with all house rules, from the first bet to the Smuggler's Run."""
    seated(stage, "crown_and_spike", **COLOURS)
    yield from everywhere("crown-before")
    stage.do(OpenRound(), PlaceBet(1, "sun", 25), PlaceBet(2, "crown", 50), PlaceBet(3, "red", 20))
    yield Stop("phone-betting", "phone", ready="a#spot-sun", main=True, axe=False)
    yield Stop("display-betting", "display", main=True)
    yield Stop("dealer-crown-colours", "dealer")
    yield Stop("phone-stake", "phone", "/play/stake/eye", sheet=True, axe=False)
    yield Stop("phone-stake-colour", "phone", "/play/stake/green", sheet=True)
    yield Stop("phone-stake-change", "phone", "/play/stake/sun", sheet=True)
    yield from sheets("seat/3/play")
    stage.do(CloseBets())
    yield from everywhere("crown-closed")
    stage.do(RecordRoll(Roll.of(["sun", "sun", "crown"], ["red", "red"]), How.READ))
    yield from everywhere("crown-offers")
    yield Stop("phone-look", "phone", "/look?from=play", sheet=True)
    stage.code(1)
    yield Stop("phone-device", "phone", "/play/device", sheet=True)


def point_five(stage: Stage) -> Iterator[Stop]:
    """A turn, a bust and a win."""
    seated(stage, "point_five")
    stage.do(OpenGame(), *(RecordRoll(Roll.of([face])) for face in ("sun", "eye", "crown")))
    yield from everywhere("point-five", main=True, axe=False)
    stage.do(Call(1), RecordRoll(Roll.of(["sun"])), RecordRoll(Roll.of(["sun"])))
    yield from everywhere("point-five-bust", "display")
    stage.do(*(RecordRoll(Roll.of([symbol.value])) for symbol in Symbol))
    yield from everywhere("point-five-won")


def sika(stage: Stage) -> Iterator[Stop]:
    """Colours called, three throws a turn, a winner."""
    seated(stage, "sika")
    stage.do(OpenGame())
    yield from everywhere("sika-calling")
    stage.do(*(CallColour(s, c) for s, c in ((1, Colour.RED), (2, Colour.BLUE), (3, Colour.RED))))
    cubes = [RecordRoll(Roll.of(cubes=["red"] * n + ["blue"] * (3 - n))) for n in (2, 0, 3)]
    stage.do(*cubes, *cubes[:2])
    yield from everywhere("sika", main=True, axe=False)
    stage.do(cubes[2], *cubes, *[cube for _ in range(6) for cube in cubes])
    yield from everywhere("sika-tie")
    for colour in ["red"] * 3 + ["blue"] * 3:  # the first of the tied wins the extra round
        stage.do(RecordRoll(Roll.of(cubes=[colour] * 3)))
    yield from everywhere("sika-won")


def all_stand(stage: Stage) -> None:
    while stage.play.to_act:
        stage.do(Stand(on_turn(stage.play)))


def all_check(stage: Stage) -> None:
    while stage.play.phase is Phase.BETTING:
        stage.do(Check(on_turn(stage.play)))


def galaxy(stage: Stage) -> Iterator[Stop]:
    """A hand of Galaxy Series to the showdown."""
    seated(stage, "galaxy_series")
    stage.do(OpenHand(), DealCards(), LayArray("+5s"))
    while on_turn(stage.play) != 1:
        stage.do(Stand(on_turn(stage.play)))
    yield from everywhere("galaxy-cards", main=True)
    yield from sheets("array/1")
    all_stand(stage)
    stage.do(Bet(on_turn(stage.play), 15))
    while on_turn(stage.play) != 1:
        stage.do(AllIn(on_turn(stage.play)))
    yield from everywhere("galaxy-betting")
    yield Stop("phone-galaxy-raise", "phone", "/play/raise", sheet=True)
    stage.do(Undo(stage.version - 3))
    all_stand(stage)
    all_check(stage)
    stage.do(LayArray("-3c"))
    all_stand(stage)
    all_check(stage)
    stage.do(RecordRoll(Roll.of(["sun", "sun"]), How.READ))
    yield from everywhere("galaxy-shift")
    stage.do(LayArray("0"))
    all_stand(stage)
    all_check(stage)
    stage.do(EnterHand(2, "+9c -9t"))
    yield from everywhere("galaxy-entering")
    yield Stop("phone-galaxy-hand", "phone", "/play/hand", sheet=True, then=choose("+7c", "-6t"))
    yield from sheets("hand/1")
    stage.do(EnterHand(1, "+7c -6t"), EnterHand(3, "+1c -1t"), RevealHands())
    yield from everywhere("galaxy-showdown")


def choose(*cards: str):
    """Pick cards on the open grid."""

    def pick(page) -> None:
        for card in cards:
            page.evaluate(SELECT, card)

    return pick


def yarith(stage: Stage) -> Iterator[Stop]:
    """A hand of Yarith Bespin to the blind draw."""
    seated(stage, "yarith_bespin")
    stage.do(OpenHand(), DealCards())
    all_check(stage)
    stage.do(LaySpikes())
    while on_turn(stage.play) != 1:
        stage.do(Stand(on_turn(stage.play)))
    yield from everywhere("yarith-buying", main=True)
    all_stand(stage)
    while on_turn(stage.play) != 1:
        stage.do(Check(on_turn(stage.play)))
    yield from everywhere("yarith-betting", "dealer", "phone")
    all_check(stage)
    stage.do(RecordRoll(Roll.of(["spike", "spike"]), How.READ))
    yield from everywhere("yarith-two-spikes")
    for _ in range(2):
        all_stand(stage)
        all_check(stage)
        stage.do(RecordRoll(Roll.of(["sun", "eye"]), How.READ))
    yield from everywhere("yarith-entering")
    yield Stop("phone-yarith-hand", "phone", "/play/hand", sheet=True)
    stage.do(EnterHand(1, "+7c -6t +1s"), EnterHand(2, "+7t -6s +1c"), EnterHand(3, "+7s -6c +9c"))
    stage.do(RevealHands())
    yield from everywhere("yarith-blind-draw")
    yield from sheets("draw/1", axe=True)


def figures(stage: Stage) -> Iterator[Stop]:
    """An evening's statistics on the station, on a phone and on paper."""
    yield Stop("dealer-statistics-empty", "dealer", "/dealer/statistics")
    yield Stop("dealer-summary-empty", "dealer", "/dealer/summary")
    seated(stage, "crown_and_spike")
    symbols = list(Symbol)
    for n in range(14):
        stage.do(OpenRound(), PlaceBet(1, "sun", 25), PlaceBet(2, "crown", 50), CloseBets())
        faces = [symbols[(n * k) % 6] for k in (1, 2, 5)]
        stage.do(RecordRoll(Roll.of(faces), How.MANUAL if n % 4 == 0 else How.READ))
        if stage.play.phase is CrownPhase.OFFERS:
            stage.do(SettleOffers())
    yield Stop("dealer-statistics", "dealer", "/dealer/statistics", axe=False)
    yield Stop("dealer-summary", "dealer", "/dealer/summary", axe=False)
    yield Stop("phone-statistics", "phone", "/play/statistics", axe=False)
    stage.do(EndGame())
    yield Stop("phone-between-games", "phone")
    yield Stop("display-tonight", "display")
    stage.begin(Wifi("Spike Table", "sabacc-on-bespin"))
    yield Stop("display-hotspot", "display")


def setting_up(stage: Stage) -> Iterator[Stop]:
    """The wizard with a camera: every step, before and after."""

    def step(name: str, path: str, **more) -> Stop:
        return Stop(f"setup-{name}", "dealer", f"/dealer/setup{path}", ready=".setup", **more)

    stage.frame = picture("empty/000.jpg")
    stage.names.begin()
    yield step("steps", "")
    yield step("pin", "/pin", axe=False)
    yield step("name", "/name", axe=False)
    yield step("camera", "/camera")
    stage.camera.dark = True
    yield step("too-dark", "/picture")
    stage.camera.dark = False
    yield step("light", "/picture")
    yield step("tray-not-yet", "/tray")
    stage.tray.take()
    yield step("tray", "/tray")
    yield step("tray-hexagon", "/tray?shape=hexagon")
    yield step("tray-round", "/tray?shape=round")
    stage.tray.found, stage.tray.now = (
        None,
        TrayState(True, size_mm=(206, 152), kinds=("spike",), earlier=True),
    )
    yield step("tray-done", "/tray")
    yield step("dice", "/dice", axe=False)
    stage.names.own_pin_chosen()
    stage.dice.begin_spikes(3)
    yield step("teach", "/teach")
    stage.dice.begin_spikes(6)
    yield step("taught", "/teach")
    yield step("try", "/try")
    stage.dice.looks(19)
    yield step("try-other-size", "/try")
    yield step("all-done", "")


SCENES: dict[str, Scene] = {
    scene.__name__: scene
    for scene in (
        ways_in,
        station,
        tray,
        crown,
        point_five,
        sika,
        galaxy,
        yarith,
        figures,
        setting_up,
    )
}
