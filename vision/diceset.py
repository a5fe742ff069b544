"""The dice a station knows: kinds of dice, the pictures of their faces, and their banks.

On disk a dice set is `dice.toml` and PNG patches in `dice/` beside it, nothing that ties it to a
machine. Patches are named by their content and the TOML file is replaced in one step after they
are safely down, so a pulled plug leaves the old set or the new one, never half of each.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any, Literal, get_args

import cv2
import numpy as np

from vision.align import Poses
from vision.colours import CubeBank
from vision.faults import ToldError
from vision.focus import Edges, softer
from vision.inks import InkBank
from vision.opinion import OpinionBank, by_colour
from vision.pale import PalePrint
from vision.patch import PATCH, Image
from vision.pip_plane import Channel
from vision.pips import Pips
from vision.plain import printed
from vision.prints import Strokes, UnlikeBody
from vision.relight import relit
from vision.settings_faces import HUED, ColourSettings, FaceSettings
from vision.symbols import FaceBank

FORMAT = 1
INDEX = "dice.toml"
FOLDER = "dice"
COLOURS = frozenset({"red", "blue", "green", "yellow", "black", "white"})  # names of plain faces
Reads = Literal["symbol", "colour"]
Framing = Literal["outline", "whole"]
Exemplars = Mapping[str, Sequence[Image]]
White = tuple[float, float, float]
Look = tuple[OpinionBank, tuple[FaceBank, ...]]  # the network, and views of symbols it confirms


class DiceSetError(ToldError):
    """A dice set cannot be used; the message names the file and what to do."""


@dataclass(frozen=True)
class Kind:
    """One kind of die: its name, what is read from it, its enrolled patches and their bank."""

    name: str
    reads: Reads
    exemplars: Exemplars
    bank: FaceBank | CubeBank
    white_bgr: White = (255.0, 255.0, 255.0)  # the white under which colours were enrolled
    inks: InkBank | None = None  # what the colour of the print says of symbols
    opinion: OpinionBank | None = None  # what the network says of them, where there is one
    views: tuple[FaceBank, ...] = ()  # symbols seen in other ways, asked in turn in doubt
    hued: OpinionBank | None = None  # what the network says of them seen by colour, as `views[0]`
    framing: Framing = "outline"  # where crops of single dice show the face
    pips: Pips | None = None  # how they look in crops of single dice, where faces are so many pips

    @staticmethod
    def of(name: str, exemplars: Exemplars, white_bgr: White) -> Kind:
        """A kind of colours where all faces are named by colours, else of symbols."""
        if names_colours(exemplars):
            return Kind.of_colours(name, exemplars, white_bgr)
        return Kind.of_symbols(name, exemplars)

    @staticmethod
    def of_symbols(name: str, exemplars: Exemplars, settings: FaceSettings | None = None) -> Kind:
        """A kind told apart by the pictures on its faces. Raises ValueError as the bank does."""
        held, chosen = _held(exemplars), settings or FaceSettings()
        lit = _lit(held)
        unlike = _unlike_bodies(lit, chosen)
        views = (unlike, Strokes(chosen))
        return Kind(
            _checked(name),
            "symbol",
            held,
            FaceBank.enrol(lit, chosen),
            inks=InkBank.enrol(lit),
            opinion=OpinionBank.enrol(lit),
            views=tuple(FaceBank.enrol(lit, chosen, view) for view in views),
            hued=OpinionBank.enrol(lit, HUED, by_colour(unlike)),
        )

    @staticmethod
    def of_colours(
        name: str, exemplars: Exemplars, white_bgr: White, settings: ColourSettings | None = None
    ) -> Kind:
        """A kind told apart by the colour of its top face, enrolled under ``white_bgr``."""
        held = _held(exemplars)
        bank = CubeBank.enrol(held, white_bgr, settings)
        return Kind(_checked(name), "colour", held, bank, white_bgr)

    @property
    def faces(self) -> tuple[str, ...]:
        return tuple(self.exemplars)

    @property
    def looks(self) -> tuple[Look, ...]:
        """The network and the views it may confirm, asked in doubt: by brightness, by colour."""
        asked = ((self.opinion, self.views), (self.hued, self.views[:1]))
        return tuple((opinion, views) for opinion, views in asked if opinion is not None)

    @property
    def strokes(self) -> FaceBank | None:
        """The view of symbols that sees their strokes; None where only colours are told apart."""
        return self.views[-1] if self.views else None

    def blur(self, patch: Image, face: str, pose: Poses) -> float:
        """How many times as soft as enrolled ``face`` is seen in a patch (`vision.focus`)."""
        return softer(patch, self._edges[face], pose)

    @cached_property
    def _edges(self) -> Mapping[str, Sequence[Edges]]:
        """The edges of each picture of each face."""
        return {
            face: [Edges.of_face(patch).inner() for patch in group]
            for face, group in self.exemplars.items()
        }

    @cached_property
    def pale(self) -> PalePrint:
        """The symbols with pale print as strong as dark, asked where a face shows such."""
        return PalePrint(_lit(self.exemplars))

    @cached_property
    def mark(self) -> FaceBank:
        """The faces told apart by what they show: of a kind of colours a mark, if anything."""
        return FaceBank.enrol(_lit(self.exemplars))

    @cached_property
    def mark_by_colour(self) -> FaceBank:
        """The same faces by the colours that stand out of their bodies."""
        lit, settings = _lit(self.exemplars), FaceSettings()
        return FaceBank.enrol(lit, settings, _unlike_bodies(lit, settings))

    @cached_property
    def print_range(self) -> tuple[float, float]:
        """The least and the most of print that an enrolled face shows (`vision.plain`)."""
        shown = [strength for group in self._printed for strength in group]
        return min(shown), max(shown)

    @cached_property
    def usual_print(self) -> float:
        """What its faintest face usually shows of print: the median of that face's pictures."""
        return min(median(group) for group in self._printed)

    @cached_property
    def _printed(self) -> list[list[float]]:
        """How much of print each picture of each face shows."""
        return [[printed(patch) for patch in group] for group in self.exemplars.values()]


