"""Which cube explains a die's edges: one that lies flat, or one tipped over a lower edge.

A die's size and the camera's place are known, so the outline and the ridges of a cube can be
foretold for any pose. Flat and tipped poses are tried around a face that was found; each is
judged by the edges seen where it foretells them, by whether something lies within its outline and
nothing beyond it, and by where the print shows the face to lie.
All ways it may be tipped are tried, and of the best of each it is told whether something would hold
a die so (``vision.leaning_support``) or nothing but what it hides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.foreshortening import logarithm
from vision.leaning_support import Neighbour, Support
from vision.patch import Floats, Image, clearest, nearest, slopes
from vision.segment import Mask
from vision.settings_leaning import LeaningSettings
from vision.tray import Tray

# A unit cube standing on the plane z = 0 about the z axis.
_CORNERS = np.array([(x, y, z) for z in (0, 1) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
_NORMALS = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])
_MIDDLES = np.array([0, 0, 0.5]) + _NORMALS / 2
_EDGES = np.array(
    [(a, b) for a, b in combinations(range(8), 2) if np.abs(_CORNERS[a] - _CORNERS[b]).sum() == 1]
)
_BESIDE = np.array(  # the two faces that meet at each edge
    [
        [f for f in range(6) if all((_CORNERS[c] - _MIDDLES[f]) @ _NORMALS[f] == 0 for c in edge)]
        for edge in _EDGES
    ]
)
_HINGE = np.array([0.5, 0, 0])  # from the low edge that it tips over to its foot's middle
_ROUND = np.array(  # each face's corners, one after the other round it, as its normal
    [(1, 3, 7, 5), (0, 2, 6, 4), (2, 3, 7, 6), (0, 1, 5, 4), (4, 5, 7, 6), (0, 1, 3, 2)]
)
_TOP = _ROUND[4]
_STEPS = np.stack(np.meshgrid(*[[-1, 0, 1]] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
_AROUND = _STEPS[np.count_nonzero(_STEPS, axis=1) <= 2]  # two numbers at a time: Box and Behnken
_ROUGHLY = np.array([(turn, tip) for turn in (-1, 0, 1) for tip in (-2, -1, 0, 1, 2)], float)


@dataclass(frozen=True)
class Explained:
    """The flat cube and the one tipped some way that explain a die best.

    A pose is x, y in mm of the floor, yaw and tip in radians. ``gain``: how much better the
    tipped one explains what is seen. ``held``: something in reach may hold that; ``leant``: so
    that it leans with its top against it, and nothing is seen under its raised edge.
    """

    gain: float
    flat: Floats  # (4,)
    tipped: Floats  # (4,)
    leant: bool = False
    held: bool = True


@dataclass(frozen=True)
class Standing:
    """A die of ``size_mm`` seen in a rectified picture (h, w, 3), near a face found.

    ``changed`` (h, w) is 255 where it is not the empty tray, ``solid`` where something lies that
    can be no shadow.
    ``face`` (4, 2) are the corners of the sharp-edged top where the outline was found, ``shown``
    those where the print shows it to lie, if it does, in rectified pixels. ``stretch`` is how
    much longer than wide the print is seen. ``beside`` are the other dice.
    """

    picture: Image
    changed: Mask
    solid: Mask
    face: Floats
    shown: Floats | None
    stretch: float
    size_mm: float
    tray: Tray
    beside: Sequence[Neighbour]
    settings: LeaningSettings

    def explained(self, least: float = -np.inf) -> list[Explained]:
        """What explains it each way it may be tipped beside what does if it is flat; best first.

        A way whose gain does not come to ``least`` is left out, and not sought to its end.
        """
        flat, ways = self._starts()
        nearby, support = _Nearby.of(self), self._support
        free = [poses for poses in (way[support.leaves_room(way)] for way in ways) if len(poses)]
        (level, lying), *tipped = self._best([flat, *free], nearby, least)
        found = []
        for best, pose in tipped:
            gain = best - level
            if gain >= least:
                carried = bool(support.carries(pose[None])[0])
                leant = not carried and bool(support.leans(pose[None])[0])
                found.append(Explained(gain, lying, pose, leant, held=carried or leant))
        return sorted(found, key=lambda way: -way.gain)

    def _starts(self) -> tuple[Floats, Floats]:
        """Poses to begin with, flat (1, 4) and tipped each way (4, n, 4).

        They are x, y in mm of the floor, yaw, tip.
        """
        s, view = self.settings, self.tray.viewpoint
        foot = np.array([view.x, view.y])
        seen = self.face.mean(axis=0) / self.tray.settings.scale - self.tray.settings.rim
        x, y = foot + (seen - foot) * (1 - self.size_mm / view.z)
        # The print, if there is one, shows how the face is turned; an outline may take in a side.
        turned = self.face if self.shown is None else self.shown
        along = turned[1] - turned[0]
        yaw = np.arctan2(along[1], along[0])
        near = np.array(s.near) * self.size_mm
        tips, ways = np.deg2rad(s.tips), np.arange(4) * np.pi / 2
        # A print as narrow as its face: then the found face is the top alone, the side is dark.
        left_out = s.left_out if self.stretch >= s.narrowed else s.left_out[:1]
        axes = np.meshgrid(ways, near, near, tips, left_out, indexing="ij")
        way, dx, dy, tip, out = (values.reshape(len(ways), -1) for values in axes)
        # Tipping moves the top's middle; the found face covers it and a part of the raised side.
        moved = (0.5 * np.cos(tip) - out * np.sin(tip) - 0.5) * self.size_mm
        turned = yaw + way
        tipped = np.stack(
            [x + dx - moved * np.cos(turned), y + dy - moved * np.sin(turned), turned, tip], axis=2
        )
        flat = np.array([[x, y, yaw, 0.0]])
        return flat.astype(np.float32), tipped.astype(np.float32)

    @cached_property
    def _support(self) -> Support:
        return Support(self.size_mm, self.tray.walls, self.beside, self.settings)

    def _best(
        self, ways: Sequence[Floats], nearby: _Nearby, least: float
    ) -> list[tuple[float, Floats]]:
        """The score of the best pose (4,) near the best starts (n, 4) of each way, and that pose.

        The first way lies flat. Starts leave room for other dice, as the poses do that are sought
        near them. Where none of a way will come to ``least`` more than the flat way, the best so
        far. All ways are sought at once: it takes longer to begin with few poses than to be done
        with them.
        """
        s = self.settings
        found = self._rated(self._scores, [starts[:, None] for starts in ways], nearby, s.coarse)
        step = np.array([s.shift * self.size_mm] * 2 + [np.deg2rad(s.turn)] * 2)
        sought = list(range(len(ways)))
        for kept, rise in zip(s.kept, s.rises, strict=True):
            near = [self._around(*found[way], kept, _AROUND * step) for way in sought]
            better = self._rated(self._possible, near, nearby, s.fine)
            for way, poses in zip(sought, better, strict=True):
                found[way] = poses
            enough = found[0][1].max() + least - rise
            tipped = [way for way in sought[1:] if found[way][1].max() >= enough]
            if not tipped:
                break
            sought = [0, *tipped]
            step = step * 0.6
        return [(float(scores.max()), poses[scores.argmax()]) for poses, scores in found]

    def _around(self, poses: Floats, scores: Floats, kept: int, steps: Floats) -> Floats:
        """Poses (kept, m, 4) by ``steps`` (m, 4) around the best of ``poses`` (n, 4)."""
        tipped = poses[0, 3] > 0
        near = poses[np.argsort(-scores)[:kept], None] + steps[tipped | (steps[:, 3] == 0)]
        if tipped:
            near[..., 3] = np.clip(near[..., 3], *np.deg2rad(self.settings.tilts))
        return np.asarray(near, np.float32)

    def _rated(
        self,
        scores_of: Callable[[Floats, _Nearby, int], Floats],
        groups: Sequence[Floats],
        nearby: _Nearby,
        samples: int,
    ) -> list[tuple[Floats, Floats]]:
        """Of each of several groups (n, m, 4) the best of every m poses (n, 4), and its score."""
        every = scores_of(np.concatenate([g.reshape(-1, 4) for g in groups]), nearby, samples)
        scores = np.split(every, np.cumsum([g[..., 0].size for g in groups])[:-1])
        rows = [own.reshape(g.shape[:2]) for own, g in zip(scores, groups, strict=True)]
        return [
            (g[np.arange(len(g)), own.argmax(axis=1)], own.max(axis=1))
            for g, own in zip(groups, rows, strict=True)
        ]

    def _possible(self, poses: Floats, nearby: _Nearby, samples: int) -> Floats:
        """The scores of poses (n, 4); none for tipped ones within another die."""
        scores = self._scores(poses, nearby, samples)
        scores[(poses[:, 3] > 0) & ~self._support.leaves_room(poses)] = -np.inf
        return scores

    def _scores(self, poses: Floats, nearby: _Nearby, samples: int) -> Floats:
        """How well each pose (n, 4) explains the edges, what lies there and where the print is."""
        s, side = self.settings, self.size_mm * self.tray.settings.scale
        corners, seen = self._cubes(poses)
        pixels = self._projected(corners)
        one, other = seen[:, _BESIDE[:, 0]], seen[:, _BESIDE[:, 1]]
        pose, edge = np.nonzero(one | other)
        first, last = _EDGES[edge].T
        start, way = pixels[pose, first], pixels[pose, last] - pixels[pose, first]
        lines = _Lines(start, way, samples)
        low = corners[pose, first, 2] + corners[pose, last, 2] < 2 * s.low * self.size_mm
        long = np.minimum(lines.length / side, s.longest)
        spoken = np.where(low, s.low_weight, 1.0) * long * (nearby.steepness(lines) - s.chance)
        rim = np.flatnonzero((one != other)[pose, edge])
        off = lines.outward(rim, pixels.mean(axis=1)[pose[rim]]) * np.float32(s.aside * side)
        spoken[rim] -= long[rim] * nearby.contradiction(lines.points[:, rim], off)
        scores = np.bincount(pose, spoken, len(poses))
        return np.asarray(scores - self._off_print(pixels[:, _TOP]), np.float32)

    def _off_print(self, tops: Floats) -> Floats:
        """What speaks against top faces (n, 4, 2): the print lies elsewhere."""
        if self.shown is None:
            return np.zeros(len(tops), np.float32)
        s, side = self.settings, self.size_mm * self.tray.settings.scale
        turns = np.stack([np.roll(self.shown, k, axis=0) for k in range(4)])[:, None]
        dx, dy = turns[..., 0] - tops[..., 0], turns[..., 1] - tops[..., 1]
        apart = np.sqrt(dx * dx + dy * dy) @ np.full(4, 0.25, np.float32)
        off = apart.min(axis=0) / side / s.print_sigma
        return np.asarray(s.print_weight * np.minimum(off * off / 2, s.print_most), np.float32)

    def _cubes(self, poses: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Corners (n, 8, 3) in mm, and which faces (n, 6) the camera sees."""
        x, y, yaw, tip = poses.T.astype(np.float64)
        c, s, ct, st, none = np.cos(yaw), np.sin(yaw), np.cos(tip), np.sin(tip), np.zeros_like(x)
        axes = np.array([[c * ct, s * ct, st], [-s, c, none], [-c * st, -s * st, ct]])
        axes = axes.transpose(2, 0, 1)  # (n, 3, 3): the cube's own, in the room's
        half, view = self.size_mm / 2, self.tray.viewpoint
        hinge = np.stack([x - half * c, y - half * s, none], axis=1)  # the edge it tips over
        corners = hinge[:, None] + (_CORNERS + _HINGE) @ axes * self.size_mm
        eye = np.array([view.x, view.y, view.z]) - hinge
        own = (axes @ eye[..., None])[..., 0] / self.size_mm - _HINGE  # in the unit cube's axes
        beyond = ((own[:, None] - _MIDDLES) * _NORMALS).sum(axis=2)
        return corners, beyond > self.settings.grazing

    def faces(self, pose: Floats) -> list[tuple[int, Floats]]:
        """The faces of a cube in ``pose`` (4,) that the camera sees, in rectified pixels (4, 2).

        Each by its number: 4 is the top, 0 the side that tipping lifts.
        """
        corners, seen = self._cubes(pose[None])
        pixels = self._projected(corners)[0]
        return [(int(face), pixels[_ROUND[face]]) for face in np.flatnonzero(seen[0])]

    def foretold(self, pose: Floats) -> tuple[Floats, Floats]:
        """How the tops of cubes tipped about as one in ``pose`` (4,) are foreshortened.

        As logarithms (n, 3) beside a flat one's (`vision.foreshortening`), and how likely each
        (n,) is: how far a die is tipped, and which way, is known roughly.
        """
        s = self.settings
        poses = np.tile(pose, (len(_ROUGHLY), 1))
        poses[:, 2:] += _ROUGHLY * np.deg2rad([s.turn_error, s.tip_error])
        poses[:, 3] = np.maximum(poses[:, 3], np.deg2rad(s.least_tip))
        tops = self._projected(self._cubes(poses)[0][:, _TOP])
        first, second, third, fourth = np.moveaxis(tops, 1, 0)
        ways = np.stack([second - first + third - fourth, fourth - first + third - second], axis=2)
        flat = 2 * self.tray.top_side(self.size_mm)
        return logarithm(ways / flat), np.exp(-(_ROUGHLY**2).sum(axis=1) / 2)

    def others(self) -> Iterator[Floats]:
        """The outlines (n, 2) in pixels of the other dice, lying flat."""
        for other in self.beside:
            levels = [np.insert(other.foot, 2, height, axis=1) for height in (0, other.size_mm)]
            hull = cv2.convexHull(self._projected(np.concatenate(levels)))
            yield np.asarray(hull[:, 0], np.float32)

    def _projected(self, points: Floats) -> Floats:
        """Points (..., 3) of the room in mm as rectified pixels (..., 2)."""
        view, s = self.tray.viewpoint, self.tray.settings
        foot = np.array([view.x, view.y])
        floor = foot + (points[..., :2] - foot) * (view.z / (view.z - points[..., 2:]))
        return np.asarray((floor + s.rim) * s.scale, np.float32)


