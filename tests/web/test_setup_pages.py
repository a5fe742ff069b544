"""The set-up pages, with a set-up service that only notes what it is asked."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from companion.rules.model import Line
from companion.setup.model import (
    CameraChoice,
    DiceDraft,
    DieLook,
    FaceState,
    FloorShape,
    LightView,
    Setup,
    SetupRefused,
    TrayDraft,
    TrayState,
    TryOut,
)
from companion.setup.table import TableNames
from companion.web import create_app
from tests.test_setup import Store
from vision.reading import DieReading, Reading, Verdict

QUAD = ((10.0, 10.0), (50.0, 10.0), (50.0, 50.0), (10.0, 50.0))
FACES = (FaceState("crown", 2, 2), FaceState("eye", 1, 3, ("crown",)))


class Camera:
    setting, fixed, chosen = "usb:0", False, None

    def choices(self):
        return (CameraChoice("usb:0", "Eye <b>", True), CameraChoice("disabled", ""))

    def choose(self, setting):
        if setting == "gone":
            raise SetupRefused("gone", "This camera is not there any more; look again.")
        self.chosen = setting

    def light(self):
        dark = Line("Too dark: {level} of 255.", {"level": 34})
        return LightView((640, 480), 34, (dark,), ((1.0, 2.0, 3.0, 4.0),), 80)


class Tray:
    def __init__(self):
        self.now = TrayState()
        self.found = None
        self.kept = None

    def state(self):
        return self.now

    def take(self):
        corners = ((1.0, 2.0), (600.0, 2.0), (600.0, 400.0), (1.0, 400.0))
        self.found = TrayDraft(7, (640, 480), corners, 26, ("the rim is not clear",), False)
        return self.found

    def draft(self):
        return self.found

    def picture(self):
        return b"\xff\xd8 a picture" if self.found else None

    def keep(self, marks, shape, size_mm):
        if len(marks) != shape.marks:
            raise SetupRefused("bad_corners", "The form is damaged; reload the page.")
        self.kept = (marks, shape, size_mm)
        self.now = TrayState(True, size_mm=(206, 152), kinds=("spike",), earlier=True)

    def drop(self):
        self.found = None

    def step_back(self):
        raise SetupRefused("no_earlier", "there is no earlier calibration to go back to")


LOOKS_MM = 19  # beside the tray


class Dice:
    def __init__(self):
        self.being = None
        self.done = []

    def begin(self, kind, label, faces, dice_mm):
        self.done.append((kind, label, list(faces), dice_mm))
        self.being = DiceDraft(kind, label, dice_mm, FACES)

    def draft(self):
        return self.being

    def look(self, face):
        if self.being is None:
            raise SetupRefused("no_draft", "These dice are not being taught any more.")
        asked = Line("This looks like {face}.", {"face": "crown"})
        return DieLook(3, (640, 480), (asked,), QUAD, can_take=True, looks_like="crown")

    def now(self):
        return b"\xff\xd8 now"

    crop = now

    def take(self, face, number):
        self.done.append(("take", face, number))

    def remove(self, face, index):
        self.done.append(("remove", face, index))

    def taken(self, face, index):
        return b"\xff\xd8 taken" if (face, index) == ("crown", 0) else None

    def learn(self, dice_mm=None):
        told = self.being.dice_mm if dice_mm is None else dice_mm
        looks = None if told == LOOKS_MM else LOOKS_MM
        self.being = replace(self.being, dice_mm=told, learnt=True, looks_mm=looks)

    def try_out(self):
        die = DieReading("spike", "crown", QUAD, 0.97, (("crown", 0.97),))
        return TryOut(5, (640, 480), (), Reading(Verdict.ACCEPT, (die,)))

    def save(self):
        self.done.append("save")
        self.being = None

    def drop(self):
        self.being = None

    def labels(self):
        return {"spike": "Ivory"}


@pytest.fixture
def fake(services):
    return Setup(TableNames(Store(), "Docking Bay 94"), Camera(), Tray(), Dice())


@pytest.fixture
def app(services, fake):
    app = create_app(replace(services, setup=fake))
    app.testing = False
    return app


def words(answer) -> str:
    return re.sub(r"<[^>]+>|\s+", " ", answer.get_data(as_text=True))


def to(answer) -> str:
    assert answer.status_code in (302, 303), words(answer)
    return answer.headers["Location"]


def test_on_the_first_run_the_station_begins_with_the_wizard_until_it_is_done(dealer, post, fake):
    assert dealer.get("/dealer").status_code == 200
    fake.table.begin()
    assert to(dealer.get("/dealer")) == "/dealer/setup"
    assert "Welcome" in words(dealer.get("/dealer/setup"))
    assert to(post(dealer, "/dealer/setup/done", script=False)) == "/dealer"
    assert dealer.get("/dealer").status_code == 200


def test_the_pin_is_entered_twice_and_signs_out_every_other_screen(app, dealer, post, services):
    other = app.test_client()
    assert post(other, "/dealer/login", pin="483920", script=False).status_code == 303
    for pin, again in (("2468", "2469"), ("12", "12"), ("abcd", "abcd")):
        answer = post(dealer, "/dealer/setup/pin", pin=pin, again=again, script=False)
        assert answer.status_code == 422
    assert other.get("/dealer").status_code == 200
    answer = post(dealer, "/dealer/setup/pin", pin="2468", again="2468", script=False)
    assert to(answer) == "/dealer/setup/name"
    assert dealer.get("/dealer").status_code == 200
    assert to(other.get("/dealer")) == "/dealer/login"
    assert services.pin.check("2468") is None


def test_the_tables_new_name_stands_on_every_screen(dealer, viewer, post):
    assert to(post(dealer, "/dealer/setup/name", name="Mos  Pelgo", script=False))
    for path in ("/display", "/dealer/login"):
        assert "Mos Pelgo" in words(viewer.get(path))
    assert post(dealer, "/dealer/setup/name", name=" ", script=False).status_code == 422


def test_a_camera_is_chosen_and_one_that_is_gone_is_said(dealer, post, fake):
    page = dealer.get("/dealer/setup/camera").get_data(as_text=True)
    assert "Eye &lt;b&gt;" in page
    answer = post(dealer, "/dealer/setup/camera", camera="gone", script=False)
    assert answer.status_code == 422
    assert "not there any more" in words(answer)
    assert to(post(dealer, "/dealer/setup/camera", camera="usb:0", script=False)).endswith(
        "/picture"
    )
    assert fake.camera.chosen == "usb:0"


def test_what_light_lacks_is_said_in_words_and_marked(dealer):
    assert "Too dark: 34 of 255." in words(dealer.get("/dealer/setup/picture"))
    seen = dealer.get("/dealer/setup/light").json
    assert seen["lines"] == ["Too dark: 34 of 255."]
    assert (seen["good"], seen["spots"], seen["focus"]) == (False, [[1, 2, 3, 4]], 80)


def test_an_unsure_outline_says_so_and_its_corners_are_posted_as_dragged(dealer, post, fake):
    assert to(post(dealer, "/dealer/setup/tray/take", script=False)) == "/dealer/setup/tray"
    shown = dealer.get("/dealer/setup/tray")
    assert "Not sure" in words(shown)
    assert "the rim is not clear" in words(shown)
    assert shown.get_data(as_text=True).count('class="corner"') == 4
    form = {"corners": "5,6 600,2 600,400 1,400", "width": "206", "height": "152"}
    assert to(post(dealer, "/dealer/setup/tray/keep", script=False, **form))
    marks = [(5, 6), (600, 2), (600, 400), (1, 400)]
    assert fake.tray.kept == (marks, FloorShape.RECTANGLE, (206, 152))


@pytest.mark.parametrize(("shape", "marks"), [("hexagon", 6), ("octagon", 8), ("round", 8)])
def test_a_floor_of_another_shape_is_marked_all_round(shape, marks, dealer, post, fake):
    fake.tray.take()
    shown = dealer.get(f"/dealer/setup/tray?shape={shape}").get_data(as_text=True)
    assert shown.count('class="corner"') == marks
    assert f"Mark 1 of {marks}" in shown
    assert f'name="shape" value="{shape}"' in shown
    waiting = re.search('id="corners" value="([^"]*)"', shown)[1]
    form = {"corners": waiting, "shape": shape}
    assert to(post(dealer, "/dealer/setup/tray/keep", script=False, **form))
    kept, known, size = fake.tray.kept
    assert (len(kept), known, size) == (marks, FloorShape(shape), None)
    middle = np.mean(kept, axis=0)
    assert middle == pytest.approx([300.5, 201], abs=0.1)
    assert np.linalg.norm(kept - middle, axis=1) == pytest.approx(np.full(marks, 199), abs=0.1)


def test_what_was_marked_and_typed_stays_when_it_is_refused(dealer, post, fake):
    fake.tray.take()
    marks = "10,200 100,40 300,40 390,200 300,360 100,360"
    form = {"corners": marks, "shape": "hexagon", "width": "206", "height": ""}
    answer = post(dealer, "/dealer/setup/tray/keep", script=False, **form)
    assert answer.status_code == 422
    shown = answer.get_data(as_text=True)
    assert 'value="10.0,200.0 100.0,40.0' in shown
    assert shown.count('class="corner"') == 6
    assert re.search('name="width"[^>]* value="206"', shown)


def test_the_shape_of_the_tray_in_use_is_expected_again(dealer, fake):
    fake.tray.now = TrayState(True, FloorShape.OCTAGON)
    fake.tray.take()
    assert dealer.get("/dealer/setup/tray").get_data(as_text=True).count('class="corner"') == 8
    unknown = dealer.get("/dealer/setup/tray?shape=star").get_data(as_text=True)
    assert unknown.count('class="corner"') == 4


@pytest.mark.parametrize(
    "form",
    [
        {"corners": ""},
        {"corners": "1,2 3,4"},
        {"corners": "1,2 3,4 5"},
        {"corners": "5,6 600,2 600,400 1,400", "shape": "hexagon"},
        {"corners": "nan,0 1,1 2,2 3,3"},
        {"corners": "inf,0 1,1 2,2 3,3"},
        {"corners": "x,0 1,1 2,2 3,3"},
        {"corners": "5,6 600,2 600,400 1,400", "width": "206"},
        {"corners": "5,6 600,2 600,400 1,400", "width": "1e3", "height": "x"},
    ],
)
def test_damaged_corners_and_sizes_are_refused_in_words(form, dealer, post, fake):
    fake.tray.take()
    answer = post(dealer, "/dealer/setup/tray/keep", script=False, **form)
    assert answer.status_code == 422
    assert fake.tray.kept is None


def test_there_may_be_no_step_back(dealer, post):
    answer = post(dealer, "/dealer/setup/tray/back", script=False)
    assert (answer.status_code, "no earlier" in words(answer)) == (422, True)


def test_dice_are_begun_shown_taken_learnt_tried_and_saved(dealer, post, fake):
    fake.tray.now = TrayState(True)
    form = {"kind": "spike", "label": "Ivory", "mm": "19"}
    assert to(post(dealer, "/dealer/setup/dice", script=False, **form)).endswith("/teach")
    assert fake.dice.done[0][0] == "spike"
    assert len(fake.dice.done[0][2]) == 6
    page = words(dealer.get("/dealer/setup/teach"))
    assert "Eye up" in page
    assert "looks like Crown" in page
    seen = dealer.get("/dealer/setup/teach/look?face=eye").json
    assert (seen["looks_like"], seen["can_take"], seen["ready"]) == ("Crown", True, False)
    assert seen["lines"] == ["This looks like crown."]
    taken = post(dealer, "/dealer/setup/teach/take", face="crown", number="3")
    assert taken.json == {"next": "eye", "ready": False}
    post(dealer, "/dealer/setup/teach/remove", face="crown", index="1", script=False)
    assert to(post(dealer, "/dealer/setup/teach/learn", script=False)).endswith("/try")
    tried = dealer.get("/dealer/setup/try/look").json
    assert [die["words"] for die in tried["dice"]] == ["Crown 97 %"]
    assert "save" not in fake.dice.done
    assert to(post(dealer, "/dealer/setup/dice/save", script=False)) == "/dealer/setup"
    assert fake.dice.done[1:] == [("take", "crown", 3), ("remove", "crown", 1), "save"]


def test_dice_that_look_otherwise_than_was_told_are_learnt_anew_at_a_touch(dealer, post, fake):
    fake.tray.now = TrayState(True)
    post(dealer, "/dealer/setup/dice", script=False, kind="spike", label="Ivory", mm="16")
    post(dealer, "/dealer/setup/teach/learn", script=False)
    page = words(dealer.get("/dealer/setup/try"))
    assert "look about 19 mm large, not 16 mm" in page
    assert "They measure 19 mm: learn them so" in page
    assert post(dealer, "/dealer/setup/teach/learn", script=False, mm="wide").status_code == 422
    assert fake.dice.being.dice_mm == 16
    assert to(post(dealer, "/dealer/setup/teach/learn", script=False, mm="19")).endswith("/try")
    assert fake.dice.being.dice_mm == 19
    assert "look about" not in words(dealer.get("/dealer/setup/try"))


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "dragon", "label": "Ivory", "mm": "16"},
        {"kind": "spike", "label": "<b>", "mm": "16"},
        {"kind": "spike", "label": "Ivory", "mm": "wide"},
    ],
)
def test_unknown_dice_are_refused(form, dealer, post, fake):
    assert post(dealer, "/dealer/setup/dice", script=False, **form).status_code == 422
    assert fake.dice.done == []


def test_scripts_hear_why_when_nothing_is_being_taught(dealer):
    answer = dealer.get("/dealer/setup/teach/look?face=crown")
    assert (answer.status_code, answer.json["code"]) == (422, "no_draft")


def test_a_picture_number_that_is_none_is_refused(dealer, post):
    answer = post(dealer, "/dealer/setup/teach/take", face="crown", number="x")
    assert (answer.status_code, answer.json["code"]) == (422, "bad_form")


PAGES = ("", "/pin", "/name", "/camera", "/picture", "/tray", "/dice", "/teach", "/try")


@pytest.mark.parametrize("path", PAGES)
def test_no_step_wants_a_keyboard(path, dealer, fake):
    """Every field has its pad; inputmode none keeps the device's own keyboard away."""
    fake.tray.take()
    fake.tray.now = TrayState(True)
    fake.dice.begin("spike", "Ivory", ("crown", "eye"), 16)
    if path == "/try":
        fake.dice.learn()
    page = dealer.get(f"/dealer/setup{path}").get_data(as_text=True)
    assert "setup-bar" in page
    fields = re.findall(r"<input[^>]*>", page)
    typed = [f for f in fields if not re.search(r'type="(hidden|radio|checkbox)"', f)]
    assert [f for f in typed if 'inputmode="none"' not in f] == []
    assert not re.search(r"\sstyle=|\son[a-z]+=|<style|<textarea", page)
