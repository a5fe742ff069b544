"""A second opinion on which face a patch shows: a small network's embedding.

The network turns a patch into a direction in 60 dimensions in which patches of
one picture lie close together and others apart. It was trained on drawn faces
alone and sees no geometry: it neither searches poses nor compares pixels, so
it fails where registration does not. Reading works without it.

It is shown a patch whole and its middle in two sizes: print seldom fills a face, and
what one size leaves open another may tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.align import Poses, sample
from vision.network import Network, loaded
from vision.patch import PATCH, Floats, Image
from vision.prints import UnlikeBody
from vision.settings_faces import OpinionSettings

Shown = Callable[[Image], Floats]  # a patch (P, P, 3) as the network sees it, (PARTS, SIDE, SIDE)
MODEL = Path(__file__).parent / "models" / "opinion.onnx"
SIDE = 40  # pixels of the network's input
LENGTH = 60  # of the embedding of one picture
_RIMS = (0, 6, 11)  # pixels of a patch (64, 64) that are left out around what is shown of it
PARTS = len(_RIMS)


def levelled(patch: Image) -> Floats:
    """What the network sees of a patch (P, P, 3): (SIDE, SIDE), logarithmic, light slopes out."""
    return _levelled(_light(_small(patch)))


def by_brightness(patch: Image) -> Floats:
    """What the network sees of a patch and of its middle: (PARTS, SIDE, SIDE)."""
    return np.stack([_levelled(_light(part)) for part in _parts(patch)])


def by_colour(view: UnlikeBody) -> Shown:
    """What the network sees where print is told by its colour: as dark as it is unlike the body.

    The network was taught by brightness; drawn so, print of any colour looks as it learnt it.
    """

    def shown(patch: Image) -> Floats:
        return np.stack([_levelled(part) for part in _parts(-view.apart(patch))])

    return shown


def _parts(picture: Floats | Image) -> Sequence[Any]:
    """A patch-sized picture whole, and its middle: PARTS of (SIDE, SIDE)."""
    kept = [slice(rim, len(picture) - rim) for rim in _RIMS]
    return [_small(picture[part, part]) for part in kept]


def _small(picture: Floats | Image) -> Any:
    return cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA)


def _light(picture: Image) -> Floats:
    """The brightness of a picture in logarithms; blackness is mostly noise."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return np.log(grey.astype(np.float32) + 12)


def _levelled(grey: Floats) -> Floats:
    above = grey - cv2.GaussianBlur(grey, (0, 0), 8)
    spread = above[4:-4, 4:-4].std() + 0.02
    return np.asarray(np.clip(above / spread, -3, 3), np.float32)


@dataclass(frozen=True)
class Embedding:
    """What the trained network makes of pictures."""

    network: Network

    def of(self, pictures: Floats) -> Floats:
        """Unit vectors (n, PARTS * LENGTH) of patches as shown (n, PARTS, SIDE, SIDE)."""
        seen = self.network.seen(pictures.reshape(-1, 1, SIDE, SIDE))
        length = np.maximum(np.linalg.norm(seen, axis=1, keepdims=True), 1e-6)
        units = (seen / length).reshape(len(pictures), -1)
        return np.asarray(units / np.sqrt(PARTS), np.float32)


@cache
def embedding() -> Embedding | None:
    """By the network, or None where its weights are absent or damaged; the log says so once."""
    net = loaded(MODEL, (1, SIDE, SIDE), LENGTH, "faces are read without the second opinion")
    return None if net is None else Embedding(net)


