"""What commands about pictures have in common: JSON lines out, words on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vision.patch import Image
from vision.station import StationError, read_image

USAGE = 2  # the exit status where the command cannot be done as given
UNREADABLE = 3  # the exit status where an input could not be read


def say(line: dict[str, Any]) -> None:
    """One result on standard output."""
    print(json.dumps(line), flush=True)


def warn(sentence: object) -> None:
    """What a person should know, on standard error."""
    print(f"companion: {sentence}", file=sys.stderr)


def complain(fault: object) -> int:
    """Say what could not be read; the exit status for it."""
    warn(fault)
    return UNREADABLE


def pictures(paths: Sequence[Path]) -> Iterator[tuple[Path, Image | StationError]]:
    """Every file with its picture (h, w, 3) or why there is none."""
    for path in paths:
        try:
            yield path, read_image(path)
        except StationError as fault:
            yield path, fault
