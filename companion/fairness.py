"""Whether dice look fair: counts per face, Pearson's chi-square and what so many throws can show.

Every die counts alike, whichever place of the tray or of the throw it lay in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

LEAST_EXPECTED = 5  # a face; below it the chi-square distribution is no good guide (Cochran 1954)
NOTABLE, STRONG = 0.05, 0.001
# Noncentrality at which a test at 5 % finds a bias four times in five, by degrees of freedom
# (Cohen 1988, tables 9.4): what a bias must come to before so many throws can show it.
POWER_80: Mapping[int, float] = {1: 7.85, 5: 12.83}


class Verdict(StrEnum):
    """What the counts allow to be said."""

    TOO_FEW = "too_few"
    UNREMARKABLE = "unremarkable"
    NOTABLE = "notable"  # one fair set in twenty looks like this
    STRONG = "strong"  # one fair set in a thousand does


@dataclass(frozen=True, slots=True)
class FaceCount:
    """One face: times the reader saw it, and times it was entered by hand."""

    face: str
    read: int
    manual: int

    @property
    def total(self) -> int:
        """Times it came."""
        return self.read + self.manual


@dataclass(frozen=True, slots=True)
class Fairness:
    """One kind of die. ``chi2`` and ``p`` are None where there are too few dice to tell.

    ``bias``: the smallest relative excess of one face that so many dice would usually show,
    e.g. 0.5 for a face that comes half as often again as it should; None with no dice.
    """

    kind: str
    faces: tuple[FaceCount, ...]
    throws: int
    chi2: float | None
    p: float | None
    verdict: Verdict
    bias: float | None

    @property
    def dice(self) -> int:
        """Dice counted; a throw of three counts three."""
        return sum(face.total for face in self.faces)

    @property
    def expected(self) -> float:
        """Times each face should have come."""
        return self.dice / len(self.faces)

    @property
    def wanted(self) -> int:
        """Dice still to be thrown before anything can be said."""
        return max(0, LEAST_EXPECTED * len(self.faces) - self.dice)


def fairness(
    kind: str, faces: Iterable[str], read: Iterable[str], manual: Iterable[str], throws: int
) -> Fairness:
    """Count ``read`` and ``manual`` faces and say what they show."""
    by_reader, by_hand = Counter(read), Counter(manual)
    counts = tuple(FaceCount(face, by_reader[face], by_hand[face]) for face in faces)
    totals = [count.total for count in counts]
    enough = sum(totals) >= LEAST_EXPECTED * len(totals)
    chi2 = chi_square(totals) if enough else None
    p = p_value(chi2, len(totals) - 1) if chi2 is not None else None
    return Fairness(kind, counts, throws, chi2, p, verdict(p), detectable(sum(totals), len(totals)))


def chi_square(counts: Iterable[int]) -> float:
    """Pearson's statistic against equal chances.

    >>> chi_square([5, 5, 5, 15])
    10.0
    """
    seen = list(counts)
    expected = sum(seen) / len(seen)
    return sum((count - expected) ** 2 for count in seen) / expected


def p_value(chi2: float, freedom: int) -> float:
    """How often fair dice give a statistic of ``chi2`` or more.

    >>> round(p_value(11.070, 5), 4)
    0.05
    """
    return upper_gamma(freedom / 2, chi2 / 2)


def verdict(p: float | None) -> Verdict:
    """In words what ``p`` comes to."""
    if p is None:
        return Verdict.TOO_FEW
    if p < STRONG:
        return Verdict.STRONG
    return Verdict.NOTABLE if p < NOTABLE else Verdict.UNREMARKABLE


def detectable(dice: int, faces: int) -> float | None:
    """The relative excess of one face, the others sharing its loss, found four times in five.

    A face with chance (1 + d)/k has noncentrality n d^2/(k - 1); d may pass what is possible,
    which then says that no bias at all would be found reliably.
    """
    if not dice:
        return None
    return math.sqrt(POWER_80[faces - 1] * (faces - 1) / dice)


def upper_gamma(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function Q(a, x), for a > 0 and x >= 0.

    Series below a + 1, Lentz's continued fraction above (Press et al., Numerical Recipes, 6.2).
    """
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    return 1 - scale * _series(a, x) if x < a + 1 else scale * _fraction(a, x)


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    n = a
    while term > total * 1e-16:
        n += 1
        term *= x / n
        total += term
    return total


def _fraction(a: float, x: float) -> float:
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    value = d
    for i in range(1, 1000):
        step = -i * (i - a)
        b += 2
        d = 1 / ((step * d + b) or tiny)
        c = (b + step / c) or tiny
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
