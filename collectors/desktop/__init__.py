"""Desktops: real programs on an X server, their accessibility trees recorded at every step."""
