"""The entry point: `nutsync …` and `python -m nutsync …`."""

from __future__ import annotations

import gc
import io
import os
import sys

_SELDOM = 50_000
"""After how many new objects to look for rubbish that refers to itself; Python's 700 means dozens of times
while modules load, which makes none."""


def main() -> int:
    """Run the command line and return its exit code.

    At the end everything is left to the system, which takes it back at once: Python would look for
    rubbish a last time, for longer than a short command takes.
    """
    gc.set_threshold(_SELDOM)
    _speak_utf8()
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from nutsync import __version__

        print(f"nutsync {__version__}")
        return 0
    if arguments[:1] == ["verify"]:
        from nutsync.frontends.quick import answer

        said = answer(arguments)
        if said is not None:
            print(said)
            return 0
    if arguments[:1] == ["merge-driver"]:  # Git calls it once a file: without the parser it is twice as fast
        from nutsync.operations.driver import run_driver

        return run_driver(arguments[1:])
    from nutsync.frontends.cli.main import run_line

    code = run_line(arguments)
    gc.freeze()
    return code


def _speak_utf8() -> None:
    """Write UTF-8, whatever code page this system has: it is what programs read, and holds every memory.

    Whoever names another encoding gets it, with what it cannot say escaped.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
            named = os.environ.get("PYTHONIOENCODING")
            stream.reconfigure(encoding=None if named else "utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
