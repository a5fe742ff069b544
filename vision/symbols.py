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

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.align import (
    Floats,
    Poses,
    Target,
    View,
    dots,
    face_mask,
    grid,
    refine,
    sample,
    strain,
    target,
    turned,
    unit,
)
from vision.patch import PATCH, Image
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
    ``confidence`` in [0, 1] is the chance that the first face is right.
    """

    ranked: tuple[FaceScore, ...]
    rotation: float
    margin: float
    confidence: float
    known: bool
    sure: bool  # confident enough to be accepted without asking
    pose: Poses  # (3, 3) affine: where the likeliest face's enrolled picture lies in the patch

    @property
    def face(self) -> str:
        return self.ranked[0].face

    @property
    def similarity(self) -> float:
        return self.ranked[0].similarity

    @property
    def alternatives(self) -> tuple[tuple[str, float], ...]:
        """The other faces with their probabilities, likeliest first."""
        return tuple((score.face, score.probability) for score in self.ranked[1:])


def _blur(image: Floats, sigma: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.float32)


def relief(patch: Image, settings: FaceSettings) -> Floats:
    """Brightness of a patch (P, P, 3) against its surroundings, (P, P), about unit spread."""
    grey = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY).astype(np.float32)
    above = grey - _blur(grey, settings.local)
    spread = np.sqrt(_blur(above * above, settings.local))
    rim = PATCH // 8
    contrast = above[rim:-rim, rim:-rim].std()
    even = above / (spread + settings.floor * contrast + 1.5)
    return np.asarray(np.clip(_blur(even, 0.8), -2, 2), np.float32)


def _channels(pictures: Floats) -> Floats:
    """Brightness and edge direction of reliefs (k, S, S) as (k, 3, S * S)."""
    found = np.empty((len(pictures), 3, pictures.shape[1] * pictures.shape[2]), np.float32)
    for picture, channel in zip(pictures, found, strict=True):
        gx = cv2.Scharr(picture, cv2.CV_32F, 1, 0, scale=1 / 32)
        gy = cv2.Scharr(picture, cv2.CV_32F, 0, 1, scale=1 / 32)
        strength = np.sqrt(cv2.magnitude(gx, gy)) + 0.1
        channel[0] = picture.ravel()
        np.divide(gx.ravel(), strength.ravel(), out=channel[1])
        np.divide(gy.ravel(), strength.ravel(), out=channel[2])
    return found


_SHARE = np.array([0.5, 0.25, 0.25], np.float32)


def _likeness(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Similarity of channels (..., 3, n) under ``weights`` broadcastable to (..., 1, n)."""
    return _alike(unit(a, weights) * weights, b, weights)


def _alike(weighed: Floats, b: Floats, weights: Floats) -> Floats:
    """The same of channels ``b`` and ``weighed`` ones that were made unit before."""
    return np.asarray(dots(weighed, unit(b, weights))[..., 0] @ _SHARE, np.float32)


def _disc(side: int) -> NDArray[np.bool_]:
    x, y, _ = grid(side)
    return np.asarray(np.hypot(x, y) < 0.92)


def _coarse_rows(pictures: Floats, side: int) -> Floats:
    """Unit vectors (k, d) of brightness and edge direction within the disc that turning keeps."""
    disc = _disc(side)
    channels = _channels(pictures * 4)[:, :, disc]
    level = unit(channels[:, 0], np.ones(int(disc.sum()), np.float32))
    edges = channels[:, 1:].reshape(len(pictures), -1)
    edges = edges / np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-6)
    return np.asarray(np.hstack([level, edges]) * np.float32(np.sqrt(0.5)), np.float32)


