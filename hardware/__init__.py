"""Cameras, buttons and lamps; Pi libraries are imported inside the back-ends."""
