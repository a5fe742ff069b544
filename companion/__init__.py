"""Spike Companion: the dealer's station for real Corellian Spike tables."""

__version__ = "0.1.0"
