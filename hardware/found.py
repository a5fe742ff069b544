"""Which cameras this machine has, without opening any: a camera in use stays in use."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Video nodes of a Pi that are no cameras: its codecs, scalers and the raw end of its own
# camera, which libcamera drives (Linux, drivers/media/platform, drivers/staging/vc04_services).
NO_WEBCAMS = ("bcm2835", "rpi", "pispbe", "unicam", "rp1-cfe", "hevc", "dummy video")


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """``setting`` as `hardware.camera.open_camera` takes it, ``name`` as its maker calls it."""

    setting: str
    name: str


def _picamera2() -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = importlib.import_module(
            "picamera2"
        ).Picamera2.global_camera_info()
    except Exception:  # not installed, or libcamera itself fails: then there is none to choose
        return []
    return found


def cameras(
    root: Path = Path("/"), board: Callable[[], list[dict[str, Any]]] = _picamera2
) -> tuple[FoundCamera, ...]:
    """The Pi's own cameras first, then webcams."""
    own = board()
    mine = [FoundCamera(_pi(n), str(info.get("Model", "camera"))) for n, info in enumerate(own)]
    return (*mine, *_webcams(root))


def _pi(number: int) -> str:
    return "picamera2" if number == 0 else f"picamera2:{number}"


def _webcams(root: Path) -> Iterator[FoundCamera]:
    """Nodes with index 0 give pictures; further ones of a device carry its metadata."""
    nodes = (root / "sys/class/video4linux").glob("video*")
    numbered = sorted((int(node.name[5:]), node) for node in nodes if node.name[5:].isdigit())
    for number, node in numbered:
        name = _text(node / "name")
        if _text(node / "index") in ("", "0") and not name.lower().startswith(NO_WEBCAMS):
            yield FoundCamera(f"usb:{number}", name or f"webcam {number}")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