def names_colours(faces: Iterable[str]) -> bool:
    """Whether the faces are plain: told apart by their colour alone."""
    return set(faces) <= COLOURS


def _checked(name: str) -> str:
    """``name`` if it can name a kind in files and on the command line."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,31}", name):
        raise ValueError(f"{name!r} cannot name a kind of die; use a-z, 0-9, - and _")
    return name


def _lit(exemplars: Exemplars) -> dict[str, tuple[Image, ...]]:
    """The exemplars without the hard shadows across them."""
    return {face: tuple(map(relit, patches)) for face, patches in exemplars.items()}


def _unlike_bodies(lit: Exemplars, settings: FaceSettings) -> UnlikeBody:
    """What stands out of the bodies of all faces, whatever they show."""
    return UnlikeBody.of((patch for group in lit.values() for patch in group), settings)


def _held(exemplars: Exemplars) -> dict[str, tuple[Image, ...]]:
    """The exemplars in a mapping of our own, every patch checked for its shape."""
    held = {face: tuple(patches) for face, patches in exemplars.items()}
    for face, patches in held.items():
        if any(patch.shape != (PATCH, PATCH, 3) or patch.dtype != np.uint8 for patch in patches):
            raise ValueError(f"a patch of face {face!r} is not {PATCH}x{PATCH} BGR")
    return held


@dataclass(frozen=True)
class DiceSet:
    """All kinds of dice a station reads, by name."""

    kinds: Mapping[str, Kind]

    def with_kind(self, kind: Kind) -> DiceSet:
        """This set with ``kind`` added, or put in the place of its namesake."""
        return DiceSet({**self.kinds, kind.name: kind})

    def save(self, station: Path) -> None:
        """Write the set into the folder ``station``, replacing the one before it as a whole."""
        patches: set[Path] = set()
        text = [f"format = {FORMAT}", ""]
        for kind in self.kinds.values():
            text += _written_kind(kind, station, patches)
        _replace(station / INDEX, "\n".join(text).encode())
        for stray in set((station / FOLDER).glob("*/*.png")) - patches:
            stray.unlink()

    @staticmethod
    def load(
        station: Path,
        faces: FaceSettings | None = None,
        colours: ColourSettings | None = None,
    ) -> DiceSet:
        """Read the set in the folder ``station``.

        Raises DiceSetError when a file is missing, damaged or of another format.
        """
        kinds = (
            _read_kind(station, name, table, faces, colours)
            for name, table in _read_index(station / INDEX).items()
        )
        return DiceSet({kind.name: kind for kind in kinds})


def _written_kind(kind: Kind, station: Path, patches: set[Path]) -> Iterator[str]:
    """Write the patches of ``kind``; give its lines of TOML and add its files to ``patches``."""
    yield f"[kinds.{kind.name}]"
    yield f'reads = "{kind.reads}"'
    if kind.reads == "colour":
        yield f"white_bgr = {_numbers(kind.white_bgr)}"
    if kind.framing == "whole":
        yield 'framing = "whole"'
    if kind.pips:
        yield from _written_pips(kind.name, kind.pips)
    for face, group in kind.exemplars.items():
        files = [_written_patch(patch, station, kind.name) for patch in group]
        patches.update(files)
        names = ", ".join(f'"{file.relative_to(station).as_posix()}"' for file in files)
        yield f"[[kinds.{kind.name}.faces]]"
        yield f"name = {_quoted(face)}"
        yield f"patches = [{names}]"
    yield ""


def _written_pips(kind: str, pips: Pips) -> Iterator[str]:
    """The TOML of how a kind's pips look."""
    yield f"[kinds.{kind}.pips]"
    yield f'channel = "{pips.channel}"'
    yield f"dark = {str(pips.dark).lower()}"
    yield f"spacing = {pips.spacing!r}"
    yield f"size = {pips.size!r}"
    yield f"body = {_numbers(pips.body)}"


