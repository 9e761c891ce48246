"""A program of its own: give every signal its default meaning, block none, and become a command.

    python -I -S _default.py NENV [NAME=VALUE …] COMMAND [ARGUMENT …]

It imports nothing of ours, so that it starts in milliseconds. The environment comes as words, since Python would add
the locale that it takes for itself.
"""

import _signal  # type: ignore[import-not-found] # what `signal` wraps; that takes twice the time to import
import os
import sys

_UNTOUCHED = (_signal.SIGKILL, _signal.SIGSTOP)


def defaults() -> None:
    """Undo what was ignored or blocked when this process was started, and what Python ignores."""
    for number in _signal.valid_signals():
        if number not in _UNTOUCHED:
            _signal.signal(number, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())


def main(words: list[str]) -> None:
    """Become the command."""
    count = int(words[0])
    env = dict(word.split("=", 1) for word in words[1 : 1 + count])
    argv = words[1 + count :]
    defaults()
    try:
        os.execvpe(argv[0], argv, env)  # noqa: S606 - the caller's own words
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main(sys.argv[1:])
