"""Fetching from a remote and pushing to it (design §8.3, §8.7): no question is ever asked.

What comes in lands in ``refs/nutsync/incoming/``, beside the branch and never in it. What goes out names
for each ref what the remote is thought to hold, so that nothing of anybody else is overwritten. A remote
that cannot be used is a named error; a ref that it refuses is an :class:`Outcome`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from nutsync.core.errors import (
    ErrName,
    ErrNoRemote,
    ErrOffline,
    ErrRemote,
    ErrRemoteDeclined,
    ErrUnrelated,
    ErrVetoed,
    NutsyncError,
)
from nutsync.core.names import check_device
from nutsync.core.progress import Progress
from nutsync.store.repo.address import Transport, check_address, network_environment, remote_address
from nutsync.store.repo.git import Git, Result
from nutsync.store.repo.refs import HEADS, branch_ref, check_ref, is_oid, may_have_refs, resolve_ref
from nutsync.store.repo.refusals import Outcome, push_outcome, remote_failure, said_by_git, said_by_server
from nutsync.store.repo.talk import Patience, talk

DEFAULT_REMOTE = "origin"

INCOMING = "refs/nutsync/incoming/"
"""Where what a remote holds is kept until it is judged; it mirrors the remote's names below ``refs/``."""

DEVICES = "refs/nutsync/devices/"
"""Where a device leaves its entries at the remote while the branch is contended."""

_QUICK = Patience(idle=60.0, whole=120.0)


def device_ref(device: str) -> str:
    """Return the ref at the remote that ``device`` alone writes."""
    return f"{DEVICES}{check_device(device)}"


def incoming_ref(ref: str) -> str:
    """Return the ref here that mirrors the remote's ``ref`` (a branch or a device's)."""
    if ref.startswith(DEVICES):
        return f"{INCOMING}devices/{ref.removeprefix(DEVICES)}"
    return f"{INCOMING}heads/{check_ref(ref).removeprefix(HEADS)}"


# --- Looking --------------------------------------------------------------------------------------


class RemoteRefs(NamedTuple):
    """What a remote holds: object ids by full ref name, and the branch that its HEAD names, if any."""

    refs: Mapping[str, str]
    default_branch: str | None = None

    def branch(self, branch: str) -> str | None:
        """Return the tip of a branch, or None."""
        return self.refs.get(branch_ref(branch))

    def devices(self) -> dict[str, str]:
        """Return the tips that devices left there, by device; refs that no device can have are left out."""
        return _devices(self.refs, DEVICES)


def list_remote(git: Git, remote: str = DEFAULT_REMOTE, *, patience: Patience = _QUICK) -> RemoteRefs:
    """Return what ``remote`` (a name, or an address) holds. Raises the named errors of a remote."""
    address, transport = _reach(git, remote)
    words = [
        "ls-remote",
        "--quiet",
        "--symref",
        "--end-of-options",
        address,
        "HEAD",
        f"{HEADS}*",
        f"{DEVICES}*",
    ]
    said = _talk(git, words, transport, patience)
    refs: dict[str, str] = {}
    default = None
    for line in said.out.decode("utf-8", "surrogateescape").splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: ") and name == "HEAD":
            default = value.removeprefix("ref: ").removeprefix(HEADS)
        elif is_oid(value) and name.startswith("refs/"):
            refs[name] = value
    return RemoteRefs(refs, default)


# --- Fetching -------------------------------------------------------------------------------------


class Incoming(NamedTuple):
    """What a fetch found: the tip of the branch, or None, and what devices left, by device.

    ``strange`` are names below ``refs/nutsync/devices/`` that no device left: no commit, or no device's name.
    """

    branch: str | None
    devices: Mapping[str, str] = MappingProxyType({})
    strange: tuple[str, ...] = ()


def fetch(
    git: Git,
    branch: str,
    remote: str = DEFAULT_REMOTE,
    *,
    patience: Patience | None = None,
    progress: Progress | None = None,
) -> Incoming:
    """Fetch ``branch`` and the devices' refs into ``refs/nutsync/incoming/``, all of them or none.

    No tags come along, nothing is packed or tidied meanwhile, and what the remote no longer has goes from
    ``incoming``. A remote without that branch (a new one) is none of the errors. Git unpacks a small
    transfer without a word, however long it takes: so one that was given up in the middle is asked for
    once more in the way that shows its progress. Raises the named errors of a remote and
    :class:`ErrVetoed` where a hook of this clone stops it.
    """
    patience = patience or Patience()
    _, transport = _reach(git, remote)
    ref = branch_ref(branch)
    begun: list[str] = []

    def hear(words: str) -> None:
        begun.append(words)
        if progress is not None:
            progress(words)

    def ask(*refs: str) -> Result:
        try:
            return _talk(git, _fetch_words(remote, refs), transport, patience, hear, check=False)
        except ErrOffline:
            if not begun:
                raise
            # A line may be slow and alive: once more, and so that Git says how far it is.
            words = ["-c", "fetch.unpackLimit=1", *_fetch_words(remote, refs)]
            return _talk(git, words, transport, patience, hear, check=False)

    said = ask(ref, f"{DEVICES}*")
    if said.code and f"couldn't find remote ref {ref}" in said.err:
        drop_incoming(git, [ref])
        said = ask(f"{DEVICES}*")
    if said.code:
        raise remote_failure("fetch", said.code, said.err)
    return incoming(git, branch)