def _numbers(values: Iterable[float]) -> str:
    """The TOML of numbers as they are."""
    return repr([float(value) for value in values])


def _read_pips(table: Mapping[str, Any] | None) -> Pips | None:
    """How a kind's pips look, from its table; None without one."""
    if table is None:
        return None
    channel = table["channel"]
    if channel not in get_args(Channel):
        raise ValueError(f"pips.channel = {channel!r} is neither 'least' nor 'most'")
    light, a, b = (float(value) for value in table["body"])
    spacing, size = float(table["spacing"]), float(table["size"])
    if not (0 < spacing < np.inf and 0 < size < np.inf):
        raise ValueError("pips.spacing and pips.size must be above 0")
    return Pips(channel, bool(table["dark"]), spacing, size, (light, a, b))


def _quoted(text: str) -> str:
    """``text`` as a TOML string: JSON's escapes, and DEL, which TOML does not take plain."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _written_patch(patch: Image, station: Path, kind: str) -> Path:
    """Write one patch under a name made of its content, unless it is there already."""
    ok, coded = cv2.imencode(".png", patch)
    if not ok:
        raise DiceSetError("a patch of {kind} could not be coded as PNG", kind=kind)
    name = hashlib.sha256(patch.tobytes()).hexdigest()[:16]
    file = station / FOLDER / kind / f"{name}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    _replace(file, coded.tobytes())
    return file


def _replace(file: Path, content: bytes) -> None:
    """Put ``content`` on the disk in place of ``file`` so that no power cut leaves half of it."""
    fresh = file.with_name(file.name + ".new")
    with fresh.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    os.replace(fresh, file)


def _damaged(file: Path, fault: Exception) -> DiceSetError:
    return DiceSetError(
        "{file} cannot be read ({fault}); enrol the dice again", file=file, fault=fault
    )


def _read_index(index: Path) -> dict[str, Any]:
    """The tables of kinds in the index file, its format checked."""
    try:
        content = tomllib.loads(index.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DiceSetError(
            "{file} is missing; enrol the dice of this station first", file=index
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise _damaged(index, fault) from fault
    if content.get("format") != FORMAT:
        raise DiceSetError(
            "{file} has format {found}, this program reads {known}; "
            "update the program, or enrol the dice again",
            file=index,
            found=repr(content.get("format")),
            known=FORMAT,
        )
    kinds = content.get("kinds", {})
    if not isinstance(kinds, dict) or not all(isinstance(table, dict) for table in kinds.values()):
        raise DiceSetError(
            "{file}: 'kinds' must hold one table a kind; enrol the dice again", file=index
        )
    return kinds


def _read_kind(
    station: Path,
    name: str,
    table: dict[str, Any],
    faces: FaceSettings | None,
    colours: ColourSettings | None,
) -> Kind:
    """One kind from its table in the index."""
    try:
        exemplars = {
            str(face["name"]): tuple(_read_patch(station, file) for file in face["patches"])
            for face in table["faces"]
        }
        kind = _made_kind(name, exemplars, table, faces, colours)
        framing: Framing = "whole" if table.get("framing") == "whole" else "outline"
        return replace(kind, framing=framing, pips=_read_pips(table.get("pips")))
    except DiceSetError:
        raise
    except (KeyError, TypeError, ValueError) as fault:
        raise DiceSetError(
            "{file}, kind '{name}': {fault}; enrol {name} again",
            file=station / INDEX,
            name=name,
            fault=fault,
        ) from fault


def _made_kind(
    name: str,
    exemplars: Exemplars,
    table: dict[str, Any],
    faces: FaceSettings | None,
    colours: ColourSettings | None,
) -> Kind:
    if table["reads"] == "symbol":
        return Kind.of_symbols(name, exemplars, faces)
    if table["reads"] == "colour":
        blue, green, red = (float(value) for value in table["white_bgr"])
        return Kind.of_colours(name, exemplars, (blue, green, red), colours)
    raise ValueError(f"reads = {table['reads']!r} is neither 'symbol' nor 'colour'")


def _read_patch(station: Path, name: object) -> Image:
    """One patch named in the index; it must lie inside the station's folder."""
    file = station / str(name)
    if not file.resolve().is_relative_to(station.resolve()):
        raise DiceSetError(
            "{file} names {name}, outside the station; enrol again", file=station / INDEX, name=name
        )
    try:
        coded = np.frombuffer(file.read_bytes(), np.uint8)
    except OSError as fault:
        raise _damaged(file, fault) from fault
    patch = cv2.imdecode(coded, cv2.IMREAD_COLOR) if coded.size else None
    if patch is None or patch.shape != (PATCH, PATCH, 3):
        raise DiceSetError(
            "{file} is not a {side}x{side} PNG patch; enrol the dice again", file=file, side=PATCH
        )
    return np.asarray(patch, np.uint8)
