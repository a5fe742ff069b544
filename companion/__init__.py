"""Spike Companion: the dealer's station for real Corellian Spike tables."""

import os

__version__ = "0.1.0"

# What the reader gives to numpy and OpenCV is small: shared between threads, which wait for
# each other spinning, a reading takes no less time and half as much again of the processor. It
# has to be said before either is first imported; what a person has set stays.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")
