"""What arming changed in a repository, and what was there before (design §7: uninstall restores it)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nutsync.store.files import read_if_there, write_atomic
from nutsync.store.repo.git import Git

_FILE = "armed.json"


@dataclass
class Manifest:
    """What was installed, and the settings' values before.

    ``folder`` is where the user's hooks are; ``before`` the same as `core.hooksPath` said it, empty where
    shims stand in the repository's own folder. ``options`` maps each setting of ours to the values that the
    clone's own configuration had for it.
    """

    folder: str = ""
    before: str = ""
    hooks: list[str] = field(default_factory=list)
    options: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, git: Git) -> Manifest:
        """Return what the repository's manifest says; an empty one where it has none."""
        import json

        content = read_if_there(_path(git))
        if content is None:
            return cls()
        try:
            return cls(**json.loads(content))
        except (ValueError, TypeError):
            return cls()

    def write(self, git: Git) -> None:
        """Keep the manifest in the repository."""
        import json

        write_atomic(_path(git), json.dumps(vars(self), indent=1).encode())

    def set_options(self, git: Git, wanted: Mapping[str, str]) -> None:
        """Give the clone these settings, and take back those of ours that are not wanted any more."""
        for key in [key for key in self.options if key not in wanted]:
            self._undo(git, key)
        for key, value in wanted.items():
            had = own_values(git, key)
            self.options.setdefault(key, had)
            if had != [value]:
                git.set_config(key, value)

    def undo_options(self, git: Git) -> None:
        """Give every setting of ours back the values that it had."""
        for key in list(self.options):
            self._undo(git, key)

    def _undo(self, git: Git, key: str) -> None:
        before = self.options.pop(key)
        if own_values(git, key) == before:
            return
        git.set_config(key, None)
        for value in before:
            git.run("config", "--local", "--add", key, value)


def own_values(git: Git, key: str) -> list[str]:
    """Return every value of a setting in the clone's own configuration."""
    said = git.run("config", "--local", "--null", "--get-all", key, check=False)
    return said.out.decode("utf-8", "surrogateescape").split("\0")[:-1] if said.code == 0 else []


def _path(git: Git) -> Path:
    return git.private_dir / "hooks" / _FILE
