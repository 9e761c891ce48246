"""Desktops as text: two renderers of the same kept tree."""
