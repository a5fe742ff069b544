"""The first run, and the table's name; both outlive a restart."""

from __future__ import annotations

from companion.auth import KeyValues
from companion.setup.model import SetupRefused

LONGEST_NAME = 40
_FIRST_RUN, _OWN_PIN, _NAME = "first_run", "own_pin", "table_name"


class TableNames:
    """Whether this is the first run, and the name given on the screen or else in the settings."""

    def __init__(self, store: KeyValues, usual: str) -> None:
        self._store = store
        self._usual = usual
        # Read once: every page shows the name.
        self._name = store.get_setting(_NAME) or usual
        self._first_run = store.get_setting(_FIRST_RUN) == "1"

    @property
    def first_run(self) -> bool:
        """Whether the station was never set up nor told to be left as it is."""
        return self._first_run

    def begin(self) -> None:
        """From now on it is the first run, until `finish`."""
        self._store.set_setting(_FIRST_RUN, "1")
        self._first_run = True

    def finish(self) -> None:
        """The station is set up, or its people want to play as it is."""
        self._store.set_setting(_FIRST_RUN, "0")
        self._first_run = False

    @property
    def own_pin(self) -> bool:
        """Whether the dealer chose the PIN, and it is not the printed one any more."""
        return self._store.get_setting(_OWN_PIN) == "1"

    def own_pin_chosen(self) -> None:
        """The dealer has chosen a PIN."""
        self._store.set_setting(_OWN_PIN, "1")

    @property
    def name(self) -> str:
        """The table's name."""
        return self._name

    def rename(self, name: str) -> None:
        """Call the table otherwise. Raises SetupRefused."""
        cleaned = " ".join(name.split())
        if not 1 <= len(cleaned) <= LONGEST_NAME or not cleaned.isprintable():
            raise SetupRefused("bad_name", "A table's name has 1 to 40 letters.")
        self._store.set_setting(_NAME, cleaned)
        self._name = cleaned
