"""Who may do what: the dealer by PIN, players by signed seat tokens, everyone else looks on."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from itsdangerous import BadData, URLSafeSerializer

from companion.rules.actions import Action, JoinSeat
from companion.rules.errors import Refusal
from companion.rules.history import History

TRIES = 5  # wrong PINs a minute before the lock
LOCK_S = 60.0
CODE_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # nothing that reads as something else
CODE_LENGTH = 6
CODE_S = 300.0  # a seat code works for so long, and once
WRONG_CODES = 10  # a minute, from all devices together, before codes are locked


class Role(StrEnum):
    """Kinds of people at a table."""

    DEALER = "dealer"
    PLAYER = "player"
    VIEWER = "viewer"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks; ``seat`` for players (for a dealer: the seat acted for)."""

    role: Role
    seat: int | None
    name: str


def may(actor: Actor, action: Action) -> Refusal | None:
    """Why this actor may not do this action, whatever the game says; None when allowed."""
    if actor.role is Role.DEALER:
        return None
    own = getattr(action, "seat", None) == actor.seat and actor.seat is not None
    if actor.role is Role.PLAYER and action.by_player and own:
        return None
    return Refusal("not_allowed", "That is not yours to do.")


class KeyValues(Protocol):
    """Small durable settings (the database has them)."""

    def get_setting(self, name: str) -> str | None:
        """The stored text."""

    def set_setting(self, name: str, value: str) -> None:
        """Store the text durably."""


class Pin:
    """The dealer's PIN, kept as an argon2 hash; five wrong tries a minute lock it."""

    def __init__(self, store: KeyValues, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._hasher = PasswordHasher()
        self._wrong: deque[float] = deque(maxlen=TRIES)
        self._lock = threading.Lock()

    @property
    def is_set(self) -> bool:
        """Whether a PIN was ever chosen."""
        return self._store.get_setting("pin") is not None

    def set(self, pin: str) -> None:
        """Choose a PIN of 4 to 12 digits; ends every dealer session signed in with the old one."""
        if not (pin.isascii() and pin.isdigit() and 4 <= len(pin) <= 12):
            raise ValueError("a PIN has 4 to 12 digits")
        self._store.set_setting("pin", self._hasher.hash(pin))

    def check(self, pin: str) -> Refusal | None:
        """None when the PIN is right."""
        with self._lock:
            now = self._clock()
            if len(self._wrong) == TRIES and now - self._wrong[0] < LOCK_S:
                return Refusal("locked", "Too many wrong PINs; wait a minute.")
            try:
                self._hasher.verify(self._store.get_setting("pin") or "", pin)
            except (VerificationError, InvalidHashError):
                self._wrong.append(now)
                return Refusal("wrong_pin", "This PIN is wrong.")
            self._wrong.clear()
            return None

    def stamp(self) -> str:
        """Changes with the PIN; a dealer's cookie holds it."""
        return hashlib.sha256((self._store.get_setting("pin") or "").encode()).hexdigest()[:16]


class SeatView(Protocol):
    """What a token needs of a snapshot."""

    @property
    def history(self) -> History:
        """The table over time."""


class JoinTokens:
    """Signed tokens to join and to keep a seat; a new generation revokes the join tokens."""

    def __init__(self, secret_key: str, store: KeyValues) -> None:
        self._join = URLSafeSerializer(secret_key, salt="join")
        self._seat = URLSafeSerializer(secret_key, salt="seat")
        self._store = store
        # Kept here too: every screen in the room asks for it at every event.
        self._generation = int(store.get_setting("join_generation") or "1")

    @property
    def generation(self) -> int:
        """Raised by `revoke`; only tokens of the present one let people in."""
        return self._generation

    def issue(self) -> str:
        """The token inside the join QR code."""
        return str(self._join.dumps(self.generation))

    def accepts(self, token: str) -> bool:
        """Whether a join token is ours and not revoked."""
        try:
            return bool(self._join.loads(token) == self.generation)
        except BadData:
            return False

    def revoke(self) -> None:
        """Make every join token handed out so far worthless; seats are kept."""
        following = self._generation + 1
        self._store.set_setting("join_generation", str(following))
        self._generation = following

    def seat_token(self, seat: int, snapshot: SeatView) -> str:
        """What a phone keeps to stay in its seat; void once someone else sits there."""
        return str(self._seat.dumps([seat, _sat_down(seat, snapshot)]))

    def seat_of(self, token: str, snapshot: SeatView) -> int | None:
        """The seat a phone's token holds, if it still does."""
        try:
            seat, since = self._seat.loads(token)
        except (BadData, ValueError, TypeError):
            return None
        occupied = snapshot.history.table.seat(seat) is not None
        return seat if occupied and since == _sat_down(seat, snapshot) else None


@dataclass(frozen=True, slots=True)
class _Code:
    seat: int
    token: str
    until: float


class SeatCodes:
    """Short codes that bring a second device to a seat; they live in memory only.

    A code is shown on the first device, works once, for a few minutes, and makes the seat's
    earlier code worthless. Ten wrong ones a minute lock all of them for a while.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._codes: dict[str, _Code] = {}
        self._wrong: deque[float] = deque(maxlen=WRONG_CODES)
        self._lock = threading.Lock()

    def issue(self, seat: int, token: str) -> str:
        """A fresh code for the holder of ``token``, which the second device will be given."""
        with self._lock:
            self._codes = {c: kept for c, kept in self._codes.items() if kept.seat != seat}
            code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))
            self._codes[code] = _Code(seat, token, self._clock() + CODE_S)
            return code

    def shown(self, seat: int) -> tuple[str, int] | None:
        """The seat's code with the seconds it still works; None when it has none."""
        now = self._clock()
        with self._lock:
            found = [(c, kept) for c, kept in self._codes.items() if kept.seat == seat]
        return next(((c, round(k.until - now)) for c, k in found if k.until > now), None)

    def seat_of(self, code: str) -> int | None:
        """The seat that ``code`` would bring a device to; the code is not used up by asking."""
        with self._lock:
            held = self._codes.get(code)
        return held.seat if held is not None and held.until > self._clock() else None

    def redeem(self, code: str) -> str | Refusal:
        """The seat token behind ``code``, which is used up by this."""
        with self._lock:
            now = self._clock()
            if len(self._wrong) == WRONG_CODES and now - self._wrong[0] < LOCK_S:
                return Refusal("locked", "Too many wrong codes; wait a minute.")
            held = self._codes.pop(code, None)
            if held is None or held.until <= now:
                self._wrong.append(now)
                return Refusal(
                    "wrong_code",
                    "No seat has this code now. Show a fresh one on the first device.",
                )
            return held.token


def _sat_down(seat: int, snapshot: SeatView) -> int | None:
    """The log entry with which the present player of a seat sat down."""
    for done in reversed(snapshot.history.in_force()):
        if isinstance(done.action, JoinSeat) and done.action.seat == seat:
            return done.no
    return None