@dataclass(frozen=True)
class _Lines:
    """Where edges of cubes would be seen, in pixels; their rounded ends are left out."""

    start: Floats  # (n, 2)
    way: Floats  # (n, 2) from the start to the end
    samples: int  # points on each

    @cached_property
    def length(self) -> Floats:
        return np.asarray(np.sqrt(self.way[:, 0] ** 2 + self.way[:, 1] ** 2))

    @cached_property
    def normal(self) -> Floats:
        """Unit vectors (n, 2) across the lines."""
        across = np.stack([-self.way[:, 1], self.way[:, 0]], axis=1)
        return np.asarray(across / np.maximum(self.length, 1e-3)[:, None], np.float32)

    @cached_property
    def points(self) -> Floats:
        """(samples, n, 2)."""
        parts = np.linspace(0.14, 0.86, self.samples, dtype=np.float32)[:, None, None]
        return self.start + self.way * parts

    def outward(self, which: NDArray[np.intp], middles: Floats) -> Floats:
        """The normals (m, 2) of some lines, away from the ``middles`` (m, 2) of their cubes."""
        normal, off = self.normal[which], self.start[which] + self.way[which] / 2 - middles
        inward = normal[:, 0] * off[:, 0] + normal[:, 1] * off[:, 1] < 0
        normal[inward] *= -1
        return normal


