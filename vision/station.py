"""A station on disk: plain files that say how one camera sees one tray and its dice."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import body_hue
from vision.cube_marks import CubeMarks
from vision.diceset import DiceSet, DiceSetError
from vision.faults import ToldError
from vision.halo import empty_halo
from vision.patch import Image, Quad
from vision.segment import Mask, Tint
from vision.settings import SceneSettings
from vision.sheen import Sheen
from vision.squares import Square
from vision.tray import Tray
from vision.viewpoint import EVERYDAY, Lens, Likely

FORMAT = 3
EDGED = 4  # with a floor that is no rectangle, which readers before it do not know
_READ = (2, FORMAT, EDGED)  # before 3 no station knew how its lens bends
INDEX = "station.toml"
EMPTY = "empty.png"
HALO = "halo.png"
PICTURES = (".jpg", ".jpeg", ".png")
SMALL_MM = 12.0  # the smallest dice that are read
Hue = NDArray[np.float64]  # (2,)


class StationError(ToldError):
    """A station cannot be used; the message names the file and what to do."""


@dataclass(frozen=True, slots=True)
class Body:
    """How a kind of die looks apart from its faces.

    ``side``: its visible face in rectified pixels; ``size_mm``: the die itself;
    ``spread``: the most its brightness varies over an enrolled face, of the mean.
    """

    side: float
    size_mm: float
    spread: float

    def true_top(self, square: Square, tray: Tray) -> NDArray[np.float32]:
        """Corners (4, 2) of the sharp-edged top whose rounded face is seen at ``square``."""
        return replace(square, side=max(tray.top_side(self.size_mm), square.side)).corners


@dataclass(frozen=True)
class Station:
    """A calibrated tray with its enrolled dice. ``halo``: what one die changes around it.

    ``told_mm`` is how large the dice to be enrolled were said to be when it was calibrated.
    """

    tray: Tray
    dice: DiceSet
    bodies: Mapping[str, Body]
    halo: Mask
    size_known: bool = True  # False until a die tells how large the tray is
    told_mm: float | None = None

    @classmethod
    def bare(cls, tray: Tray, size_known: bool = True, told_mm: float | None = None) -> Station:
        """A calibrated tray before any die is enrolled."""
        return cls(tray, DiceSet({}), {}, empty_halo(tray.settings), size_known, told_mm)

    @cached_property
    def quiet(self) -> Station:
        """The station by which pictures are read whose noise was taken out."""
        return replace(self, tray=self.tray.quiet)

    @property
    def face(self) -> float:
        """Area in rectified pixels of the smallest kind's face; before any is enrolled a guess."""
        sides = [body.side for body in self.bodies.values()]
        return min(sides, default=SMALL_MM * self.tray.settings.scale) ** 2

    @cached_property
    def plain(self) -> float:
        """Strength of print up to which a face is plain: far below that of the faintest print.

        One picture a face does not tell how faint its print may come out; of several the
        faintest need not be halved.
        """
        settings, kinds = self.tray.settings, self.dice.kinds.values()
        grain = [kind.print_range[1] for kind in kinds if kind.reads == "colour"]
        most = max([settings.plain, *(2 * value for value in grain)])
        usual = min([kind.usual_print for kind in kinds if kind.reads == "symbol"], default=1e9)
        known = settings.known_share * self.faintest
        return min(most, settings.print_share * usual, known)

    @cached_property
    def faintest(self) -> float:
        """Strength of the faintest enrolled print; beyond all where no kind is printed."""
        kinds = self.dice.kinds.values()
        return min([kind.print_range[0] for kind in kinds if kind.reads == "symbol"], default=1e9)

    def is_marked(self, kind: str) -> bool:
        """Whether every enrolled face of a plain kind has a mark on its colour."""
        least, _ = self.dice.kinds[kind].print_range
        return least > max(self.plain, self.tray.settings.plain)

    @cached_property
    def marks(self) -> CubeMarks:
        """What plain kinds show on every face of theirs."""
        kinds = self.dice.kinds.values()
        plain = {kind.name: kind for kind in kinds if kind.reads == "colour"}
        marked = {name: kind for name, kind in plain.items() if self.is_marked(name)}
        printed = tuple(kind for kind in kinds if kind.reads == "symbol")
        return CubeMarks(plain, marked, printed, self.tray.settings)

    def is_sheen(self, patch: Image, kind: str, face: str) -> bool:
        """Whether a patch of a printed kind mirrors a lamp as ``face`` did when it was enrolled."""
        return self.sheens[kind].hides(patch, face)

    @cached_property
    def sheens(self) -> dict[str, Sheen]:
        """Of every printed kind the faces that mirrored a lamp when they were enrolled."""
        kinds = self.dice.kinds.values()
        return {kind.name: Sheen.of(kind.exemplars) for kind in kinds if kind.reads == "symbol"}

    def is_body(self, patch: Image, kind: str, face: str | None) -> bool:
        """Whether a patch has the body of a plain kind's ``face`` and surely no printed die's."""
        return self._is_of(body_hue(patch, self.tray.white), (kind, face or ""))

    def is_plain_body(self, patch: Image) -> bool:
        """Whether a patch has the body of a plain kind's face and surely no printed die's."""
        seen = body_hue(patch, self.tray.white)
        return any(self._is_of(seen, name) for name in self._own_bodies)

    def _is_of(self, seen: Hue, name: tuple[str, str]) -> bool:
        """Whether a body's hue is like that of a plain kind's face, by their names."""
        if name not in self._own_bodies:
            return False
        (mine, purer), (_, others) = self._own_bodies[name], self._hues
        return _nearest(seen, mine, purer) <= self.tray.settings.nearer * _nearest(seen, others)

    @cached_property
    def _own_bodies(self) -> dict[tuple[str, str], tuple[list[Hue], float]]:
        """The hues of plain bodies that can be told from all printed ones, by kind and face.

        And how much purer each may be seen than it was enrolled, for what a body mirrors makes it
        pale: no more where a printed body is like that.
        """
        settings, (own, others) = self.tray.settings, self._hues
        told = {}
        for name, mine in own.items() if others else ():
            if mine and min(_nearest(hue, others) for hue in mine) >= settings.hues:
                free = min(_nearest(other, mine, settings.purer) for other in others)
                told[name] = mine, settings.purer if free >= settings.hues else 1.0
        return told

    @cached_property
    def _hues(self) -> tuple[dict[tuple[str, str], list[Hue]], list[Hue]]:
        """The hues of the bodies of plain kinds, by kind and face, and of all printed kinds."""
        own: dict[tuple[str, str], list[Hue]] = {}
        others: list[Hue] = []
        for kind in self.dice.kinds.values():
            for face, group in kind.exemplars.items():
                hues = [body_hue(patch, self.tray.white) for patch in group]
                if kind.reads == "colour":
                    own[kind.name, face] = hues
                else:
                    others += hues
        return own, others

    def save(self, folder: Path) -> None:
        """Write the station into ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, picture in ((EMPTY, self.tray.picture), (HALO, self.halo)):
            if not cv2.imwrite(str(folder / name), picture):
                raise StationError(
                    "{file} cannot be written; is the disk full?", file=folder / name
                )
        self.dice.save(folder)
        edge = self.tray.edge
        text = [f"format = {FORMAT if edge is None else EDGED}"]
        text += [f"corners = {_pixels(self.tray.corners)}"]
        text += [] if edge is None else [f"edge = {_pixels(edge)}"]
        text += [f"size_mm = {json.dumps([float(v) for v in self.tray.size_mm])}"]
        text += [f"size_known = {json.dumps(self.size_known)}", f"barrel = {self.tray.barrel!r}"]
        likely = self.tray.likely
        text += [f"likely = {{ focal = {likely.focal!r}, doubt = {likely.doubt!r} }}"]
        text += [f"dice_mm = {self.told_mm!r}"] if self.told_mm else []
        text += [f"tints = {json.dumps(self.tray.tints)}"] if self.tray.tints else []
        for name, body in self.bodies.items():
            text += [f"[bodies.{name}]"]
            text += [f"{key} = {value!r}" for key, value in asdict(body).items()]
        if lens := self.tray.lens:
            text += ["[lens]", f"focal = {lens.focal!r}", f"dice = {lens.dice}"]
            text += [f"told = {json.dumps(lens.told)}"]
        (folder / INDEX).write_text("\n".join(text) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Station:
        """Read a station; raises StationError naming the file and what to do."""
        index = folder / INDEX
        try:
            data = tomllib.loads(index.read_text(encoding="utf-8"))
            if data.get("format") not in _READ:
                raise StationError(
                    "{file} has another format; calibrate and enrol again", file=index
                )
            width, height = (float(value) for value in data["size_mm"])
            corners = np.array(data["corners"], np.float32).reshape(4, 2)
            empty = _picture(folder / EMPTY, cv2.IMREAD_COLOR)
            halo = _picture(folder / HALO, cv2.IMREAD_GRAYSCALE)
            lens, barrel = _lens(data.get("lens")), float(data.get("barrel", 0.0))
            edge = np.array(data["edge"], np.float32).reshape(-1, 2) if "edge" in data else None
            tints = tuple(_tint(tint) for tint in data.get("tints", []))
            size = (width, height)
            likely = _likely(data.get("likely"))
            tray = Tray(corners, size, empty, SceneSettings(), lens, barrel, edge, tints, likely)
            bodies = {
                str(name): Body(*(float(body[key]) for key in ("side", "size_mm", "spread")))
                for name, body in data.get("bodies", {}).items()
            }
            dice = DiceSet.load(folder)
            told = float(data["dice_mm"]) if "dice_mm" in data else None
            return cls(tray, dice, bodies, halo, bool(data["size_known"]), told)
        except FileNotFoundError:
            raise StationError(
                "{file} is missing; run calibrate and enrol first", file=index
            ) from None
        except DiceSetError as fault:
            raise StationError(fault.text, **fault.values) from fault
        except (OSError, KeyError, TypeError, ValueError) as fault:
            if isinstance(fault, StationError):
                raise
            raise StationError(
                "{file} cannot be used ({fault}); calibrate again", file=index, fault=fault
            ) from fault


def _pixels(points: Quad) -> str:
    return json.dumps([[float(x), float(y)] for x, y in points])


def _tint(told: Sequence[Any]) -> Tint:
    blue, green, red = (float(value) for value in told)
    if not 0 < max(blue, green, red) <= 1 or min(blue, green, red) < 0:
        raise ValueError("a tint is what share of blue, green and red a shadow takes")
    return blue, green, red


def _nearest(hue: Hue, others: Sequence[Hue], purer: float = 1.0) -> float:
    """How far a hue is from the nearest of others, or from one made up to so much ``purer``."""

    def apart(other: Hue) -> float:
        along = float(hue @ other) / max(float(other @ other), 1e-12)
        return float(np.hypot(*(hue - other * np.clip(along, 1.0, purer))))

    return min(map(apart, others))


def _likely(told: Mapping[str, Any] | None) -> Likely:
    """The likely lens in a station's index; those from before outlines told it have none."""
    if told is None:
        return EVERYDAY
    likely = Likely(float(told["focal"]), float(told["doubt"]))
    if min(likely.focal, likely.doubt) <= 0:
        raise ValueError("a likely lens is a focal length and how far it may be off")
    return likely


def _lens(told: Mapping[str, Any] | None) -> Lens | None:
    """The lens in a station's index; stations from before it was learnt have none."""
    if told is None:
        return None
    lens = Lens(float(told["focal"]), tuple(float(v) for v in told["told"]), int(told["dice"]))
    if lens.focal <= 0 or lens.dice < 0:
        raise ValueError("a lens is a focal length and how many dice told it")
    return lens


def _picture(path: Path, mode: int) -> Image:
    """A picture of the station; raises StationError naming it."""
    picture = cv2.imread(str(path), mode)
    if picture is None:
        raise StationError("{file} is missing or damaged; calibrate again", file=path)
    return np.asarray(picture, np.uint8)


def pictures_in(folder: Path) -> list[Path]:
    """The picture files in ``folder``, by name."""
    return sorted(path for path in folder.glob("*") if path.suffix.lower() in PICTURES)


def read_image(path: Path) -> Image:
    """A picture file as BGR; raises StationError naming it."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise StationError("{file} is not a picture that can be read", file=path)
    return np.asarray(image, np.uint8)
