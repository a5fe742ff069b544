"""Registers patches of faces with enrolled pictures, and says how alike they are in register.

Every prototype is searched at all rotations on small pictures, refined by Gauss-Newton, and
compared on local brightness and edge direction. Two prototypes can be compared where they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.align import (
    AFFINE,
    EVEN,
    Floats,
    Poses,
    Target,
    View,
    dots,
    even,
    face_mask,
    grid,
    refine,
    sample,
    strain,
    target,
    turned,
    unit,
    without_perspective,
)
from vision.patch import PATCH, blur, slopes
from vision.settings_faces import FaceSettings


def _channels(pictures: Floats) -> Floats:
    """Brightness and edge direction of reliefs (k, S, S) as (k, 3, S * S)."""
    found = np.empty((len(pictures), 3, pictures.shape[1] * pictures.shape[2]), np.float32)
    for picture, channel in zip(pictures, found, strict=True):
        gx, gy = slopes(picture, 2.0)
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
        smooth = blur(picture, 1.6)
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
class Fit:
    """Prototypes in register with a patch: poses (k, 3, 3) and what is seen through them."""

    poses: Poses
    seen: Floats  # (k, 3, n) channels in each prototype's frame
    weights: Floats  # (k, 1, n) mask of what lies inside patch and face
    similarity: Floats  # (k,) less the worry
    worry: Floats  # (k,) cost of poses that a good outline does not explain


class Matcher:
    """Registers patches with a fixed stack of prototypes (k, P, P)."""

    def __init__(self, prototypes: Floats, settings: FaceSettings, kin: bool = True) -> None:
        self.prototypes = prototypes
        self._settings = settings
        self._search = _Search(prototypes, settings)
        self._rough: Target = target(prototypes, settings.rough)
        self._fine: Target = target(prototypes, settings.fine)
        ways = (target(prototypes, settings.fine, moves).inverse for moves in (AFFINE, EVEN))
        self._stretching: Floats = np.stack(list(ways))  # (2, k, 8, 8)
        side = settings.fine
        small = [cv2.resize(p, (side, side), interpolation=cv2.INTER_AREA) for p in prototypes]
        self.channels = _channels(np.stack(small))
        self.kinship: Poses | None = None
        if not kin:
            return
        fits = [self.fit(prototype) for prototype in prototypes]
        self.alike = np.stack([fit.similarity for fit in fits])
        self.kinship = np.stack([fit.poses for fit in fits])

    def fit(self, picture: Floats) -> Fit:
        poses = self._register(picture)
        side = self._settings.fine
        view = View.through(poses, side)
        seen = _channels(view.sample(picture).reshape(-1, side, side))
        weights = (view.inside() * face_mask(side))[:, None]
        covered = weights.sum((1, 2)) / face_mask(side).sum()
        likeness = _likeness(seen, self.channels, weights)
        worry = self._worry(poses)
        similarity = np.where(covered < self._settings.coverage, 0.0, likeness - worry)
        return Fit(poses, seen, weights, np.asarray(similarity, np.float32), worry)

    def _worry(self, poses: Poses) -> Floats:
        """What poses far from a quarter turn cost: a small square is no large one far away."""
        return np.asarray(np.minimum(self._settings.strain_cost * strain(poses) ** 2, 0.5))

    def _register(self, picture: Floats) -> Poses:
        """One refined pose for every prototype."""
        s = self._settings
        count = len(self.prototypes)
        owner = np.repeat(np.arange(count), s.poses)
        smooth = blur(picture, 1.2)
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
        """The pose (3, 3) of one prototype without perspective: how its picture is stretched.

        Thin prints can lead it astray: where no stretch explains the picture better, there is none.
        """
        start, s = without_perspective(pose), self._settings
        both = self._fine.take(np.array([index, index]))
        goal = replace(both, inverse=self._stretching[:, index])
        found = refine(picture, goal, np.stack([start, even(start)]), s.slant_steps)
        view = View.through(found, s.fine)
        seen = _channels(view.sample(picture).reshape(-1, s.fine, s.fine))
        weights = (view.inside() * face_mask(s.fine))[:, None]
        stretched, square = _likeness(seen, self.channels[[index, index]], weights)
        return np.asarray(found[int(square > stretched)], np.float64)

    def duels(self, fit: Fit, a: int, rivals: Sequence[int]) -> Floats:
        """How much better prototype ``a`` explains the patch than each rival where they differ."""
        side = self._settings.fine
        rest = np.asarray(rivals, np.intp)
        between = np.linalg.inv(fit.poses[rest]) @ fit.poses[a]
        views = [sample(self.prototypes[b], between[i, None], side) for i, b in enumerate(rest)]
        others = np.concatenate(views).reshape(-1, side, side)
        gaps = np.abs(others - self.channels[a, 0].reshape(side, side))
        blurred = np.stack([blur(gap, 1.5).ravel() for gap in gaps])
        weights = blurred[:, None] * fit.weights[a]
        seen = unit(fit.seen[a], weights) * weights
        mine = _alike(seen, self.channels[a], weights)
        theirs = _alike(seen, _channels(others), weights)
        return np.asarray(mine - theirs - fit.worry[a] + fit.worry[rest])


def merge(pictures: Floats, settings: FaceSettings) -> list[Floats]:
    """Average the exemplars of one face that agree into a few prototypes (P, P)."""
    if len(pictures) == 1:
        return [pictures[0]]
    matcher = Matcher(pictures, settings, kin=False)
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
