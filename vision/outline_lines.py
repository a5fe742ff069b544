"""Straight lines of a picture and the two points that the tray's sides run to."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Image
from vision.settings_outline import OutlineSettings

Points = NDArray[np.float64]
LEVEL = 96.0  # grey levels of a levelled picture


def levelled(picture: Image, settings: OutlineSettings) -> NDArray[np.float32]:
    """The picture (h, w, 3) over its local light, about LEVEL: shade and glare even out."""
    light = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    size = round(settings.light * max(light.shape)) * 2 + 1
    for _ in range(2):
        light = np.asarray(cv2.blur(light, (size, size)), np.float32)
    colour = picture.astype(np.float32)
    return np.asarray(LEVEL * (colour + settings.dark) / (light[..., None] + settings.dark))


def segments(level: NDArray[np.float32], settings: OutlineSettings) -> Points:
    """Line segments (n, 4): x, y of both ends."""
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD)
    eight_bit = np.clip(level, 0, 255).astype(np.uint8)
    found = [_detected(detector, eight_bit[..., channel]) for channel in range(3)]
    lines = np.concatenate(found)
    lengths = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    return lines[lengths >= settings.short]


def _detected(detector: Any, channel: Image) -> Points:
    lines = detector.detect(np.ascontiguousarray(channel))[0]
    return np.zeros((0, 4)) if lines is None else np.asarray(lines, np.float64).reshape(-1, 4)


def split(lines: Points, settings: OutlineSettings) -> tuple[Points, Points]:
    """Segments along the picture's rows and along its columns."""
    run, rise = np.abs(lines[:, 2] - lines[:, 0]), np.abs(lines[:, 3] - lines[:, 1])
    limit = np.tan(np.deg2rad(settings.slope))
    return lines[rise <= limit * run], lines[run <= limit * rise]


def vanishing_points(lines: Points, settings: OutlineSettings) -> Points:
    """Homogeneous points (k, 3) that most of ``lines`` run to, best first.

    ``lines`` (n, 4) are relative to the picture's centre, in units of its width.
    """
    lengths = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    order = np.argsort(-lengths)[:200]
    lines, lengths = lines[order], lengths[order]
    first, second = np.triu_indices(min(len(lines), settings.longest_pairs), 1)
    through = np.cross(_ends(lines, 0), _ends(lines, 2))
    crossings = np.cross(through[first], through[second])
    crossings = crossings[_outside(crossings)]
    crossings /= np.linalg.norm(crossings, axis=1, keepdims=True)
    agree = _agreement(lines, crossings, settings)
    votes = agree @ lengths**1.5
    return _distinct(crossings, agree, votes, lengths**1.5, settings)


def _ends(lines: Points, first: int) -> Points:
    return np.column_stack([lines[:, first : first + 2], np.ones(len(lines))])


def _outside(points: Points) -> NDArray[np.bool_]:
    """Vanishing points of a tilted tray lie far from the picture."""
    return np.hypot(points[:, 0], points[:, 1]) > 0.9 * np.abs(points[:, 2])


def _agreement(lines: Points, points: Points, settings: OutlineSettings) -> Points:
    """(points, lines): 1 where the segment runs to the point, falling to 0."""
    middle = (lines[:, :2] + lines[:, 2:]) / 2
    along = lines[:, 2:] - lines[:, :2]
    to = points[:, None, :2] - points[:, None, 2:] * middle[None]
    sine = np.abs(to[..., 0] * along[:, 1] - to[..., 1] * along[:, 0])
    sine /= np.linalg.norm(to, axis=2) * np.linalg.norm(along, axis=1) + 1e-12
    return np.asarray(np.clip(1 - (sine / np.sin(np.deg2rad(settings.agrees))) ** 2, 0, 1))


def _distinct(
    points: Points, agree: Points, votes: Points, weights: Points, settings: OutlineSettings
) -> Points:
    """The best points, each for segments the better ones leave unexplained."""
    kept: list[Points] = []
    left = np.ones(len(weights))
    for _ in range(settings.vanishing):
        scores = agree @ (weights * left)
        if not len(scores) or scores.max() <= 0.15 * votes.max():
            break
        best = int(np.argmax(scores))
        kept.append(points[best])
        left = left * (1 - agree[best])
    return np.array(kept).reshape(-1, 3)
