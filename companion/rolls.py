"""From what the reader saw to what the table records: never silently, never twice."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from companion.auth import Actor, Role
from companion.database import StorageError
from companion.evidence import EvidenceStore
from companion.hub import Hub
from companion.rules.actions import How, RecordRoll
from companion.rules.dice import CUBE_KIND, SPIKE_KIND, Expect, Roll
from companion.rules.errors import Refusal
from companion.rules.words import Line
from companion.table import Refused, Result, Stale, TableService
from vision.reading import Reading, TrayEvent, TrayState, Verdict

log = logging.getLogger(__name__)
CAMERA = Actor(Role.DEALER, None, "camera")
Faces = Mapping[str, Sequence[str]]
Sets = Callable[[], Mapping[str, str]]  # kind of die -> what its set in use is called


@dataclass(frozen=True, slots=True)
class Pending:
    """A reading that waits for the dealer's word.

    ``id`` names this reading alone: a press made for another one must not record it.
    """

    reading: Reading
    evidence_id: str | None
    version: int  # of the table when it was read
    id: str
    at: float  # seconds, of the desk's clock, when it was announced


@dataclass(frozen=True, slots=True)
class DeskState:
    """What the dealer's page shows of the tray."""

    tray: TrayState
    expect: Expect | None
    pending: Pending | None
    last: str | None  # evidence of the last recorded throw that still lies in the tray
    camera: Line | str  # what is wrong with the camera; empty when nothing is
    editing: bool = False  # a screen was asked for the faces of the throw that is due
    before: tuple[str, ...] = ()  # what the dice showed when they were read, once they are nudged


