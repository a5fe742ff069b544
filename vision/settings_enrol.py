"""Thresholds of enrolment. Lengths are in sides of a face unless said otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How the four edges of one top face are placed."""

    samples: int = 16  # points along each side
    reach: float = 0.36  # half the length that is looked at: real corners are round
    cap: float = 12.0  # gradient from which there is an edge
    strong: float = 30.0  # gradient from which steeper says little more
    rim: float = 0.065  # inside each side, where the body shows
    same_body: float = 8.0  # L*a*b* distance (L by a third) between the sides of one face
    rim_weight: float = 0.3  # of that, against a clear outline
    turn: float = 6.0  # degrees: outlines are found within about twice that
    rounds: int = 7  # of ever smaller moves
    near_by: float = 0.4  # of the first move where the place is known but for the side
