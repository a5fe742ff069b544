"""What runs only in the chroot or the virtual machine still names things that are there."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SCRIPTS = sorted([*HERE.glob("chroot/*.py"), *HERE.glob("vm/*.py")])


def missing(source: str) -> list[str]:
    """Names that ``source`` imports of this program and that are not there."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in nodes if (node.module or "").startswith(PACKAGES)]
    return [
        f"{node.module}.{alias.name}"
        for node in ours
        for alias in node.names
        if not hasattr(importlib.import_module(node.module or ""), alias.name)
    ]


PACKAGES = ("companion", "vision", "hardware")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_name_is_there(script):
    assert missing(script.read_text()) == []


def test_a_name_that_moved_would_be_found():
    source = "from vision.station import from_recording\nfrom vision.reader import Watcher\n"
    assert missing(source) == ["vision.station.from_recording"]


def test_the_program_that_fills_the_table_in_the_machine_names_what_is_there():
    tree = ast.parse((HERE / "vm" / "station.py").read_text())
    (fill,) = (node.value for node in tree.body if _named(node) == "FILL")
    text = "".join(str(getattr(part, "value", "x")) for part in fill.values)
    assert "import TableService" in text
    assert missing(text) == []


def _named(node: ast.stmt) -> str:
    return node.targets[0].id if isinstance(node, ast.Assign) else ""
