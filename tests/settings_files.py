"""Settings as a table's file says them."""

from companion.config import load


def written(tmp_path, text, **flags):
    """The settings of a file that says ``text``, and no environment."""
    file = tmp_path / "table.toml"
    file.write_text(text, encoding="utf-8")
    return load(file, environ={}, flags=flags)
