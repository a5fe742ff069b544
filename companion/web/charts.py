"""Charts as plain geometry: templates/_charts.html draws them as SVG, the style sheet colours them.

Coordinates are in the picture's own units, x to the right and y down. A picture is WIDTH
units wide, about a phone's width in pixels, so that its lettering stays readable there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

WIDTH, HEIGHT = 340, 200
LEFT, RIGHT, TOP, BOTTOM = 44, 24, 14, 28  # margins for the labels
BADGE = 17  # least distance of two series' badges
LEAST_STEP = 1  # credits between two ticks; there is nothing between two credits
MOST_POINTS = 240  # of one line; more would not show

T = TypeVar("T")
Point = tuple[float, float]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis at ``at`` units."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One column with its count."""

    name: str
    x: float
    y: float
    width: float
    height: float
    value: int
    shade: float  # height of the part that was entered by hand, at the column's foot


@dataclass(frozen=True, slots=True)
class BarChart:
    """Columns, the height where all should end, and the band where chance leaves them."""

    bars: tuple[Bar, ...]
    expected: float
    band: tuple[float, float]  # y of its upper and lower edge
    base: float
    left: float = 8
    right: float = WIDTH - 8
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class Series:
    """One line; its badge stands at the right end."""

    name: str
    tone: str  # a class of the style sheet
    badge: str
    path: str
    end: Point
    badge_y: float


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines over time or over throws, with an optional band behind them."""

    series: tuple[Series, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    band: str = ""
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    base: float = HEIGHT - BOTTOM
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class Curve:
    """What a line shows: points in its own units, oldest first. ``steps``: it jumps."""

    name: str
    tone: str
    badge: str
    points: Sequence[Point]
    steps: bool = False


def bar_chart(counts: Sequence[tuple[str, int, int]], expected: float, band: Span) -> BarChart:
    """Columns for (name, count, of which by hand); ``expected`` and ``band`` in counts."""
    base, top = HEIGHT - 34.0, 26.0
    most = max([expected, band[1], *(count for _, count, _ in counts)]) or 1

    def up(count: float) -> float:
        return (base - top) * max(0.0, count) / most

    pitch = (WIDTH - 16) / len(counts)
    width = min(pitch * 0.66, 60)
    bars = tuple(
        Bar(name, 8 + pitch * (i + 0.5) - width / 2, base - up(n), width, up(n), n, up(hand))
        for i, (name, n, hand) in enumerate(counts)
    )
    edges = (base - up(band[1]), base - up(band[0]))
    return BarChart(bars, base - up(expected), edges, base)


def line_chart(
    curves: Sequence[Curve],
    x_labels: Mapping[float, str],
    band: Sequence[tuple[float, float, float]] = (),
) -> LineChart:
    """Lines on shared axes; ``band``: (x, low, high); ``x_labels``: where to mark the x axis."""
    points = [point for curve in curves for point in curve.points]
    edges = [(x, y) for x, low, high in band for y in (low, high)]
    xs, ys = _range(x for x, _ in [*points, *edges]), _range(y for _, y in [*points, *edges])
    steps = nice_ticks(*ys)
    ys = (min(ys[0], steps[0]), max(ys[1], steps[-1]))

    def place(x: float, y: float) -> Point:
        return (
            LEFT + (WIDTH - LEFT - RIGHT) * (x - xs[0]) / (xs[1] - xs[0]),
            HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y - ys[0]) / (ys[1] - ys[0]),
        )

    ends = [place(*curve.points[-1]) for curve in curves]
    heights = spread([y for _, y in ends], TOP, HEIGHT - BOTTOM)
    return LineChart(
        tuple(
            Series(
                c.name, c.tone, c.badge, _path([place(*p) for p in thin(c.points)], c.steps), e, h
            )
            for c, e, h in zip(curves, ends, heights, strict=True)
        ),
        tuple(Tick(place(x, ys[0])[0], label) for x, label in x_labels.items()),
        tuple(Tick(place(xs[0], y)[1], f"{y:,.0f}".replace("-", "−")) for y in steps),
        _outline([(place(x, low), place(x, high)) for x, low, high in thin(band)]),
    )


def _range(values: Iterable[float]) -> Span:
    found = list(values)
    low, high = min(found), max(found)
    return (low, high) if high > low else (low - 1, high + 1)


def nice_ticks(low: float, high: float, wanted: int = 4) -> list[float]:
    """Whole round numbers that span ``low`` to ``high``, however near they are to each other.

    >>> nice_ticks(-30, 470)
    [-200, 0, 200, 400, 600]
    """
    least, most = math.floor(low), math.ceil(high)  # a float near none would be divided to none
    raw = max((most - least) / wanted, LEAST_STEP)
    size = 10 ** math.floor(math.log10(raw))
    step = next(size * m for m in (1, 2, 5, 10) if size * m >= raw)
    first, last = least // step, -(-most // step)
    last = max(last, first + 1)  # a span too small to tell from none
    return [n * step for n in range(first, last + 1)]


def thin(points: Sequence[T]) -> list[T]:
    """At most MOST_POINTS of them, the first and the last kept."""
    if len(points) <= MOST_POINTS:
        return list(points)
    pace = (len(points) - 1) / (MOST_POINTS - 1)
    return [points[round(i * pace)] for i in range(MOST_POINTS)]


def spread(heights: Sequence[float], top: float, base: float) -> list[float]:
    """Heights moved as little as keeps them BADGE apart, where there is room for all."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed, floor = [0.0] * len(heights), top
    for i in order:
        placed[i] = max(heights[i], floor)
        floor = placed[i] + BADGE
    ceiling = base
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - BADGE
    return placed


def _path(points: Sequence[Point], steps: bool) -> str:
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for x, y in points[1:]:
        parts.append(f"H{x:.1f}V{y:.1f}" if steps else f"L{x:.1f} {y:.1f}")
    return "".join(parts)


def _outline(edges: Sequence[tuple[Point, Point]]) -> str:
    """A closed shape along the lower edge and back along the upper."""
    there = [low for low, _ in edges]
    back = [high for _, high in reversed(edges)]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in (*there, *back))
