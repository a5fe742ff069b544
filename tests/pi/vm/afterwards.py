"""In the virtual machine, switched on again: the table is as it was when the plug was pulled."""

from __future__ import annotations

import sys

import station

kept = int(sys.argv[1])
print("   the station is back by itself with what it had answered for", flush=True)
station.ready()
assert station.entries() >= kept, (station.entries(), kept)
station.sound()
station.answers_to_a_press()
station.sound()