@dataclass(frozen=True)
class OpinionBank:
    """The embeddings of the enrolled faces, each seen at four quarter turns."""

    known: Mapping[str, Floats]  # (k, PARTS * LENGTH) of each face
    settings: OpinionSettings
    _embedding: Embedding = field(repr=False)
    _shown: Shown = field(repr=False, default=by_brightness)
    # Of the patch that was looked at last: a face in doubt is looked at several times over.
    _last: dict[bytes, dict[str, float]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    @classmethod
    def enrol(
        cls,
        samples: Mapping[str, Sequence[Image]],
        settings: OpinionSettings | None = None,
        shown: Shown = by_brightness,
    ) -> OpinionBank | None:
        """From patches of each face, seen as ``shown``; None where there is no network."""
        net = embedding()
        if net is None:
            return None
        known = {
            face: net.of(_quarter_turns([shown(patch) for patch in patches]))
            for face, patches in samples.items()
        }
        return cls(known, settings or OpinionSettings(), net, shown)

    def likeness(self, patch: Image) -> dict[str, float]:
        """Cosine of a patch with the nearest exemplar of every face."""
        shown = patch.tobytes()
        likeness = self._last.get(shown)
        if likeness is None:
            likeness = self._likeness(patch)
            self._last.clear()
            self._last[shown] = likeness
        return likeness

    def _likeness(self, patch: Image) -> dict[str, float]:
        seen = self._embedding.of(self._shown(patch)[None])[0]
        return {face: float((rows @ seen).max()) for face, rows in self.known.items()}

    def lead(self, patch: Image) -> float:
        """How much nearer one face is than all others to a patch as it was cut, in cosines."""
        best, second = sorted(self.likeness(patch).values(), reverse=True)[:2]
        return best - second

    def seen(self, patch: Image) -> str | None:
        """The face that a patch as it was cut is near, and plainly nearer than all others."""
        likeness, s = self.likeness(patch), self.settings
        face = max(likeness, key=likeness.__getitem__)
        plainly = likeness[face] >= s.sees_near and _lead(likeness, face) >= s.sees_lead
        return face if plainly else None

    def denies(self, patch: Image, face: str) -> bool:
        """Whether a patch as it was cut is near another face than ``face``, and plainly so."""
        likeness, s = self.likeness(patch), self.settings
        return max(likeness.values()) >= s.near and _lead(likeness, face) <= -s.plainly

    def on(self, patch: Image, face: str, pose: Poses) -> Opinion:
        """What the network says of ``patch`` being ``face``.

        ``pose`` (3, 3) is where registration finds the enrolled picture of that face.
        Through it a badly cut patch is seen as the exemplar was; the patch as it is
        stays beside it, so that a wrong pose does not hide the right face.
        """
        seen = sample(patch.astype(np.float32), pose[None], PATCH)
        straight = np.asarray(seen.reshape(PATCH, PATCH, 3), np.uint8)
        plain, posed = self.likeness(patch), self._likeness(straight)
        nearest = {name: max(plain[name], posed[name]) for name in plain}
        near = (plain[face] + nearest[face]) / 2
        return Opinion(_lead(plain, face), _lead(nearest, face), near, self.settings)


def _lead(likeness: Mapping[str, float], face: str) -> float:
    """How much nearer ``face`` is than every other, in cosines [-2, 2]."""
    return likeness[face] - max(near for name, near in likeness.items() if name != face)


@dataclass(frozen=True, slots=True)
class Opinion:
    """How much nearer a patch lies to one face than to every other, in cosines [-2, 2].

    ``plain``: of the patch as it was cut, which owes registration nothing.
    ``lead``: of that and the view through registration's pose, the nearer for each face.
    ``near``: the cosine to the face itself, the mean of the patch as it was cut and of the
    nearer of both: a pose that is wrong makes a strange face look near.
    """

    plain: float
    lead: float
    near: float
    settings: OpinionSettings

    @property
    def objects(self) -> bool:
        """Whether another face is as near, or nearer as cut and not plainly farther when posed."""
        s = self.settings
        return self.lead < s.least or (self.plain < 0 and self.lead < s.posed)

    def strange(self, likeness: float) -> bool:
        """Whether the patch is far from the face, as faces never enrolled are.

        ``likeness``: what registration finds the two to have; near 1 only light can be why. Where
        that is low, less distance will do, save of a face that is nearer than all others by far.
        """
        s = self.settings
        hardly = likeness < s.hardly and self.plain < s.by_far
        least = s.hardly_near if hardly else s.near
        return self.near < least and likeness < s.exact

    @property
    def undecided(self) -> bool:
        """Whether another face is nearly as near."""
        return self.lead < self.settings.undecided

    @property
    def plainly(self) -> bool:
        """Whether the face is so much nearer than the others that no ink need be asked."""
        return self.plain >= self.settings.plainly

    def joint(self, chance: float) -> float:
        """The chance that the face is right, ``chance`` by registration alone.

        An agreeing network lifts it, by its own sight alone; an objecting one leaves no more
        than an even chance.
        """
        if self.objects:
            return min(chance, 0.5)
        s = self.settings
        odds = np.log(max(chance, 1e-9) / max(1 - chance, 1e-9))
        odds += s.weight * float(np.clip(self.plain, 0.0, s.most))
        return float(1 / (1 + np.exp(-odds)))


def _quarter_turns(pictures: Sequence[Floats]) -> Floats:
    return np.stack([np.rot90(p, turn, (-2, -1)) for p in pictures for turn in range(4)])
