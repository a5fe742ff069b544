"""Pixels in, readings out: the dice reader (numpy and OpenCV only)."""
