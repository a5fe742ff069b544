"""A small network's sight of whether a die leans.

It was trained on drawn stations alone (`fixtures/studio/train_leaning.py`). Where its weights are
absent, the other evidence decides as it did before there was a network.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from vision.leaning import Explained, Standing
from vision.leaning_view import CHANNELS, SIDE, view
from vision.network import Network, loaded

MODEL = Path(__file__).parent / "models" / "leaning.onnx"


@cache
def network() -> Network | None:
    """The network, or None where its weights are absent or damaged; the log says so once."""
    return loaded(MODEL, (CHANNELS, SIDE, SIDE), 1, "dice are told to lean without it")


def sight(die: Standing, explained: Explained) -> float | None:
    """The log odds that ``die`` leans as it is ``explained``; None without a network.

    Its view and the mirror image of it are the same question: the mean of both answers.
    """
    net = network()
    if net is None:
        return None
    seen = view(die, explained)
    return float(net.seen(np.stack([seen, seen[:, ::-1]])).mean())
