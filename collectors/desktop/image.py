"""The container image that a recorded desktop runs in: Debian's packages on top of the terminal's image.

    python -m worldtape.collectors.desktop.image

makes sure that it is there, and prints its name and digest.
"""

from __future__ import annotations

import sys

from worldtape.collectors.terminal.layer import Layer

PROGRAMS = ("mousepad", "thunar", "galculator")
"""The programs that are used: a text editor, a file manager, a calculator; all GTK 3, since GTK 2 does not say which of
its menus is open."""
_PACKAGES = (
    *("xvfb", "openbox", "xdotool", "dbus", "at-spi2-core"),
    *("python3", "python3-gi", "python3-xlib"),
    *("adwaita-icon-theme", "fonts-dejavu-core", "shared-mime-info", "tzdata"),
    *PROGRAMS,
)
USER = "user"
"""Who uses the desktop; the home directory is `/home/user`."""
_SCRIPT = """
id user >/dev/null 2>&1 || useradd --create-home --shell /bin/bash user
mkdir -p /tmp/.X11-unix /etc/xdg/xfce4/xfconf/xfce-perchannel-xml
details='<property name="last-view" type="string" value="ThunarDetailsView"/>'  # its icon view is mute
echo '<channel name="thunar" version="1.0">'"$details</channel>" > /etc/xdg/xfce4/xfconf/xfce-perchannel-xml/thunar.xml
"""
IMAGE = Layer(
    "worldtape/desktop",
    _PACKAGES,
    script=_SCRIPT,
    path="/usr/local/bin:/usr/bin:/bin:/usr/games",
    workdir=f"/home/{USER}",
)

__all__ = ["IMAGE", "PROGRAMS", "USER"]

if __name__ == "__main__":
    sys.exit(IMAGE.main())
