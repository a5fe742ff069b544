"""How long the camera's lens is, from how much of their sides lying dice show.

A camera straight above sees no lines meet, so the view of the floor says next to nothing of
its focal length; yet on that depends how far away it is, and so which sides of a die it sees
anywhere but right below it. Dice pictured one by one to be learnt lie flat for certain:
the lens whose outlines of their bodies cover what changed and no more is the likeliest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.squares import Square
from vision.station import Body
from vision.topface import Shot
from vision.tray import Tray
from vision.viewpoint import Lens

FOCALS = np.geomspace(0.7, 4.6, 11)  # widths of the picture
BETWEEN = np.geomspace(FOCALS[0], FOCALS[-1], 81)
# Faces' areas by which an outline is off, as a log chance: chosen on stations marked dev, where
# dice were off alike, so that many say little more than some.
EACH, MOST = 19.0, 150.0  # of one die, and of all together


def learnt_lens(tray: Tray, shots: Sequence[Shot], tops: Sequence[Square], body: Body) -> Lens:
    """The lens by the dice in ``shots``, one in each, whose faces are seen at ``tops``.

    What other dice told before counts too.
    """
    corners = [body.true_top(top, tray) for top in tops]
    areas = np.array([top.side**2 for top in tops])

    def unlike(focal: float) -> float:
        """By how much the dice differ from what changed, seen through such a lens: mean, in faces.

        Tops are as large as they are seen: millimetres are not known so well.
        """
        through = replace(tray, lens=Lens(focal))
        size_mm = body.size_mm * tray.enlargement(body.size_mm) / through.enlargement(body.size_mm)
        bodies = [through.body(top, size_mm) for top in corners]
        off = [shot.unlike(one) for shot, one in zip(shots, bodies, strict=True)]
        return float(np.mean(off / areas))

    told = np.array([unlike(float(focal)) for focal in FOCALS])
    dice = len(shots)
    if tray.lens is not None and len(tray.lens.told) == len(FOCALS):
        before = tray.lens.dice
        told = (told * dice + np.array(tray.lens.told) * before) / (dice + before)
        dice += before
    off = np.interp(np.log(BETWEEN), np.log(FOCALS), told)
    doubts = min(EACH * dice, MOST) * off + [tray.misfit(focal) / 2 for focal in BETWEEN]
    focal = BETWEEN[int(np.argmin(doubts))]
    return Lens(float(focal), tuple(round(float(value), 5) for value in told), dice)