@dataclass(frozen=True)
class _Nearby:
    """What is seen around a die.

    ``steep`` (h, w, 2) is the gradient of the clearest channel along x and y, in parts of a clear
    edge's. ``empty`` (h, w) tells against a cube that is said to lie where the empty tray is
    seen, ``strange`` (h, w) against one that is not where something solid is that is no other die.
    """

    steep: Floats
    empty: Floats
    strange: Floats
    origin: NDArray[np.float32]

    @staticmethod
    def of(die: Standing) -> _Nearby:
        s = die.settings
        reach = s.reach * float(np.linalg.norm(die.face[1] - die.face[0]))
        low = np.maximum(die.face.mean(axis=0) - reach, 0).astype(int)
        high = (die.face.mean(axis=0) + reach).astype(int)
        part = np.s_[low[1] : high[1], low[0] : high[0]]
        smooth = cv2.GaussianBlur(die.picture[part], (0, 0), s.blur).astype(np.float32)
        steep = np.stack(clearest(*slopes(smooth, s.cap)), axis=-1)
        others = np.zeros(smooth.shape[:2], np.uint8)
        for outline in die.others():
            cv2.fillConvexPoly(others, np.rint(outline - low).astype(np.int32), (255.0,))
        alone = others == 0
        empty = np.float32(s.empty) * ((die.changed[part] == 0) & alone)
        strange = np.float32(s.strange) * ((die.solid[part] > 0) & alone)
        return _Nearby(steep, empty, strange, low.astype(np.float32))

    def steepness(self, lines: _Lines) -> Floats:
        """Mean strength (n,) of the edges across lines."""
        seen = nearest(self.steep, lines.points - self.origin)
        normal = lines.normal
        steep = seen[..., 0] * normal[:, 0] + seen[..., 1] * normal[:, 1]
        return np.asarray(np.minimum(np.abs(steep), 1.0).mean(axis=0), np.float32)

    def contradiction(self, rims: Floats, aside: Floats) -> Floats:
        """What (n,) speaks against cubes by what is seen beside their rims (k, n, 2).

        ``aside`` (n, 2) is the way outward, in pixels, to where it is looked at.
        """
        points = rims - self.origin
        inside = nearest(self.empty, points - aside)
        beyond = nearest(self.strange, points + aside)
        return np.asarray((inside + beyond).mean(axis=0), np.float32)
