"""The few files of `/etc` and of a home directory that a machine cannot do without, in our own words."""

from pathlib import Path

USER = "user"
UID = 1000
HOME = "/home/user"

_SYSTEM = (
    ("root", 0, "/root", "/bin/bash"),
    ("daemon", 1, "/usr/sbin", "/usr/sbin/nologin"),
    ("bin", 2, "/bin", "/usr/sbin/nologin"),
    ("sys", 3, "/dev", "/usr/sbin/nologin"),
    ("games", 5, "/usr/games", "/usr/sbin/nologin"),
    ("man", 6, "/var/cache/man", "/usr/sbin/nologin"),
    ("lp", 7, "/var/spool/lpd", "/usr/sbin/nologin"),
    ("mail", 8, "/var/mail", "/usr/sbin/nologin"),
    ("www-data", 33, "/var/www", "/usr/sbin/nologin"),
    ("backup", 34, "/var/backups", "/usr/sbin/nologin"),
    ("nobody", 65534, "/nonexistent", "/usr/sbin/nologin"),
)
_GROUPS = (
    *(("root", 0), ("daemon", 1), ("bin", 2), ("sys", 3), ("adm", 4), ("tty", 5), ("disk", 6), ("lp", 7), ("mail", 8)),
    *(("man", 12), ("kmem", 15), ("dialout", 20), ("sudo", 27), ("www-data", 33), ("backup", 34), ("shadow", 42)),
    *(("utmp", 43), ("video", 44), ("staff", 50), ("games", 60), ("users", 100), (USER, UID), ("nogroup", 65534)),
)
_PROFILE = """\
# System-wide settings of login shells.
if [ "$(id -u)" -eq 0 ]; then
  PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
else
  PATH="/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
fi
export PATH
if [ -n "$BASH_VERSION" ] && [ -r /etc/bash.bashrc ]; then
  . /etc/bash.bashrc
fi
"""
_BASHRC = """\
# Settings of interactive shells.
[ -z "$PS1" ] && return
shopt -s checkwinsize
PS1='\\u@\\h:\\w\\$ '
"""
_HOME_BASHRC = """\
# Settings of this user's interactive shells.
HISTCONTROL=ignoreboth
shopt -s histappend
alias ll='ls -alF'
"""
_HOME_PROFILE = """\
# Settings of this user's login shells.
if [ -n "$BASH_VERSION" ] && [ -f "$HOME/.bashrc" ]; then
  . "$HOME/.bashrc"
fi
"""
_NSSWITCH = (
    "passwd: files\ngroup: files\nshadow: files\nhosts: files\nnetworks: files\nprotocols: files\nservices: files\n"
)

BOUND = (
    *("alternatives", "debian_version", "ld.so.cache", "locale.alias", "lsb-release", "protocols"),
    *("redhat-release", "services", "terminfo"),
)
"""Names below the machine's own `/etc` that are shown as they are: programs do not run without them, or nobody edits
them.
"""


def files(hostname: str) -> dict[str, str]:
    """Return path to text of everything that is written afresh."""
    passwd = [f"{name}:x:{uid}:{uid}:{name}:{home}:{shell}" for name, uid, home, shell in _SYSTEM]
    passwd[-1] = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin"
    passwd.append(f"{USER}:x:{UID}:{UID}:,,,:{HOME}:/bin/bash")
    return {
        "/etc/passwd": "\n".join(passwd) + "\n",
        "/etc/group": "".join(f"{name}:x:{gid}:\n" for name, gid in _GROUPS),
        "/etc/hostname": f"{hostname}\n",
        "/etc/hosts": f"127.0.0.1\tlocalhost\n127.0.1.1\t{hostname}\n::1\tlocalhost ip6-localhost ip6-loopback\n",
        "/etc/nsswitch.conf": _NSSWITCH,
        "/etc/host.conf": "multi on\n",
        "/etc/resolv.conf": "",
        "/etc/shells": "/bin/sh\n/bin/bash\n/usr/bin/bash\n",
        "/etc/profile": _PROFILE,
        "/etc/bash.bashrc": _BASHRC,
        "/etc/environment": "",
        "/etc/fstab": "",
        "/etc/timezone": "Etc/UTC\n",
        "/etc/issue": _issue(),
        "/etc/ld.so.conf": "include /etc/ld.so.conf.d/*.conf\n",
        "/etc/nanorc": '# Settings of nano.\ninclude "/usr/share/nano/*.nanorc"\n',
        "/etc/vim/vimrc": '" Settings of vim.\nruntime! debian.vim\n',
        "/etc/vim/vimrc.tiny": '" Settings of a small vim.\nset compatible\n',
        "/etc/login.defs": "UMASK 022\nUID_MIN 1000\nUID_MAX 60000\n",
        f"{HOME}/.bashrc": _HOME_BASHRC,
        f"{HOME}/.profile": _HOME_PROFILE,
    }


def _issue() -> str:
    release = Path("/usr/lib/os-release")
    lines = release.read_text().splitlines() if release.is_file() else []
    names = [line.partition("=")[2].strip('"') for line in lines if line.startswith("PRETTY_NAME=")]
    return f"{names[0] if names else 'Linux'} \\n \\l\n\n"
