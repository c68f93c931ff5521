"""The environment that Git gets from us.

Of the variables that steer Git only those pass that say how to reach the user's settings and remotes: a
hook's ``GIT_DIR`` or ``GIT_INDEX_FILE`` would otherwise send our commands to another repository (measured).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

_KEPT = {
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"),
    *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "GIT_PROXY_COMMAND", "GIT_PROTOCOL"),
    *("GIT_ALLOW_PROTOCOL", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
    *("GIT_DEFAULT_HASH", "GIT_DEFAULT_REF_FORMAT"),
}
_KEPT_PREFIXES = ("GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_SSL_", "GIT_CURL_")

QUARANTINE = ("GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
"""What a server's pre-receive hook must hand on, or the pushed objects are invisible."""


def scrubbed(
    private_dir: Path, inherit: Sequence[str] = (), extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return an environment without prompts and optional locks, in plain English, for proofs.

    ``inherit`` names Git variables that pass all the same, ``extra`` adds to the result.
    """
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_PREFIXES) or name in inherit
    }
    env["GIT_TERMINAL_PROMPT"] = "0"
    env["GIT_OPTIONAL_LOCKS"] = "0"
    env["GIT_LITERAL_PATHSPECS"] = "1"
    # Replacements and grafts would show a history that is not the one being proved. The
    # graft file does not exist on purpose: an existing one, even empty, makes Git print advice.
    env["GIT_NO_REPLACE_OBJECTS"] = "1"
    env["GIT_GRAFT_FILE"] = str(private_dir / "no-grafts")
    env["LC_ALL"] = "C"
    env.update(extra or {})
    return env
