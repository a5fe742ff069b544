"""How often the reader is right, asks, refuses, and is silently wrong, on recordings with truth."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.patch import Image
from vision.pipeline import read_frame
from vision.reading import Reading, Verdict
from vision.recording import from_recording
from vision.station import Station, StationError, read_image


@dataclass(frozen=True, slots=True)
class Trial:
    """One picture read: ``good`` scenes may be accepted, others never."""

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


@dataclass(frozen=True)
class Report:
    """All trials, and the stations that could not be enrolled."""

    trials: tuple[Trial, ...]
    failed: tuple[str, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether every station could be used."""
        return not self.failed

    def counts(self, trials: Sequence[Trial]) -> dict[str, float]:
        """The figures of some trials."""
        good = [trial for trial in trials if trial.good]
        bad = [trial for trial in trials if not trial.good]
        verdicts = Counter(trial.verdict for trial in good)
        accepted = verdicts[Verdict.ACCEPT]
        silent = sum(trial.silent for trial in good)
        return {
            "rolls": len(good),
            "distinct": len({(trial.station, trial.image) for trial in good}),
            "accepted": accepted,
            "asked": verdicts[Verdict.ASK],
            "refused": verdicts[Verdict.REFUSE],
            "right": sum(trial.right for trial in good),
            "silent": silent,
            "silent_upper_95": round(upper_bound(silent, accepted), 6),
            "bad": len(bad),
            "bad_accepted": sum(trial.verdict is Verdict.ACCEPT for trial in bad),
            "ms_median": round(float(np.median([t.ms for t in trials])), 1) if trials else 0.0,
        }

    def by_station(self) -> Iterator[tuple[str, dict[str, float]]]:
        """Figures of each station, then of all."""
        for name in sorted({trial.station for trial in self.trials}):
            yield name, self.counts([trial for trial in self.trials if trial.station == name])
        yield "all", self.counts(self.trials)

    def facts(self) -> dict[str, Any]:
        """The report for machines."""
        wrong = [trial for trial in self.trials if trial.silent]
        bad = [t for t in self.trials if not t.good and t.verdict is Verdict.ACCEPT]
        reasons = Counter(r for t in self.trials if t.good for r in t.reasons)
        return {
            "stations": dict(self.by_station()),
            "failed": list(self.failed),
            "reasons": dict(reasons.most_common()),
            "silent": [f"{t.station}/{t.image}" for t in wrong],
            "bad_accepted": [f"{t.station}/{t.image} {' '.join(t.why_bad)}" for t in bad],
            "risk_coverage": self.risk_coverage(),
        }

    def table(self) -> str:
        """The report for people."""
        head = (
            "rolls",
            "distinct",
            "accepted",
            "asked",
            "refused",
            "silent",
            "bad",
            "bad_accepted",
        )
        lines = [f"{'station':20}" + "".join(f"{name:>13}" for name in head)]
        for name, figures in self.by_station():
            lines.append(f"{name:20}" + "".join(f"{figures[key]:>13.0f}" for key in head))
        total = self.counts(self.trials)
        lines.append(
            f"Silently wrong among accepted: {total['silent']:.0f} of {total['accepted']:.0f};"
            f" at most {100 * total['silent_upper_95']:.2f} % (95 %)."
            f" Median {total['ms_median']:.0f} ms a picture."
        )
        lines += [f"Not enrolled: {name}" for name in self.failed]
        return "\n".join(lines)

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


def evaluate(
    folders: Sequence[Path],
    per_face: int | None = None,
    variants: int = 0,
    say: Callable[[str], None] = lambda text: None,
) -> Report:
    """Enrol every recording and read all its throws and bad scenes, with ``variants`` of each."""
    trials: list[Trial] = []
    failed: list[str] = []
    for folder in folders:
        try:
            station = from_recording(folder, per_face=per_face)
        except (StationError, OSError, ValueError) as fault:
            failed.append(f"{folder.name}: {fault}")
            say(failed[-1])
            continue
        before = len(trials)
        trials += _trials(folder, station, variants)
        say(f"{folder.name}: {len(trials) - before} pictures read")
    return Report(tuple(trials), tuple(failed))


def _trials(folder: Path, station: Station, variants: int) -> Iterator[Trial]:
    for text in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line["scene"] not in ("throw", "bad"):
            continue
        picture = read_image(folder / line["image"])
        for number in range(variants + 1):
            seen = picture if number == 0 else varied(picture, number)
            yield _trial(folder.name, line, number, read_frame(seen, station, line["expect"]))


def _trial(station: str, line: Mapping[str, Any], number: int, reading: Reading) -> Trial:
    shown = sorted((d["kind"], d["face"]) for d in line["dice"] if d.get("in_tray", True))
    read = sorted((die.kind, str(die.face)) for die in reading.dice)
    return Trial(
        station,
        line["image"],
        number,
        line["scene"] == "throw",
        reading.verdict,
        shown == read,
        min((die.confidence for die in reading.dice), default=0.0),
        reading.ms,
        tuple(reason.value for reason in reading.reasons),
        tuple(line["why_bad"]),
    )


def varied(picture: Image, seed: int) -> Image:
    """The picture as a camera might have taken it a moment later: light, white, noise, focus."""
    rng = np.random.default_rng([seed, int(picture[::97, ::89].sum())])
    light = picture.astype(np.float32) * np.exp(rng.normal(0, 0.05))
    light *= np.exp(rng.normal(0, 0.015, 3)).astype(np.float32)
    light = cv2.GaussianBlur(light, (0, 0), float(rng.uniform(0.3, 0.9)))
    light += rng.normal(0, rng.uniform(1.0, 4.0), picture.shape).astype(np.float32)
    done, coded = cv2.imencode(
        ".jpg", np.clip(light, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85]
    )
    assert done
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
