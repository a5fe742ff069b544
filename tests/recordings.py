"""Where the recorded stations lie."""

from pathlib import Path

SESSIONS = Path(__file__).parents[1] / "fixtures" / "sessions"
RECORDING = SESSIONS / "cantina-felt"  # the demo's
