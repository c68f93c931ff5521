"""The entry point: `nutsync …` and `python -m nutsync …`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from nutsync import __version__

        print(f"nutsync {__version__}")
        return 0
    if arguments[:1] == ["merge-driver"]:  # Git calls it once a file: without the parser it is twice as fast
        from nutsync.operations.driver import run_driver

        return run_driver(arguments[1:])
    from nutsync.frontends.cli.main import run_line

    return run_line(arguments)


if __name__ == "__main__":
    sys.exit(main())
