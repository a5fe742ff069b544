"""What an evaluation found: figures of all, by station and by condition, and how honest it is."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.reading import Verdict

COLUMNS = ("rolls", "distinct", "accepted", "asked", "refused", "silent", "bad", "bad_accepted")
SURE = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0)  # edges between stated confidences


@dataclass(frozen=True, slots=True)
class Trial:
    """One picture read: ``good`` scenes may be accepted, others never.

    ``dice`` holds, for every die read where one lies, its confidence and whether its face
    is right; ``conditions`` say under what circumstances it was read.
    """

    station: str
    image: str
    variant: int
    good: bool
    verdict: Verdict
    right: bool  # all faces as in the truth
    confidence: float  # of the least certain die
    ms: float
    reasons: tuple[str, ...]
    why_bad: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    dice: tuple[tuple[float, bool], ...] = ()

    @property
    def silent(self) -> bool:
        """Accepted without asking, and wrong."""
        return self.good and self.verdict is Verdict.ACCEPT and not self.right


def upper_bound(errors: int, trials: int, level: float = 0.95) -> float:
    """Clopper-Pearson upper bound of a rate, by bisection on the binomial tail.

    >>> round(upper_bound(0, 3000), 5)
    0.001
    """
    if trials == 0:
        return 1.0
    low, high = errors / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        tail = sum(_binomial(k, trials, middle) for k in range(errors + 1))
        low, high = (middle, high) if tail > 1 - level else (low, middle)
    return high


def _binomial(k: int, n: int, p: float) -> float:
    if p in (0.0, 1.0):
        return float(k == n * p)
    logs = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(logs + k * math.log(p) + (n - k) * math.log1p(-p))


def counts(trials: Sequence[Trial]) -> dict[str, float]:
    """The figures of some trials.

    ``silent_upper_95`` bounds the rate with every picture as a witness of its own,
    ``silent_upper_95_distinct`` with variants of one throw as one witness.
    """
    good = [trial for trial in trials if trial.good]
    bad = [trial for trial in trials if not trial.good]
    verdicts = Counter(trial.verdict for trial in good)
    accepted = verdicts[Verdict.ACCEPT]
    silent = [trial for trial in good if trial.silent]
    throws = {(t.station, t.image) for t in good if t.verdict is Verdict.ACCEPT}
    wrong = {(t.station, t.image) for t in silent}
    return {
        "rolls": len(good),
        "distinct": len({(trial.station, trial.image) for trial in good}),
        "accepted": accepted,
        "asked": verdicts[Verdict.ASK],
        "refused": verdicts[Verdict.REFUSE],
        "right": sum(trial.right for trial in good),
        "silent": len(silent),
        "silent_upper_95": round(upper_bound(len(silent), accepted), 6),
        "silent_upper_95_distinct": round(upper_bound(len(wrong), len(throws)), 6),
        "bad": len(bad),
        "bad_distinct": len({(trial.station, trial.image) for trial in bad}),
        "bad_accepted": sum(trial.verdict is Verdict.ACCEPT for trial in bad),
        "ms_median": round(float(np.median([t.ms for t in trials])), 1) if trials else 0.0,
    }


@dataclass(frozen=True)
class Report:
    """All trials, and the stations and pictures that could not be used."""

    trials: tuple[Trial, ...]
    failed: tuple[str, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether every station and picture could be used."""
        return not self.failed

    def by_station(self) -> Iterator[tuple[str, dict[str, float]]]:
        """Figures of each station, then of all."""
        for name in sorted({trial.station for trial in self.trials}):
            yield name, counts([trial for trial in self.trials if trial.station == name])
        yield "all", counts(self.trials)

    def by_condition(self) -> Iterator[tuple[str, dict[str, float]]]:
        """Figures of what was read under each condition."""
        for name in sorted({name for trial in self.trials for name in trial.conditions}):
            yield name, counts([trial for trial in self.trials if name in trial.conditions])

    def honesty(self) -> list[dict[str, float]]:
        """Dice by their stated confidence: how many, the mean stated, the share right."""
        dice = [die for trial in self.trials if trial.good for die in trial.dice]
        bins = []
        for low, high in itertools.pairwise(SURE):
            last = high == SURE[-1]
            some = [(p, right) for p, right in dice if low <= p < high or (last and p == high)]
            if some:
                stated = float(np.mean([p for p, _ in some]))
                right = float(np.mean([right for _, right in some]))
                bins.append({"from": low, "dice": len(some), "stated": stated, "right": right})
        return bins

    def facts(self) -> dict[str, Any]:
        """The report for machines."""
        wrong = [trial for trial in self.trials if trial.silent]
        bad = [t for t in self.trials if not t.good and t.verdict is Verdict.ACCEPT]
        reasons = Counter(r for t in self.trials if t.good for r in t.reasons)
        return {
            "stations": dict(self.by_station()),
            "conditions": dict(self.by_condition()),
            "failed": list(self.failed),
            "reasons": dict(reasons.most_common()),
            "silent": [f"{t.station}/{t.image} variant {t.variant}" for t in wrong],
            "bad_accepted": [
                f"{t.station}/{t.image} variant {t.variant} {' '.join(t.why_bad)}" for t in bad
            ],
            "honesty": self.honesty(),
            "risk_coverage": self.risk_coverage(),
        }

    def table(self) -> str:
        """The report for people."""
        lines = [*_rows("station", self.by_station())]
        if any(trial.conditions for trial in self.trials):
            lines += ["", *_rows("condition", self.by_condition())]
        lines += ["", *self._honest(), "", *self._verdict()]
        return "\n".join(lines)

    def _honest(self) -> Iterator[str]:
        if bins := self.honesty():
            yield f"{'stated confidence':24}{'dice':>13}{'mean stated':>13}{'right':>13}"
        for part in bins:
            name = f"from {part['from']:.3f}"
            stated, right = 100 * part["stated"], 100 * part["right"]
            yield f"{name:24}{part['dice']:>13.0f}{stated:>11.2f} %{right:>11.2f} %"

    def _verdict(self) -> Iterator[str]:
        total = counts(self.trials)
        yield (
            f"{total['rolls']:.0f} rolls of {total['distinct']:.0f} distinct throws;"
            f" {_share(total['accepted'], total['rolls'])} accepted."
        )
        yield (
            f"Silently wrong among accepted: {total['silent']:.0f} of {total['accepted']:.0f};"
            f" at most {100 * total['silent_upper_95']:.2f} % (95 %), were every picture a"
            f" witness of its own; {100 * total['silent_upper_95_distinct']:.2f} % by distinct"
            " throws."
        )
        yield (
            f"Bad scenes accepted: {total['bad_accepted']:.0f} of {total['bad']:.0f}"
            f" ({total['bad_distinct']:.0f} distinct)."
            f" Median {total['ms_median']:.0f} ms a picture."
        )
        yield from (f"Not used: {fault}" for fault in self.failed)

    def risk_coverage(self) -> list[tuple[float, float]]:
        """Share of good rolls read at or above each confidence, and how many of them are wrong."""
        good = sorted((t for t in self.trials if t.good), key=lambda t: -t.confidence)
        wrong = np.cumsum([not trial.right for trial in good])
        many = len(good)
        return [
            (round((n + 1) / many, 4), round(float(wrong[n]) / (n + 1), 5)) for n in range(many)
        ]

    def plot(self) -> str:
        """The risk-coverage curve as SVG."""
        points = self.risk_coverage() or [(0.0, 0.0)]
        top = max(max(risk for _, risk in points), 0.01)
        path = " ".join(f"{60 + 520 * c:.1f},{270 - 230 * r / top:.1f}" for c, r in points)
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 320" role="img">'
            "<title>Share of wrong rolls against share of rolls read</title>"
            '<rect width="620" height="320" fill="#fff"/>'
            '<path d="M60 40V270H580" fill="none" stroke="#555"/>'
            f'<polyline points="{path}" fill="none" stroke="#b3261e" stroke-width="2"/>'
            '<g font-family="sans-serif" font-size="13" fill="#222">'
            '<text x="320" y="305" text-anchor="middle">rolls read, most certain first</text>'
            f'<text x="54" y="45" text-anchor="end">{100 * top:.1f} %</text>'
            '<text x="54" y="274" text-anchor="end">0</text>'
            '<text x="580" y="288" text-anchor="end">100 %</text>'
            '<text x="66" y="30">wrong among them</text></g></svg>\n'
        )


def _rows(title: str, groups: Iterator[tuple[str, Mapping[str, float]]]) -> Iterator[str]:
    yield f"{title:24}" + "".join(f"{name:>13}" for name in COLUMNS)
    for name, figures in groups:
        yield f"{name:24}" + "".join(f"{figures[key]:>13.0f}" for key in COLUMNS)


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
