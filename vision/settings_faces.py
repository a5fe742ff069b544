"""Thresholds of the face and colour readers; all were chosen on pictures that judge nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FaceSettings:
    """How the pictures on faces are compared and how sure is sure."""

    local: float = 9.0  # sigma in patch pixels of the local light level that is taken out
    floor: float = 0.3  # of the picture's contrast: flat areas are not blown up into noise

    dark: float = 12.0  # grey levels added before logarithms: blackness is mostly noise
    grain: float = 0.004  # of the logarithms, that the smoothest body varies by
    stroke: int = 15  # side in patch pixels, odd, of the median that shows strokes
    usual: float = 3.0  # times what the body varies by: less is no print

    coarse: int = 16  # side in pixels of the pictures compared at every rotation
    turns: int = 48  # rotations tried by the coarse search
    scales: tuple[float, ...] = (0.87, 1.0, 1.15)
    shift: float = 0.10  # of half a patch: step of the 3 x 3 shifts tried
    poses: int = 3  # coarse poses of each prototype that are refined
    rough: int = 28  # side in pixels of the first refinement
    rough_steps: int = 5
    fine: int = 40  # side in pixels of the last refinement and of the comparison
    fine_steps: int = 4

    slant_steps: int = 8  # to measure how the likeliest picture is stretched

    # How the likeliest picture is seen deformed (vision.foreshortening).
    measured_reach: float = 0.70  # of half a patch: no rim of the body, prints lie off it a little
    measured_steps: int = 8
    measured_damping: float = 0.001
    size_error: float = 0.006  # of the length: the tray and the enrolled picture are no better
    shape_error: float = 0.004  # of half of what it is longer than wide

    strain_cost: float = 0.25  # of similarity, for a pose one half patch from a quarter turn

    merge: float = 0.60  # exemplars at least this alike are averaged into one prototype
    prototypes: int = 3  # kept for each face at most
    rivals: int = 3  # likeliest faces compared with the others by their differences
    far_behind: float = 0.4  # in similarity: such a face is no rival

    known: float = 0.50  # similarity below which a picture is none of the enrolled
    close: float = 0.08  # margin below which another face is nearly as like
    accept: float = 0.98  # confidence from which a face need not be asked about
    overrule: float = 0.99  # confidence from which another view names another face than brightness
    # Logistic fit of "the likeliest face is right" on photographs judged by none of the tests.
    log_odds: tuple[float, float, float] = (10.5, 9.0, -4.5)  # of margin, similarity, constant
    look_alike: float = 0.70  # enrolled faces at least this alike are reported
    coverage: float = 0.45  # part of the prototype that must lie inside the patch


@dataclass(frozen=True, slots=True)
class PaleSettings:
    """When print beside darker print is pale, and seen at all (`vision.pale`)."""

    around: int = 31  # side in patch pixels, odd, of the median that shows the body
    stands_out: float = 8.0  # times what the body varies by: less is no print
    least: float = 2.0  # grey levels that print stands out by at least
    dark: float = 0.4  # of the strongest print: what stands out less is pale
    edge: int = 7  # side in patch pixels, odd, of what is left out around dark print
    share: float = 0.002  # of a face, that must be pale print to be heard


@dataclass(frozen=True, slots=True)
class ShadowSettings:
    """When a line across a face is taken for a shadow's edge. Brightness is in logarithms."""

    explained: float = 0.2  # of a face's variation, that one step across it must explain
    tried: int = 4  # edges that explain most
    least: float = 0.4  # of a step: weaker shadows harm no reading
    left: float = 0.65  # of a face's variation, that may be left without the step
    at_rim: float = 0.6  # of the step, that the rim of the face must show: there is no print
    most: int = 3  # edges in one face


@dataclass(frozen=True, slots=True)
class ColourSettings:
    """How cube colours are compared, in units of the opponent plane (pure red is about 1.5)."""

    tinted: float = 0.8  # of a light's strongest colour that it has of each, likely
    dark: float = 0.06  # of the white reference: darker pixels are mostly noise
    clipped: float = 250.0  # grey level from which a channel may have had more light than it shows
    short: float = 0.75  # of the strongest channel: a clipped one that shows less has had more
    pale: float = 0.45  # of an enrolled colourfulness: a face with less may be tinted glare
    told: float = 0.4  # of a face's pixels that must tell a colour for it to be sure
    least_weight: float = 0.01  # of a colourless pixel: lets white and black cubes work too
    strength_share: float = 0.35  # of colourfulness in the distance; hue counts in full
    light_share: float = 0.25  # of lightness in the distance
    grain: float = 0.03  # distances below this are alike
    steepness: float = 3.0  # of the probability with the ratio of distances
    sure: float = 0.90  # probability from which a colour need not be asked about
    furthest: float = 0.45  # distance from which a colour is none of the enrolled


@dataclass(frozen=True, slots=True)
class InkSettings:
    """How the colours of prints are compared, in units of CIE L*a*b*."""

    light_share: float = 0.15  # of a lightness difference in the distance: shadows change it
    share: float = 0.6  # of the strongest difference from the body: such pixels are print
    alike: float = 9.0  # distances below this are the same ink
    clearly: float = 2.0  # times nearer another ink must be to object


@dataclass(frozen=True, slots=True)
class OpinionSettings:
    """When the network's opinion counts; leads are differences of cosines."""

    least: float = 0.03  # lead below which it objects: both opinions must name the same face
    undecided: float = 0.07  # lead below which other views may object
    near: float = 0.58  # mean cosine below which a picture is none of the enrolled
    exact: float = 0.9  # save where registration finds it so like one
    hardly: float = 0.75  # likeness below which registration is no witness against the network
    hardly_near: float = 0.62  # mean cosine below which a picture so little like one is none,
    by_far: float = 0.25  # save with such a plain lead
    posed: float = 0.4  # lead that a patch needs which looks like another face as it was cut
    clear: float = 0.05  # plain lead from which other views are asked where brightness doubts
    plainly: float = 0.15  # and from which inks are not: they objected wrongly there
    sees_near: float = 0.70  # cosine as cut from which it names a face that most views name, too,
    sees_lead: float = 0.07  # and plain lead, however uncertain each of them is
    firm: float = 0.1  # plain lead with which it may side with another view against brightness
    weight: float = 12.0  # of the plain lead in the log odds
    most: float = 0.2  # lead beyond which it lends no more: registration must be near sure too


# Seen by colour, faces lie nearer to each other, where little colour tells them from the body;
# and what is asked then was doubtful before: a strange face is to be no more likely than it was,
# and inks are always asked.
HUED = OpinionSettings(clear=0.15, firm=0.15, near=0.60, plainly=2.0)