def _fetch_words(remote: str, refs: Iterable[str]) -> list[str]:
    return [
        *("-c", "fetch.writeCommitGraph=false", "fetch", "--atomic", "--prune", "--no-tags", "--no-auto-gc"),
        *("--no-write-fetch-head", "--no-recurse-submodules", "--progress", "--end-of-options", remote),
        *(f"+{ref}:{incoming_ref(ref)}" for ref in refs),
    ]


def incoming(git: Git, branch: str) -> Incoming:
    """Return what the last fetch found, without asking the remote."""
    if not may_have_refs(git, f"{INCOMING}devices/"):  # as a rule no device left anything
        return Incoming(resolve_ref(git, incoming_ref(branch_ref(branch))))
    found, prefix = _listed(git, INCOMING), f"{INCOMING}devices/"
    refs = {name: oid for name, oid, kind in found if kind == "commit"}
    devices = _devices(refs, prefix)
    left = (name.removeprefix(prefix) for name, _, _ in found if name.startswith(prefix))
    strange = tuple(name for name in left if name not in devices)
    return Incoming(refs.get(incoming_ref(branch_ref(branch))), devices, strange)


def drop_incoming(git: Git, refs: Iterable[str] | None = None) -> None:
    """Delete what mirrors these refs of the remote from this clone; everything incoming when None."""
    names = [name for name, _, _ in _listed(git, INCOMING)]
    wanted = set(names) if refs is None else {incoming_ref(ref) for ref in refs}
    lines = "".join(f"delete {name}\0\0" for name in names if name in wanted)
    if lines:
        git.run_patiently("update-ref", "-z", "--stdin", input=lines.encode())


def _listed(git: Git, prefix: str) -> list[tuple[str, str, str]]:
    """Return the refs below ``prefix``: name, id, and what kind of object it is."""
    said = git.run("for-each-ref", "--format=%(refname) %(objectname) %(objecttype)", prefix).text()
    return [(name, oid, kind) for name, oid, kind in (line.rsplit(" ", 2) for line in said.splitlines())]


def _devices(refs: Mapping[str, str], prefix: str) -> dict[str, str]:
    found = {}
    for ref, oid in refs.items():
        if ref.startswith(prefix):
            try:
                found[check_device(ref.removeprefix(prefix))] = oid
            except ErrName:
                continue
    return found


def fetch_every_ref(
    git: Git, remote: str = DEFAULT_REMOTE, *, patience: Patience | None = None
) -> list[tuple[str, str, str, str | None]]:
    """Fetch every branch and tag of ``remote`` below ``incoming``, for who has to rewrite them all.

    Returns, for each, its name there, its kind, its id, and the commit behind it (None: no commit). Raises
    the named errors of a remote. :func:`drop_incoming` lets go of them.
    """
    _, transport = _reach(git, remote)
    folders = {HEADS: f"{INCOMING}every/heads/", "refs/tags/": f"{INCOMING}every/tags/"}
    words = [
        *("-c", "fetch.writeCommitGraph=false", "fetch", "--atomic", "--prune", "--no-tags", "--no-auto-gc"),
        *("--no-write-fetch-head", "--no-recurse-submodules", "--progress", "--end-of-options", remote),
        *(f"+{theirs}*:{ours}*" for theirs, ours in folders.items()),
    ]
    _talk(git, words, transport, patience or Patience())
    form = "%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)"
    found: list[tuple[str, str, str, str | None]] = []
    for line in git.run("for-each-ref", f"--format={form}", f"{INCOMING}every/").text().split("\n"):
        if line:
            name, kind, oid, behind, behind_oid = line.split("\0")
            theirs = next(name.replace(o, t, 1) for t, o in folders.items() if name.startswith(o))
            commit = oid if kind == "commit" else (behind_oid if behind == "commit" else None)
            found.append((theirs, kind, oid, commit))
    return found


def require_related(git: Git, ours: str, theirs: str) -> None:
    """Raise :class:`ErrUnrelated` where the two commits have no ancestor in common (design §9)."""
    if git.run("merge-base", "--end-of-options", ours, theirs, check=False).code == 1:
        raise ErrUnrelated(
            "The remote holds a history that has nothing in common with this one.",
            hint="Look at the remote's address. To join two memories, import one into the other.",
        )


# --- Pushing --------------------------------------------------------------------------------------


class RefPush(NamedTuple):
    """One ref to change at the remote.

    ``new`` is a commit id, or None to delete the ref. Without a lease the ref may only move forward.
    With ``lease``, what the remote is thought to hold (an id, or "" for nothing), it may move anywhere,
    provided that is what it holds.
    """

    ref: str
    new: str | None
    lease: str | None = None


