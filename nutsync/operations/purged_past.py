"""What a judge has to know of purges in the history that it judges (design §9).

A purge takes the signatures off the commits that it rewrites. So an unsigned commit may be one that lost its
signature, and then what it says of itself is believed; but only where somebody answers for it with a good
signature of an enrolled device: whoever purged, for everything before the purge, and whoever followed
one, for what that device itself had not sent yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nutsync.core.advance import read_device
from nutsync.core.audit import parse_message
from nutsync.core.cell import DEVICES_DIR, device_of_path, purged_of_path
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Changes, list_commits
from nutsync.store.repo.keys import Verdict, check_signature
from nutsync.store.repo.message import Commit, parse_commit
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.rewrite import purged_ids


@dataclass
class PurgedPast:
    """The purges that the histories under judgement record, and who answers for what they rewrote.

    ``rewritten`` are commits that were rewritten here and now, with what they were before: nobody answers for
    them yet, but the signature that they had is at hand.
    """

    git: Git
    objects: Objects
    recorded: frozenset[str] = frozenset()
    rewritten: dict[str, str] = field(default_factory=dict)
    _tips: list[str] = field(default_factory=list)
    _answered: tuple[frozenset[str], dict[str, frozenset[str]]] | None = None

    def expect(self, tip: str) -> frozenset[str]:
        """Take into account what the history of ``tip`` records; return all that is recorded."""
        found = purged_ids(self.objects, tip)
        if found:
            self.recorded |= found
            self._tips.append(tip)
            self._answered = None
        return self.recorded

    def signed_as(self, commit: Commit) -> Commit:
        """Return the commit whose signature counts: its old self, where that is at hand."""
        old = self.rewritten.get(commit.oid)
        found = self.objects.read(old) if old is not None else None
        return commit if found is None else parse_commit(found.oid, found.content)

    def has_lost_signature(self, commit: Commit, changes: tuple[Changes, ...], known: frozenset[str]) -> bool:
        """Tell whether an unsigned commit may have lost its signature to a purge.

        ``known`` are the purges that its ancestors record, ``changes`` what it changes.
        """
        if not self.recorded - known - _brought(changes):
            return False
        if self._answered is None:
            self._answered = self._who_answers()
        purgers, followers = self._answered
        if commit.oid in purgers:
            return True
        return commit.oid in followers.get(parse_message(commit.message).device, ())

    def _who_answers(self) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
        """Return the commits before any purge that is signed, and by device those before its own follows."""
        words = ("--extended-regexp", "--grep=^Nutsync-Op: (purge|follow)$", *self._tips)
        found = self.git.run("rev-list", *words, "--").text().split()
        keys = self._keys()
        purges: list[str] = []
        follows: dict[str, list[str]] = {}
        for item in self.objects.read_many(found):
            if item is None:
                continue
            commit = parse_commit(item.oid, item.content)
            device = self._signer(commit, keys)
            if device is None:
                continue
            if parse_message(commit.message).op == "purge":
                purges.append(commit.oid)
            else:
                follows.setdefault(device, []).append(commit.oid)
        everything = frozenset(list_commits(self.git, purges)) if purges else frozenset()
        by_device = {
            device: frozenset(list_commits(self.git, tips, purges)) for device, tips in follows.items()
        }
        return everything, by_device

    def _signer(self, commit: Commit, keys: dict[str, str]) -> str | None:
        if commit.signature is None:
            return None
        checked = check_signature(commit.signature, commit.payload)
        return keys.get(checked.key or "") if checked.verdict is Verdict.GOOD else None

    def _keys(self) -> dict[str, str]:
        """Return the devices of the keys that the tips have enrolled and not revoked."""
        found: dict[str, str] = {}
        for tip in self._tips:
            folder = self.objects.entry(tip, DEVICES_DIR)
            names = self.objects.tree(folder.oid) if folder is not None and folder.is_tree else {}
            for file, entry in names.items():
                name = device_of_path(f"{DEVICES_DIR}/{file}")
                if name is None or entry.is_tree:
                    continue
                facts = read_device(self.objects.blob(entry.oid), name)
                if facts is not None and facts.key and not facts.revoked:
                    found[facts.key] = name
        return found


def _brought(changes: tuple[Changes, ...]) -> frozenset[str]:
    names = (purged_of_path(change.path) for each in changes for change in each if change.new)
    return frozenset(name for name in names if name is not None)
