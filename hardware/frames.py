"""What every camera gives, and how it says that it gives nothing."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
FPS = 15.0
SIZE = (1280, 960)  # width, height in pixels of the picture that is read


class CameraError(Exception):
    """No pictures are coming and none will; the message says why and what to do.

    ``text`` is a template for ``values``, so that a screen can say it in its own language.
    """

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text.format_map(values) if values else text)
        self.text = text
        self.values = values


class CameraLost(CameraError):  # noqa: N818 - a state of the camera, not a fault of the program
    """No pictures for now: unplugged, busy or silent. Calling ``frames()`` again opens it anew."""


class CameraStuck(CameraError):  # noqa: N818 - likewise
    """The driver does not even let go; only a restart of the program frees the camera."""


@dataclass(frozen=True, slots=True)
class Frame:
    """``bgr`` (H, W, 3) uint8; ``t`` in seconds of a clock that never goes back.

    ``luma`` (h, w) uint8 is the camera's own small grey picture of the same moment,
    where it makes one; it is for seeing motion, not for reading.
    """

    bgr: Image
    t: float
    seq: int
    luma: Image | None = None


class Camera(Protocol):
    """Where frames come from. Nothing is opened before ``frames()`` is iterated."""

    def frames(self) -> Generator[Frame, None, None]:
        """Open the device and give frames until the camera is closed; lets go of it at the end.

        Raises CameraLost when trying again later may help, another CameraError when not.
        """

    def close(self) -> None:
        """Stop for good, from any thread; the thread in ``frames()`` lets go of the device."""
