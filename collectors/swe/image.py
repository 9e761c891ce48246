"""The image that repositories live in: a terminal's own, with Python's whole library and pytest.

    python -m worldtape.collectors.swe.image

makes sure that it is there, and prints its name and digest.
"""

from __future__ import annotations

import sys

from worldtape.collectors.terminal.layer import Layer

IMAGE = Layer("worldtape/swe", ("make", "patch", "python3", "python3-pytest", "ripgrep"))

__all__ = ["IMAGE"]

if __name__ == "__main__":
    sys.exit(IMAGE.main())