class RollDesk:
    """Decides what becomes of every reading."""

    def __init__(
        self,
        service: TableService,
        evidence: EvidenceStore,
        hub: Hub,
        clock: Callable[[], float] = time.monotonic,
        sets: Sets = dict,
    ) -> None:
        self.evidence = evidence
        self.sets = sets
        self._clock = clock
        self._service = service
        self._hub = hub
        self._lock = threading.RLock()
        self._tray = TrayState.OFFLINE
        self._pending: Pending | None = None
        self._last: str | None = None
        self._camera: Line | str = ""
        self._before: tuple[str, ...] = ()
        # Whether the tray was seen empty since the last throw. Until then its dice may be those
        # of a throw already recorded (before a start, by hand, while the camera was lost), so
        # they are never taken unasked.
        self._cleared = False
        self._editing = False
        self._done = 0  # throws that were recorded or dropped
        self._dismissed = ""  # the id last dismissed: a press sent twice is no other press

    def state(self) -> DeskState:
        """The desk now."""
        with self._lock:
            due = self.expect()
            editing = self._editing and due is not None
            before = self._before if self._tray is TrayState.NUDGED else ()
            waiting, last = self._pending, self._last
            return DeskState(self._tray, due, waiting, last, self._camera, editing, before)

    def expect(self) -> Expect | None:
        """The dice the table waits for; None when no roll is due."""
        snapshot = self._service.snapshot()
        return snapshot.history.engine.expects(snapshot.table)

    def done(self) -> int:
        """How many throws the table is done with: recorded, or dropped to be thrown again."""
        return self._done

    def opened_editor(self) -> None:
        """A screen shows the dice editor: from now on its word counts for this throw."""
        with self._lock:
            self._editing = True

    def camera_trouble(self, message: Line | str) -> None:
        """Say what is wrong with the camera; an empty message says it is well again."""
        with self._lock:
            self._camera = message
            if message:
                self._tray, self._cleared = TrayState.OFFLINE, False
        self._hub.publish("tray", 0)

    def on_event(self, event: TrayEvent) -> None:
        """Take what the watcher saw."""
        with self._lock:
            self._tray = event.state
            if event.state is TrayState.EMPTY:
                self._pending, self._last, self._cleared = None, None, True
                self._editing = False
            if event.reading is not None:
                self._before = tuple(face for _, face in event.reading.before if face)
                self._on_reading(event.reading, event.jpeg, event.state)
        self._hub.publish("tray", event.frame)

    def confirm(
        self,
        actor: Actor,
        faces: Faces | None,
        *,
        reading: str = "",
        expected_version: int | None,
        request_id: str | None,
    ) -> Result:
        """Record the throw on the dealer's word: as suggested, or with ``faces`` entered.

        ``reading`` is the id of the suggestion the dealer saw; faces entered where none was
        seen need no id. Raises Refused, Stale or StorageError; the suggestion then stays.
        """
        with self._lock:
            if (first := self._service.answered(request_id, actor)) is not None:
                return first
            self._same_reading(reading, entered=faces is not None)
            roll, how = self._word(faces)
            shown = self._pending.evidence_id if self._pending else None
            result = self._service.submit(
                RecordRoll(roll, how, shown, self._sets(roll) if self._pending else ()),
                actor,
                expected_version=expected_version,
                request_id=request_id,
            )
            if not result.repeated:
                self._pending, self._last, self._editing = None, shown, False
                self._done += 1
                self._cleared = self._cleared and self._tray is TrayState.EMPTY
        self._hub.publish("tray", 0)
        return result

    def dismiss(self, actor: Actor, reading: str) -> None:
        """Drop the suggestion with the id ``reading``; the dice must be thrown again.

        Asking twice for the same one is answered, not refused. Raises Refused or Stale;
        the suggestion then stays.
        """
        if actor.role is not Role.DEALER:
            raise Refused(Refusal("not_allowed", "Only the dealer may do that."))
        with self._lock:
            if reading and reading == self._dismissed:
                return
            if self._pending is None and not reading:
                raise Refused(Refusal("nothing_to_dismiss", "There is no throw to void."))
            self._same_reading(reading, entered=False)
            self._pending, self._editing, self._dismissed = None, False, reading
            self._done += 1
        self._hub.publish("tray", 0)

    def _on_reading(self, reading: Reading, jpeg: bytes | None, state: TrayState) -> None:
        evidence_id = self._keep(jpeg, reading)
        fresh, self._cleared = self._cleared and state is TrayState.READ, False
        version = self._service.version
        roll = self._sure_roll(reading) if fresh and evidence_id is not None else None
        if roll is not None and self._record(roll, evidence_id, version):
            return
        if self._last is not None and self.expect() is None:
            return  # the dice of a throw already recorded, read again after a nudge
        self._pending = Pending(reading, evidence_id, version, secrets.token_hex(8), self._clock())

    def _sure_roll(self, reading: Reading) -> Roll | None:
        """The roll that may be recorded unasked: accepted, and exactly the dice that are due."""
        due, roll = self.expect(), _roll_of(reading)
        if reading.verdict is not Verdict.ACCEPT or due is None or roll is None:
            return None
        return roll if dict(roll.expect) == dict(due) else None

    def _record(self, roll: Roll, evidence_id: str | None, version: int) -> bool:
        try:
            action = RecordRoll(roll, How.READ, evidence_id, self._sets(roll))
            self._service.submit(action, CAMERA, expected_version=version)
        except (Refused, Stale, StorageError) as fault:
            log.warning("a sure reading waits for the dealer: %s", fault)
            return False
        self._pending, self._last, self._editing = None, evidence_id, False
        self._done += 1
        return True

    def _sets(self, roll: Roll) -> tuple[tuple[str, str], ...]:
        """The named sets that the dice of a roll were read with."""
        named = self.sets()
        return tuple((kind, named[kind]) for kind in roll.expect if named.get(kind))

    def _keep(self, jpeg: bytes | None, reading: Reading) -> str | None:
        """Evidence first: without its picture no roll is recorded unasked."""
        if jpeg is None:
            return None
        try:
            return self.evidence.save(jpeg, reading)
        except OSError as fault:
            log.error("the picture of a roll could not be kept: %s", fault)
            return None

    def _same_reading(self, seen: str, entered: bool) -> None:
        """Refuse a word given for another reading than the one that waits."""
        waiting = self._pending.id if self._pending else ""
        if seen != waiting and (seen or not entered):
            raise Stale(self._service.version)

    def _word(self, faces: Faces | None) -> tuple[Roll, How]:
        if faces is not None:
            try:
                roll = Roll.of(faces.get(SPIKE_KIND, ()), faces.get(CUBE_KIND, ()))
            except ValueError as fault:
                raise Refused(
                    Refusal("bad_faces", "Not a roll: {fault}.", {"fault": str(fault)})
                ) from fault
            return roll, How.MANUAL
        if self._pending is None:
            raise Refused(Refusal("nothing_to_confirm", "There is no reading to confirm."))
        read = _roll_of(self._pending.reading)
        if read is None:
            raise Refused(Refusal("unread", "A face is unknown; enter the faces instead."))
        return read, How.CONFIRMED


def _roll_of(reading: Reading) -> Roll | None:
    """The reading as a roll; None when a face is unknown or no die of ours."""
    try:
        if any(die.face is None or die.kind not in (SPIKE_KIND, CUBE_KIND) for die in reading.dice):
            return None
        spikes = [die.face for die in reading.dice if die.kind == SPIKE_KIND and die.face]
        cubes = [die.face for die in reading.dice if die.kind == CUBE_KIND and die.face]
        return Roll.of(spikes, cubes)
    except ValueError:
        return None
