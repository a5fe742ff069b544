"""Small trained networks, run by OpenCV: their weights come with the program."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np

from vision.patch import Floats

_log = logging.getLogger(__name__)
# OpenCV 5 has an engine of its own, and that of OpenCV 4, which takes two thirds of the time.
_ENGINE: list[int] = [cv2.dnn.ENGINE_CLASSIC] if hasattr(cv2.dnn, "ENGINE_CLASSIC") else []


class Network:
    """A trained network. One instance serves all threads."""

    def __init__(self, model: Path, shape: tuple[int, int, int], length: int) -> None:
        """For pictures of ``shape`` (channels, h, w), each answered by ``length`` numbers.

        Raises ValueError when ``model`` is absent or cannot be used.
        """
        if not model.is_file():
            raise ValueError(f"{model} is missing")
        self._busy = Lock()
        try:
            self._net: Any = cv2.dnn.readNetFromONNX(str(model), *_ENGINE)
            answer = self.seen(np.zeros((1, *shape), np.float32))
        except cv2.error as fault:
            raise ValueError(f"{model} cannot be read as a network") from fault
        if answer.shape != (1, length):
            raise ValueError(f"{model} gives {answer.shape}, not (1, {length})")

    def seen(self, pictures: Floats) -> Floats:
        """What the network answers (n, length) to pictures (n, channels, h, w)."""
        # One picture at a time: some versions of OpenCV keep the first batch size they meet.
        with self._busy:
            return np.concatenate([self._forward(picture) for picture in pictures])

    def _forward(self, picture: Floats) -> Floats:
        self._net.setInput(np.ascontiguousarray(picture[None], np.float32))
        return np.array(self._net.forward(), np.float32).reshape(1, -1)


def loaded(model: Path, shape: tuple[int, int, int], length: int, without: str) -> Network | None:
    """As `Network`; None where it cannot be used, and the log says what is done ``without`` it."""
    try:
        return Network(model, shape, length)
    except ValueError as fault:
        _log.warning("%s; %s, install again", fault, without)
        return None
