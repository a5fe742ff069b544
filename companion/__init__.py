"""Spike Companion: the dealer's station for real Corellian Spike tables."""

import os

__version__ = "0.1.0"

# The reader's matrix products are small: shared between threads, which wait for each other
# spinning, a reading takes longer and half as much again of the processor. It has to be said
# before numpy is first imported; what a person has set stays.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
