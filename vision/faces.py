"""What one rectified face shows: its symbol or colour, and what speaks against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from vision.align import Poses, stretch
from vision.colours import CubeBank
from vision.diceset import Kind, Look, White
from vision.opinion import OpinionBank
from vision.patch import Image, uneven
from vision.plain import lit_part, printed, strays
from vision.reading import DieReading, Quad, Reason
from vision.relight import relit
from vision.settings import SceneSettings
from vision.station import Station
from vision.symbols import FaceBank, FaceScores

_NOWHERE: Quad = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))


@dataclass(frozen=True, slots=True)
class FaceReading:
    """A die by its face alone.

    ``likeness`` to its kind is about 0 to 1; ``stretch`` is how much longer than
    wide the print is seen, 1 for a kind without print. ``pose`` (3, 3) is where in
    the patch the print lies that is most like it.
    """

    die: DieReading
    likeness: float
    stretch: float
    pose: Poses | None = None


def read_face(patch: Image, kind: str, station: Station) -> FaceReading:
    """What a rectified face patch (PATCH, PATCH, 3) on the tray shows as a ``kind``."""
    known, settings = station.dice.kinds[kind], station.tray.settings
    match known.bank:
        case FaceBank() if printed(patch) <= station.plain or station.is_plain_body(patch):
            return FaceReading(_unknown(kind), 0.0, 1.0)  # whatever grain or edges seem to show
        case FaceBank() as bank:
            die, scores = read_symbol(patch, known, bank, partial(_displaced, settings))
            if die.face and station.is_sheen(patch, kind, die.face):
                die = die.doubted(Reason.GLARE)
            if die.face and station.marks.is_rather(patch, scores.similarity):
                return FaceReading(_unknown(kind), 0.0, 1.0)  # a cube's: for all it is like a print
            likeness = scores.similarity if scores.known else 0.2
            hinted = scores.similarity >= settings.hint
            return FaceReading(die, likeness, stretch(scores.pose), scores.pose if hinted else None)
        case CubeBank() as bank:
            die = read_colour(patch, known, bank, station.tray.white)
            if _is_plain(patch, kind, bank, die, station):
                return FaceReading(die, 0.8 * die.confidence, 1.0)
            unsure = replace(die, confidence=0.0, reasons=(Reason.COLOUR_UNSURE,))
            # Print is likelier than glare, save on a body that no printed die has.
            likely = 0.3 if station.is_body(patch, kind, die.face) else 0.1
            return FaceReading(unsure, likely * die.confidence, 1.0)


def _is_plain(patch: Image, kind: str, bank: CubeBank, die: DieReading, station: Station) -> bool:
    """Whether a face is told by its colour alone; a shadow may cross it, but not change it.

    It has no print, or its kind's own mark, on a body or of a shape that no printed die has; or
    flecks of no other hue than that body's.
    """
    settings, white = station.tray.settings, station.tray.white
    even = max(settings.even, 2 * station.bodies[kind].spread)
    varies, shown = uneven(patch), printed(patch)
    one_light = varies <= min(even, settings.uneven)
    if shown > station.plain:  # a mark, flecks or glare, where no printed die has such a body
        glare = one_light and shown <= settings.glare_share * station.faintest
        if station.is_body(patch, kind, die.face):
            if glare or station.is_marked(kind):
                return True
            flecks = varies <= settings.uneven and strays(patch, white) <= settings.mottled
            return flecks or station.marks.repeats(patch, kind)
        return station.marks.shows(patch, kind)
    if one_light:
        return True
    lit = lit_part(patch)
    parts = [bank.score(patch, white, part) for part in (lit, ~lit)]
    return all(part.sure and part.colour == die.face for part in parts)


Objects = Callable[[FaceScores], Sequence[Reason]]  # to where and how a print is seen
Told = tuple[DieReading, FaceScores]  # a symbol, and how it was told


def read_symbol(patch: Image, kind: Kind, bank: FaceBank, objects: Objects = lambda _: ()) -> Told:
    """The symbol of a patch and how it was told; unknown, or not certain, with the reason.

    Where brightness leaves a doubt and the network sees a face clearly, other views are asked:
    they count only if they are certain and the network agrees with them. Where it sees none
    clearly by brightness, print may still stand out by colour, to the network as well. What
    none of them tells for certain, the network and most views may tell together. None is certain
    where pale print beside it shows another face.
    """
    lit = relit(patch)
    die, scores = _symbol(lit, kind, bank, objects)
    if die.face and not die.reasons and kind.pale.objects(lit, die.face):
        die = replace(die.doubted(Reason.DISAGREE), confidence=min(die.confidence, 0.5))
    return die, scores


def _symbol(patch: Image, kind: Kind, bank: FaceBank, objects: Objects) -> Told:
    """The symbol of an evenly lit patch, before its pale print is looked at."""
    by_brightness = die, scores = _told(patch, kind, bank, objects)
    if not die.reasons:
        return by_brightness
    told = (_otherwise(patch, kind, scores, look, objects) for look in kind.looks)
    found = next((one for one in told if one is not None), None)
    return found or _by_most(patch, kind, bank, scores, objects) or by_brightness


def _otherwise(
    patch: Image, kind: Kind, by_brightness: FaceScores, look: Look, objects: Objects
) -> Told | None:
    """What another view tells for certain, where the network sees that face clearly, too.

    It takes more to name another face than is named by brightness, and none that that denies; and
    the other view may not be sure of another face.
    """
    opinion, views = look
    lead, settings = opinion.lead(patch), opinion.settings
    for view in views if lead >= settings.clear else ():
        die, scores = _told(patch, replace(kind, opinion=opinion), view, objects)
        overrules = lead >= settings.firm and die.confidence >= view.settings.overrule
        believed = not die.reasons and (scores.face == by_brightness.face or overrules)
        if not believed or _denied(patch, kind, by_brightness, opinion, scores):
            continue
        others = (other.score(patch) for other in kind.views if other is not view)
        if not any(seen.names_another(scores.face) for seen in others):
            return die, scores
    return None


def _denied(
    patch: Image, kind: Kind, by_brightness: FaceScores, opinion: OpinionBank, scores: FaceScores
) -> bool:
    """Whether the network by brightness sees plainly another face than ``opinion`` confirms.

    Or, where ``opinion`` is by colour but brightness shows the print as well, that face nowhere
    near.
    """
    own = kind.opinion
    if own is None:
        return False
    if own.denies(patch, scores.face):
        return True
    seen_by_both = opinion is not own and by_brightness.known
    return seen_by_both and own.on(patch, scores.face, scores.pose).strange(scores.similarity)


def _by_most(
    patch: Image, kind: Kind, bank: FaceBank, by_brightness: FaceScores, objects: Objects
) -> Told | None:
    """The face that the network sees by itself and most views name, however uncertain each is.

    They fail apart: wear and shades mislead what compares pixels, the network knows no shapes.
    Where the network sees another nearly as near through the pose that they name, all must, and
    one of them see no other face nearly as like.
    """
    face = kind.opinion.seen(patch) if kind.opinion else None
    if kind.opinion is None or face is None:
        return None
    others = [view.score(patch) for view in kind.views]
    seen = [by_brightness, *others]
    naming = [scores for scores in seen if scores.face == face]
    if 2 * len(naming) <= len(seen) or any(view.names_another(face) for view in others):
        return None
    scores = max(naming, key=lambda scores: scores.similarity)
    undecided = kind.opinion.on(patch, face, scores.pose).undecided
    if undecided and (len(naming) < len(seen) or all(scores.close for scores in naming)):
        return None
    chance = max(scores.confidence, bank.settings.accept)
    reasons = tuple(objects(scores))
    return DieReading(kind.name, face, _NOWHERE, chance, scores.alternatives, reasons), scores


def _told(patch: Image, kind: Kind, bank: FaceBank, objects: Objects) -> Told:
    """The symbol as one bank sees it, once network and ink are heard."""
    scores = bank.score(patch)
    if not scores.known:
        return _unknown(kind.name, scores.confidence, scores.alternatives), scores
    chance, objection = others_heard(patch, kind, scores)
    reasons = list(objects(scores))
    if objection:
        reasons.append(Reason.DISAGREE)
    elif chance < bank.settings.accept:
        reasons.append(Reason.AMBIGUOUS)
    ranked = scores.alternatives
    die = DieReading(kind.name, scores.face, _NOWHERE, float(chance), ranked, tuple(reasons))
    return die, scores


def others_heard(patch: Image, kind: Kind, scores: FaceScores) -> tuple[float, bool]:
    """The chance of the likeliest face once network and ink are heard; whether they object.

    Where the network agrees but sees another face nearly as near, the other views are asked too,
    and where registration does so as well, two faces are as likely; where it sees none near, it
    objects.
    """
    chance, objection, plainly = scores.confidence, False, False
    if kind.opinion is not None:
        opinion = kind.opinion.on(patch, scores.face, scores.pose)
        chance, plainly = opinion.joint(chance), opinion.plainly
        if opinion.undecided and scores.close:
            chance = min(chance, 0.5)
        objection = (
            opinion.objects
            or opinion.strange(scores.similarity)
            or (opinion.undecided and _gainsaid(patch, kind, scores.face))
        )
    if kind.inks is not None and not plainly:
        objection = objection or kind.inks.objects(patch, scores.face)
    return chance, objection


def _gainsaid(patch: Image, kind: Kind, face: str) -> bool:
    """Whether every other view of the print names another face, certain or not."""
    return bool(kind.views) and all(view.score(patch).face != face for view in kind.views)


def read_colour(patch: Image, kind: Kind, bank: CubeBank, white_bgr: White) -> DieReading:
    """The colour of a patch seen under ``white_bgr``."""
    colours = bank.score(patch, white_bgr)
    reasons = () if colours.sure else (Reason.COLOUR_UNSURE,)
    ranked = tuple(colours.alternatives)
    sure = float(colours.confidence)
    return DieReading(kind.name, colours.colour, _NOWHERE, sure, ranked, reasons)


def _unknown(
    kind: str, chance: float = 0.0, ranked: tuple[tuple[str, float], ...] = ()
) -> DieReading:
    """A die of ``kind`` whose face is none that was enrolled."""
    return DieReading(kind, None, _NOWHERE, chance, ranked, (Reason.UNKNOWN_FACE,))


def _displaced(settings: SceneSettings, scores: FaceScores) -> Sequence[Reason]:
    """What the place of a print says against its being a flat die's."""
    if stretch(scores.pose) > settings.stretch:
        return [Reason.COCKED]
    return [] if in_place(scores, settings) else [Reason.AMBIGUOUS]


def in_place(scores: FaceScores, settings: SceneSettings) -> bool:
    """Whether a print is very like an enrolled one, or seen where and as large as that is.

    Otherwise the outline was another's, a side of the die or a shadow, and the likeness chance.
    """
    if scores.similarity >= settings.surely_alike:
        return True
    level = scores.pose / scores.pose[2, 2]
    zoom = float(np.sqrt(abs(np.linalg.det(level[:2, :2]))))
    near = float(np.hypot(level[0, 2], level[1, 2])) <= settings.shift
    return near and 1 / settings.zoom <= zoom <= settings.zoom
