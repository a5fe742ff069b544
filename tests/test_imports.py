"""Who may import whom."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FREE = {
    "companion/bootstrap.py",
    "companion/box_wiring.py",
    "companion/machine_check.py",
    "companion/station_files.py",
    "companion/cli.py",
    "companion/watching.py",
    "companion/demo.py",
    "companion/command_lines.py",
    "companion/reader_commands.py",
    "companion/station_commands.py",
    "companion/setup/camera.py",
    "companion/setup/dice.py",
    "companion/setup/lookout.py",
    "companion/setup/tray.py",
}


def imported(source: str) -> set[str]:
    """Absolute module names a source imports, relative ones left out."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names


def faults(path: str, source: str) -> list[str]:
    """Imports that ``path`` must not have."""
    if path in FREE:
        return []
    return [name for name in sorted(imported(source)) if not allowed(path, name)]


def allowed(path: str, name: str) -> bool:
    top = name.partition(".")[0]
    if path.startswith("companion/rules/"):
        return top in sys.stdlib_module_names or name.startswith("companion.rules")
    if path.startswith("vision/"):
        return top in {"numpy", "cv2", "vision"} or top in sys.stdlib_module_names
    if path.startswith("hardware/"):
        return top not in {"companion", "vision"}
    if path.startswith("companion/web/"):
        return top not in {"sqlite3", "sqlalchemy", "cv2", "hardware"} and seam(name)
    return top not in {"cv2", "hardware"} and seam(name)


def seam(name: str) -> bool:
    """Of vision the table knows only the result types."""
    return not name.startswith("vision") or name == "vision.reading"


SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("companion", "vision", "hardware")
    for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("path", SOURCES)
def test_imports_keep_to_the_layers(path):
    assert faults(path, (ROOT / path).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("companion/rules/x.py", "import flask"),
        ("companion/rules/x.py", "from companion.table import Result"),
        ("companion/table.py", "from vision.segment import changed"),
        ("companion/web/x.py", "import cv2"),
        ("vision/x.py", "from companion import config"),
        ("hardware/x.py", "import vision.reading"),
    ],
)
def test_a_planted_violation_is_found(path, source):
    assert faults(path, source)
