"""Which enrolled picture a patch shows: registration, then comparison of what differs.

A face is enrolled from one patch or more. Exemplars that agree are brought
into register and averaged into prototypes. To read a patch, every prototype is
searched at all rotations on small pictures, refined by Gauss-Newton, and
compared on local brightness and edge direction. Faces often share their
ornament and differ in little, so the likeliest are then compared with every
other face only where the two prototypes differ; the margin is the outcome of
the closest of these duels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vision.align import Floats, Poses
from vision.foreshortening import Foreshortening, measured
from vision.matching import Fit, Matcher, merge
from vision.patch import Image
from vision.prints import PrintView, Relief
from vision.settings_faces import FaceSettings


@dataclass(frozen=True, slots=True)
class FaceScore:
    """One face as a candidate: ``similarity`` in [-1, 1], ``probability`` in [0, 1]."""

    face: str
    similarity: float
    probability: float


@dataclass(frozen=True, slots=True)
class FaceScores:
    """What a patch may show, likeliest first.

    ``rotation`` (degrees, clockwise as seen) turns the enrolled picture into the
    seen one. ``margin`` is how clearly the first face beats every other one where
    the two differ, in [-2, 2]. ``known`` is False for a picture like none enrolled.
    ``confidence`` in [0, 1] is the chance that the first face is right, and ``close`` is True
    where another one is nearly as like.
    """

    ranked: tuple[FaceScore, ...]
    rotation: float
    margin: float
    confidence: float
    close: bool
    known: bool
    sure: bool  # confident enough to be accepted without asking
    pose: Poses  # (3, 3) affine: where the likeliest face's enrolled picture lies in the patch

    @property
    def face(self) -> str:
        return self.ranked[0].face

    @property
    def similarity(self) -> float:
        return self.ranked[0].similarity

    def names_another(self, face: str) -> bool:
        """Whether these scores are sure of another face than ``face``."""
        return self.known and self.sure and self.face != face

    @property
    def alternatives(self) -> tuple[tuple[str, float], ...]:
        """The other faces with their probabilities, likeliest first."""
        return tuple((score.face, score.probability) for score in self.ranked[1:])


def _chance(similarity: float, margin: float, settings: FaceSettings) -> float:
    """Chance that a face with this similarity and margin is right; none enrolled: even at best."""
    by_margin, by_similarity, base = settings.log_odds
    odds = by_margin * np.clip(margin, -0.2, 0.5) + by_similarity * similarity + base
    chance = float(1 / (1 + np.exp(-odds)))
    return chance if similarity >= settings.known else min(chance, 0.5)


@dataclass(frozen=True)
class FaceBank:
    """The enrolled pictures of one kind of die, ready to be compared with patches."""

    names: tuple[str, ...]
    owner: NDArray[np.intp]  # face index of every prototype
    settings: FaceSettings
    view: PrintView = field(repr=False)
    _matcher: Matcher = field(repr=False)

    @staticmethod
    def enrol(
        samples: Mapping[str, Sequence[Image]],
        settings: FaceSettings | None = None,
        view: PrintView | None = None,
    ) -> FaceBank:
        """A bank from patches (PATCH, PATCH, 3) of each face; one a face is enough to work.

        ``view`` is how prints are compared, by their brightness unless told otherwise.

        Raises ValueError when fewer than two faces are given or a face has no patch.
        """
        settings = settings or FaceSettings()
        if len(samples) < 2:
            raise ValueError("a dice set needs at least two different faces")
        empty = [name for name, patches in samples.items() if not patches]
        if empty:
            raise ValueError(f"no picture of face {empty[0]!r}; show that face to the camera")
        view = view or Relief(settings)
        seen = [np.stack([view(patch) for patch in group]) for group in samples.values()]
        merged = [merge(pictures, settings) for pictures in seen]
        owner = np.repeat(np.arange(len(merged)), [len(group) for group in merged])
        stack = np.stack([picture for group in merged for picture in group])
        return FaceBank(tuple(samples), owner, settings, view, Matcher(stack, settings))

    def score(self, patch: Image) -> FaceScores:
        """Compare one patch (PATCH, PATCH, 3) with every enrolled face."""
        picture = self.view(patch)
        fit = self._matcher.fit(picture)
        best = self._best_prototypes(fit.similarity)
        margins = self._margins(fit, best)
        order = sorted(range(len(best)), key=lambda i: -margins[i])
        scores = self._scores(fit, best, order, margins)
        first = best[order[0]]
        return replace(scores, pose=self._matcher.slant(picture, fit.poses[first], first))

    def foreshortening(self, patch: Image, face: str, onto: Floats) -> Foreshortening:
        """How the print of ``face`` is seen where ``onto`` (2, 2) leads from the patch."""
        picture = self.view(patch)
        fit = self._matcher.fit(picture)
        best = self._best_prototypes(fit.similarity)[self.names.index(face)]
        template = self._matcher.prototypes[best]
        return measured(picture, template, fit.poses[best], onto, self.settings)

    def _best_prototypes(self, similarity: Floats) -> list[int]:
        """The most similar prototype of each face."""
        choices = (np.flatnonzero(self.owner == face) for face in range(len(self.names)))
        return [int(choice[np.argmax(similarity[choice])]) for choice in choices]

    def _margins(self, fit: Fit, best: list[int]) -> list[float]:
        """For each face the outcome of its closest duel; unlikely faces trail behind."""
        similarity = fit.similarity[best]
        leaders = np.argsort(-similarity)[: self.settings.rivals]
        margins = [float(value) - 3.0 for value in similarity]
        for a in leaders:
            margins[a] = self._closest(fit, best, int(a))
        return margins

    def _closest(self, fit: Fit, best: list[int], a: int) -> float:
        """How far face ``a`` is ahead of its closest rival; far ones need no duel."""
        ahead = fit.similarity[best[a]] - fit.similarity[best]
        ahead[a] = np.inf
        near = np.flatnonzero(ahead < self.settings.far_behind)
        if len(near):
            ahead[near] = self._matcher.duels(fit, best[a], [best[b] for b in near])
        return float(ahead.min())

    def _scores(
        self, fit: Fit, best: list[int], order: list[int], margins: list[float]
    ) -> FaceScores:
        similarity = fit.similarity[best]
        first = order[0]
        chance = _chance(float(similarity[first]), margins[first], self.settings)
        rest = np.exp(8 * similarity[order[1:]])
        shares = [chance, *((1 - chance) * rest / rest.sum())]
        pose = fit.poses[best[first]]
        return FaceScores(
            ranked=tuple(
                FaceScore(self.names[face], float(similarity[face]), float(share))
                for face, share in zip(order, shares, strict=True)
            ),
            rotation=float(np.degrees(np.arctan2(pose[1, 0], pose[0, 0])) % 360),
            margin=margins[first],
            confidence=chance,
            close=margins[first] < self.settings.close,
            known=bool(similarity[first] >= self.settings.known),
            sure=chance >= self.settings.accept,
            pose=pose,
        )

    def look_alikes(self) -> list[tuple[str, str, float]]:
        """Pairs of faces that resemble each other at some rotation, most alike first."""
        pairs: dict[tuple[int, int], float] = {}
        for i, a in enumerate(self.owner):
            for j, b in enumerate(self.owner):
                if a != b:
                    key = (int(min(a, b)), int(max(a, b)))
                    pairs[key] = max(pairs.get(key, -1.0), float(self._matcher.alike[i, j]))
        close = [(self.names[a], self.names[b], s) for (a, b), s in pairs.items()]
        return sorted(
            (pair for pair in close if pair[2] >= self.settings.look_alike), key=lambda p: -p[2]
        )
