"""The screens of a table as people use them: the station, phones, the room's screen, the box.

Elements are found by their part in the page (forms, data attributes, ids), not by their
words, so that every language and theme is played alike. Nothing here waits for time to
pass, except for the guard that keeps hasty fingers from pressing twice.
"""

from __future__ import annotations

import threading

from hardware.buttons import Button

SETTLED_MS = 600  # longer than the pages' guard against bouncing fingers
PINS = {Button.CONFIRM: 5, Button.CORRECT: 6, Button.UNDO: 13, Button.NEXT: 19}
FINGER_S = 0.12  # how long a finger stays on a button: longer than contacts bounce
THROW_MS = 90_000  # a throw is filmed, comes to rest and is read, on a slow machine too
DIGITS = r"text => text.replace(/\D/g, '')"
RANKING = """want => {
  const seats = [...document.querySelectorAll('.rank li')].map((seat) => [
    seat.querySelector('.disc').textContent.trim(),
    Number(seat.querySelector('.num').textContent.replace(/\\D/g, '')),
  ]);
  return JSON.stringify(Object.fromEntries(seats)) === want;
}"""


class Screen:
    """A page that follows the table by itself."""

    def __init__(self, page) -> None:
        self.page = page

    def press(self, selector: str) -> None:
        """Touch a control once the guard against double presses has passed."""
        self.page.wait_for_selector(selector)
        self.page.wait_for_timeout(SETTLED_MS)
        self.page.click(selector)

    def does(self, selector: str) -> None:
        """Touch a control that changes the table; until this screen shows it."""
        self.page.wait_for_selector(selector)
        before = self.version
        self.press(selector)
        self.at(before + 1)

    def shows(self, selector: str, timeout: float | None = None) -> None:
        self.page.wait_for_selector(selector, timeout=timeout)

    def arrives(self, selector: str) -> None:
        """Until another page is here, with the styles and scripts that come after its words."""
        self.page.wait_for_selector(selector)
        self.page.wait_for_load_state()

    def at(self, version: int) -> None:
        """Until the view is made from the table's ``version`` or a later one."""
        self.page.wait_for_function(
            "least => Number(document.querySelector('#view').dataset.version) >= least",
            arg=version,
        )

    @property
    def version(self) -> int:
        """Of the table that is shown."""
        return int(self.page.get_attribute("#view", "data-version"))

    def linked(self, state: str = "on") -> None:
        """Until the stream of events is ``on`` or ``off``."""
        self.page.wait_for_selector(f"html[data-link={state}]", timeout=THROW_MS)

    def sheet_closed(self) -> None:
        self.page.wait_for_selector("#sheet:not([open])", state="attached")

    def pick_cards(self, *cards: str) -> None:
        """On an open grid of cards: pick, and send."""
        self.page.wait_for_selector("#sheet[open] form[data-deck]")
        for card in cards:
            self.page.click(f"#sheet .pick:has(input[value='{card}']:not(:checked)) >> nth=0")
        self.press("#sheet .deck-done:not([disabled])")
        self.sheet_closed()


class Phone(Screen):
    """One player's phone."""

    def __init__(self, page, seat: int) -> None:
        super().__init__(page)
        self.seat = seat

    def join(self, name: str) -> None:
        """From the join page to the seat's own page."""
        self.page.fill("input[name=name]", name)
        self.page.check(f"input[name=seat][value='{self.seat}']", force=True)
        self.page.click("form[action$='/join'] button.primary")
        self.arrives("#balance")

    def take_seat_by(self, code: str) -> None:
        """On a second device, from the first page."""
        self.page.fill("input[name=code]", code)
        self.page.click("form[action$='/seat'] button")
        self.arrives("#balance")

    def seat_code(self) -> str:
        """A fresh code for a second device; the phone is back on its own page afterwards."""
        self.page.click("a[data-sheet][href$='/play/device']")
        self.page.click("form[action$='/play/device'] button")
        code = self.page.inner_text("#seat-code")
        self.page.click("[data-close]")
        self.page.wait_for_selector("#balance")
        return code

    def balance(self, credits: int) -> None:
        self.page.wait_for_function(
            f"want => ({DIGITS})(document.querySelector('#balance').textContent) === want",
            arg=str(credits),
        )

    def bet(self, on: str, chips: int) -> None:
        """Put ``chips`` chips of 25 on a place of the mat."""
        self.press(f"a#spot-{on}")
        self.page.wait_for_selector("#sheet[open] #sheet-body")
        for _ in range(chips):
            self.page.click("#sheet [data-add='25']")
        self.page.click("#sheet form:has([data-field=number]) button.primary")
        self.page.wait_for_selector(f"#spot-{on} .mine")

    def sleeps(self) -> None:
        self.page.context.set_offline(True)

    def wakes(self) -> None:
        self.page.context.set_offline(False)