class _Search:
    """Coarse poses of prototypes in a patch, by one matrix product over turned prototypes."""

    def __init__(self, prototypes: Floats, settings: FaceSettings) -> None:
        self._settings = settings
        angles = np.arange(settings.turns) * 2 * np.pi / settings.turns
        self._poses: Poses = np.stack([turned(a, s) for s in settings.scales for a in angles])
        steps = (-settings.shift, 0.0, settings.shift)
        self._shifts: Poses = np.stack([turned(0, 1, dx, dy) for dx in steps for dy in steps])
        back: Poses = np.asarray(np.linalg.inv(self._poses), np.float64)
        self._rows = np.concatenate([self._seen(picture, back) for picture in prototypes])
        self._count = len(prototypes)

    def _seen(self, picture: Floats, poses: Poses) -> Floats:
        side = self._settings.coarse
        smooth = _blur(picture, 1.6)
        return _coarse_rows(sample(smooth, poses, side).reshape(-1, side, side), side)

    def poses(self, picture: Floats) -> Poses:
        """The best few poses of every prototype, (prototypes * poses, 3, 3)."""
        shifted = self._seen(picture, self._shifts)
        product = (self._rows @ shifted.T).reshape(self._count, len(self._poses), -1)
        return np.concatenate([self._peaks(scores) for scores in product])

    def _peaks(self, scores: Floats) -> Poses:
        """Best poses of one prototype from its scores (poses, shifts), apart in rotation."""
        best = scores.max(axis=1).reshape(len(self._settings.scales), self._settings.turns)
        shift = scores.argmax(axis=1)
        near = max(self._settings.turns // 20, 1)
        found = []
        for _ in range(self._settings.poses):
            top = int(best.argmax())
            found.append(self._shifts[shift[top]] @ self._poses[top])
            turn = top % self._settings.turns
            best[:, np.arange(turn - near, turn + near + 1) % self._settings.turns] = -9
        return np.stack(found)


@dataclass(frozen=True, slots=True)
class _Fit:
    """Prototypes in register with a patch: poses (k, 3, 3) and what is seen through them."""

    poses: Poses
    seen: Floats  # (k, 3, n) channels in each prototype's frame
    weights: Floats  # (k, 1, n) mask of what lies inside patch and face
    similarity: Floats  # (k,) less the worry
    worry: Floats  # (k,) cost of poses that a good outline does not explain


class _Matcher:
    """Registers patches with a fixed stack of prototypes (k, P, P)."""

    def __init__(self, prototypes: Floats, settings: FaceSettings, kin: bool = True) -> None:
        self.prototypes = prototypes
        self._settings = settings
        self._search = _Search(prototypes, settings)
        self._rough: Target = target(prototypes, settings.rough)
        self._fine: Target = target(prototypes, settings.fine)
        self._level: Target = target(prototypes, settings.fine, affine=True)
        side = settings.fine
        small = [cv2.resize(p, (side, side), interpolation=cv2.INTER_AREA) for p in prototypes]
        self.channels = _channels(np.stack(small))
        self.kinship: Poses | None = None
        if not kin:
            return
        fits = [self.fit(prototype) for prototype in prototypes]
        self.alike = np.stack([fit.similarity for fit in fits])
        self.kinship = np.stack([fit.poses for fit in fits])

    def fit(self, picture: Floats) -> _Fit:
        poses = self._register(picture)
        side = self._settings.fine
        view = View.through(poses, side)
        seen = _channels(view.sample(picture).reshape(-1, side, side))
        weights = (view.inside() * face_mask(side))[:, None]
        covered = weights.sum((1, 2)) / face_mask(side).sum()
        likeness = _likeness(seen, self.channels, weights)
        worry = self._worry(poses)
        similarity = np.where(covered < self._settings.coverage, 0.0, likeness - worry)
        return _Fit(poses, seen, weights, np.asarray(similarity, np.float32), worry)

    def _worry(self, poses: Poses) -> Floats:
        """What poses far from a quarter turn cost: a small square is no large one far away."""
        return np.asarray(np.minimum(self._settings.strain_cost * strain(poses) ** 2, 0.5))

    def _register(self, picture: Floats) -> Poses:
        """One refined pose for every prototype."""
        s = self._settings
        count = len(self.prototypes)
        owner = np.repeat(np.arange(count), s.poses)
        smooth = _blur(picture, 1.2)
        tried = refine(smooth, self._rough.take(owner), self._search.poses(picture), s.rough_steps)
        match = self._match(smooth, tried, owner).reshape(count, s.poses)
        pick = match.argmax(axis=1) + np.arange(count) * s.poses
        poses, match = tried[pick], match.max(axis=1)
        if self.kinship is not None:
            poses = self._by_kinship(smooth, poses, match)
        return refine(picture, self._fine, poses, s.fine_steps)

    def _match(self, smooth: Floats, poses: Poses, owner: NDArray[np.intp]) -> Floats:
        """Correlation of the patch with the prototypes ``owner`` under ``poses``."""
        side = self._settings.rough
        view = View.through(poses, side)
        mask = face_mask(side) * view.inside()
        seen = unit(view.sample(smooth), mask)
        likeness = dots(seen * mask, self._rough.pictures[owner])[:, 0]
        return np.asarray(likeness - self._worry(poses))

    def _by_kinship(self, smooth: Floats, poses: Poses, match: Floats) -> Poses:
        """Give every prototype a second chance where the best one lies, if it fits better there.

        Faces that share an ornament must be compared in the same place; a rival
        left at a wrong rotation would lose its duel for the wrong reason.
        """
        assert self.kinship is not None
        leader = int(match.argmax())
        moved = poses[leader] @ self.kinship[leader]
        moved = refine(smooth, self._rough, moved, self._settings.fine_steps)
        again = self._match(smooth, moved, np.arange(len(poses)))
        return np.where((again > match)[:, None, None], moved, poses)

    def slant(self, picture: Floats, pose: Poses, index: int) -> Poses:
        """The pose (3, 3) of one prototype without perspective: how its picture is stretched."""
        start = (pose / pose[2, 2])[None].copy()
        start[:, 2, :2] = 0
        goal = self._level.take(np.array([index]))
        found = refine(picture, goal, start, self._settings.slant_steps)
        return np.asarray(found[0], np.float64)

    def duels(self, fit: _Fit, a: int, rivals: Sequence[int]) -> Floats:
        """How much better prototype ``a`` explains the patch than each rival where they differ."""
        side = self._settings.fine
        rest = np.asarray(rivals, np.intp)
        between = np.linalg.inv(fit.poses[rest]) @ fit.poses[a]
        views = [sample(self.prototypes[b], between[i, None], side) for i, b in enumerate(rest)]
        others = np.concatenate(views).reshape(-1, side, side)
        gaps = np.abs(others - self.channels[a, 0].reshape(side, side))
        blurred = np.stack([_blur(gap, 1.5).ravel() for gap in gaps])
        weights = blurred[:, None] * fit.weights[a]
        seen = unit(fit.seen[a], weights) * weights
        mine = _alike(seen, self.channels[a], weights)
        theirs = _alike(seen, _channels(others), weights)
        return np.asarray(mine - theirs - fit.worry[a] + fit.worry[rest])


def _merge(pictures: Floats, settings: FaceSettings) -> list[Floats]:
    """Average the exemplars of one face that agree into a few prototypes (P, P)."""
    if len(pictures) == 1:
        return [pictures[0]]
    matcher = _Matcher(pictures, settings, kin=False)
    fits = [matcher.fit(picture) for picture in pictures]
    alike = np.stack([fit.similarity for fit in fits])  # [exemplar, prototype]
    found: list[Floats] = []
    left = list(range(len(pictures)))
    while left and len(found) < settings.prototypes:
        worth = np.clip(alike[left] - settings.merge, 0, None).sum(axis=0)
        base = max(left, key=lambda index: float(worth[index]))
        group = [i for i in left if i == base or alike[i, base] > settings.merge]
        poses = np.stack([fits[i].poses[base] if i != base else np.eye(3) for i in group])
        found.append(_average(pictures[group], poses))
        left = [i for i in left if i not in group]
    return found


def _average(pictures: Floats, poses: Poses) -> Floats:
    """Mean of pictures (n, P, P) each seen through its pose."""
    seen = [
        sample(picture, pose[None], PATCH).reshape(PATCH, PATCH)
        for picture, pose in zip(pictures, poses, strict=True)
    ]
    return np.asarray(np.mean(seen, axis=0), np.float32)


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
    _matcher: _Matcher = field(repr=False)

    @staticmethod
    def enrol(
        samples: Mapping[str, Sequence[Image]], settings: FaceSettings | None = None
    ) -> FaceBank:
        """A bank from patches (PATCH, PATCH, 3) of each face; one a face is enough to work.

        Raises ValueError when fewer than two faces are given or a face has no patch.
        """
        settings = settings or FaceSettings()
        if len(samples) < 2:
            raise ValueError("a dice set needs at least two different faces")
        empty = [name for name, patches in samples.items() if not patches]
        if empty:
            raise ValueError(f"no picture of face {empty[0]!r}; show that face to the camera")
        reliefs = [np.stack([relief(p, settings) for p in group]) for group in samples.values()]
        merged = [_merge(pictures, settings) for pictures in reliefs]
        owner = np.repeat(np.arange(len(merged)), [len(group) for group in merged])
        stack = np.stack([picture for group in merged for picture in group])
        return FaceBank(tuple(samples), owner, settings, _Matcher(stack, settings))

    def score(self, patch: Image) -> FaceScores:
        """Compare one patch (PATCH, PATCH, 3) with every enrolled face."""
        picture = relief(patch, self.settings)
        fit = self._matcher.fit(picture)
        best = self._best_prototypes(fit.similarity)
        margins = self._margins(fit, best)
        order = sorted(range(len(best)), key=lambda i: -margins[i])
        scores = self._scores(fit, best, order, margins)
        first = best[order[0]]
        return replace(scores, pose=self._matcher.slant(picture, fit.poses[first], first))

    def _best_prototypes(self, similarity: Floats) -> list[int]:
        """The most similar prototype of each face."""
        choices = (np.flatnonzero(self.owner == face) for face in range(len(self.names)))
        return [int(choice[np.argmax(similarity[choice])]) for choice in choices]

    def _margins(self, fit: _Fit, best: list[int]) -> list[float]:
        """For each face the outcome of its closest duel; unlikely faces trail behind."""
        similarity = fit.similarity[best]
        leaders = np.argsort(-similarity)[: self.settings.rivals]
        margins = [float(value) - 3.0 for value in similarity]
        for a in leaders:
            margins[a] = self._closest(fit, best, int(a))
        return margins

    def _closest(self, fit: _Fit, best: list[int], a: int) -> float:
        """How far face ``a`` is ahead of its closest rival; far ones need no duel."""
        ahead = fit.similarity[best[a]] - fit.similarity[best]
        ahead[a] = np.inf
        near = np.flatnonzero(ahead < self.settings.far_behind)
        if len(near):
            ahead[near] = self._matcher.duels(fit, best[a], [best[b] for b in near])
        return float(ahead.min())

    def _scores(
        self, fit: _Fit, best: list[int], order: list[int], margins: list[float]
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