class Pushed(NamedTuple):
    """What became of a push: an outcome a ref, why (in Git's words), and what the server said."""

    outcomes: Mapping[str, Outcome]
    reasons: Mapping[str, str]
    server: str = ""

    @property
    def done(self) -> bool:
        return all(outcome in (Outcome.DONE, Outcome.UP_TO_DATE) for outcome in self.outcomes.values())

    @property
    def contended(self) -> bool:
        """Whether a fetch and another try may cure all that was refused."""
        refused = set(self.outcomes.values()) - {Outcome.DONE, Outcome.UP_TO_DATE}
        return refused == {Outcome.CONTENDED}

    def require_accepted(self) -> None:
        """Raise :class:`ErrRemoteDeclined` where a rule or hook of the remote refused a ref."""
        for ref, outcome in self.outcomes.items():
            if outcome in (Outcome.DECLINED, Outcome.FORBIDDEN):
                said = f"\n{self.server}" if self.server else ""
                raise ErrRemoteDeclined(
                    f"The remote refused {ref}: {self.reasons[ref]}; nothing is lost here.{said}"
                )


def push(
    git: Git,
    pushes: Sequence[RefPush],
    remote: str = DEFAULT_REMOTE,
    *,
    patience: Patience | None = None,
    progress: Progress | None = None,
    hooks: bool = True,
) -> Pushed:
    """Push each ref and return what became of it; one that is refused does not hold up the others.

    ``hooks`` off skips this clone's pre-push hook. Raises the named errors of a remote, and
    :class:`ErrVetoed` where a hook of this clone stopped the push.
    """
    _, transport = _reach(git, remote)
    leases = [
        f"--force-with-lease={check_ref(each.ref)}:{each.lease}" for each in pushes if each.lease is not None
    ]
    words = [
        *("push", "--porcelain", "--progress", "--no-follow-tags", "--no-recurse-submodules"),
        *(() if hooks else ("--no-verify",)),
        *leases,
        *("--end-of-options", remote),
        *(f"{_source(each)}:{check_ref(each.ref)}" for each in pushes),
    ]
    said = _talk(git, words, transport, patience or Patience(), progress, check=False)
    outcomes, reasons = _parse_porcelain(said.out.decode("utf-8", "replace"))
    if said.code and not outcomes:
        raise _push_failure(said)
    for each in pushes:
        outcomes.setdefault(each.ref, Outcome.CONTENDED)
        reasons.setdefault(each.ref, "the remote did not say what became of it")
    return Pushed(outcomes, reasons, said_by_server(said.err))


def push_device(git: Git, device: str, new: str | None, remote: str = DEFAULT_REMOTE) -> Pushed:
    """Leave ``new`` at the remote under this device's own ref, or with None take it away again.

    The lease is what the last fetch saw there. Errors as for :func:`push`.
    """
    ref = device_ref(device)
    seen = resolve_ref(git, incoming_ref(ref)) or ""
    if new is None and not seen:
        return Pushed({ref: Outcome.UP_TO_DATE}, {})
    return push(git, [RefPush(ref, new, seen)], remote, hooks=False)


def _source(each: RefPush) -> str:
    if each.new is None:
        return ""
    if not is_oid(each.new):
        raise ValueError("a push names a commit by its id")
    return each.new


def _parse_porcelain(out: str) -> tuple[dict[str, Outcome], dict[str, str]]:
    """Read the lines ``flag TAB from:to TAB summary``; where a remote has two addresses, the worse counts."""
    outcomes: dict[str, Outcome] = {}
    reasons: dict[str, str] = {}
    order = list(Outcome)
    for line in out.splitlines():
        fields = line.split("\t")
        if len(fields) != 3 or len(fields[0]) != 1:
            continue
        flag, names, summary = fields
        ref = names.rpartition(":")[2]
        outcome = push_outcome(flag, summary)
        if order.index(outcome) >= order.index(outcomes.get(ref, Outcome.DONE)):
            outcomes[ref], reasons[ref] = outcome, summary
    return outcomes, reasons


def _push_failure(said: Result) -> NutsyncError:
    failure = remote_failure("push", said.code, said.err)
    words = said_by_git(said.err)
    if not isinstance(failure, ErrRemote) and "failed to push some refs" in words and not said.out.strip():
        return ErrVetoed(f"The pre-push hook of this clone stopped the push. {words}")
    return failure


# --- Both -----------------------------------------------------------------------------------------


def _reach(git: Git, remote: str) -> tuple[str, Transport]:
    """Return what to call ``remote`` on a command line, and how it is reached."""
    address = remote_address(git, remote)
    if address is not None:
        return remote, check_address(address)
    if "/" in remote or ":" in remote or os.sep in remote:
        return remote, check_address(remote)
    raise ErrNoRemote(f"This clone has no remote called {remote}.")


def _talk(
    git: Git,
    words: Sequence[str],
    transport: Transport,
    patience: Patience,
    progress: Progress | None = None,
    *,
    check: bool = True,
) -> Result:
    said = talk(git, words, network_environment(transport, git), patience, progress)
    if check and said.code:
        raise remote_failure(words[0], said.code, said.err)
    return said