class Room(Screen):
    """The screen everybody in the room sees."""

    def balances(self, credits: dict[int, int]) -> None:
        """Until the ranking shows exactly these credits by seat."""
        want = ",".join(f'"{seat}":{credits[seat]}' for seat in sorted(credits))
        self.page.wait_for_function(RANKING, arg=f"{{{want}}}")


class Station(Screen):
    """The dealer's own screen."""

    def log_in(self, pin: str) -> None:
        self.type(pin, "form[action$='/dealer/login']")
        self.page.click("form[action$='/dealer/login'] button.primary")
        self.arrives("#tray")

    def type(self, digits: str, within: str) -> None:
        """On the number pad, digit by digit."""
        for digit in digits:
            self.page.click(f"{within} .pad button[data-pad='{digit}'] >> nth=0")

    def open(self, control: str) -> None:
        self.press(control)
        self.page.wait_for_selector("#sheet[open] #sheet-body")

    def choose(self, game: str) -> None:
        self.open("nav a[href$='/game']")
        self.page.click(f"#sheet form:has(input[name=game][value={game}]) button.primary")
        self.sheet_closed()

    def end_game(self) -> None:
        self.open("nav a[href$='/game']")
        self.page.click("#sheet form:has(input[name=kind][value=end_game]) button")
        self.sheet_closed()

    def fund_bank(self, credits: int) -> None:
        self.open("nav a[href$='/bank']")
        self.type(str(credits), "#sheet form:has(input[value=fund_bank])")
        self.page.click("#sheet form:has(input[value=fund_bank]) button.primary")
        self.sheet_closed()

    def buy_in(self, seat: int, credits: int) -> None:
        self.open(f"#seats a:not(.vacant)[href$='/seat/{seat}']")
        self.type(str(credits), "#sheet form:has(input[value=buy_in])")
        self.page.click("#sheet form:has(input[value=buy_in]) button.primary")
        self.sheet_closed()

    def enter_faces(self, *points: int) -> None:
        """In the open editor of the dice: a key for each die, 1 to 6."""
        self.page.wait_for_selector("#sheet[open] fieldset[data-slot].now")
        for point in points:
            self.page.keyboard.press(str(point))

    def asks(self) -> None:
        """Until a throw waits for the dealer's word."""
        self.page.wait_for_selector("form[action$='/dealer/dismiss']", timeout=THROW_MS)

    def can_go_on(self) -> None:
        """Until the big button offers a next step."""
        self.page.wait_for_selector("form button[data-key=next]:not(:disabled)", timeout=THROW_MS)


class Box:
    """The dealer's buttons, on mock pins: a press is two edges of a wire."""

    def __init__(self, factory, station: Station) -> None:
        self._factory = factory
        self._station = station

    def press(self, button: Button) -> None:
        """A finger comes, stays a moment and goes, when the screen has been looked at."""
        self._station.page.wait_for_timeout(SETTLED_MS)
        wire = self._factory.pin(PINS[button])
        wire.drive_low()
        threading.Event().wait(FINGER_S)
        wire.drive_high()

    def does(self, button: Button) -> None:
        """A press that changes the table; until the station shows it."""
        before = self._station.version
        self.press(button)
        self._station.at(before + 1)

    def go_on(self) -> None:
        """Next, when the screen offers a next step."""
        self._station.can_go_on()
        self.does(Button.NEXT)
