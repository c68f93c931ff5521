"""Taking over the cell that a remote holds already: of two births the earlier wins (design §8.5)."""

from __future__ import annotations

from nutsync.core.cell import CELL_PATH, CellConfig
from nutsync.operations.cell import LOCK_SECONDS, Cell, recorder_for
from nutsync.operations.integrating import Integrator
from nutsync.operations.moving import complete
from nutsync.operations.record import Recorder
from nutsync.operations.remote_seen import note_seen
from nutsync.store.clock import Clock
from nutsync.store.lock import clone_lock
from nutsync.store.repo.fitness import require_fit
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import HEADS, branch_ref, resolve_ref
from nutsync.store.repo.remote import fetch, list_remote
from nutsync.store.settings import Settings


def adopt_remote(git: Git, settings: Settings, clock: Clock) -> str:
    """Fetch, take over the remote's cell if it holds one, and return the memory branch.

    A clone without a commit takes the remote's default branch where the remote has no branch of its own
    branch's name. What was seen at an earlier remote counts no longer. Raises the named errors of a
    remote, :class:`ErrUnrelated`, :class:`ErrIncoming` and :class:`ErrForeignConflict`; then nothing was
    changed.
    """
    branch = _branch(git, settings.branch)
    incoming = fetch(git, branch)
    note_seen(git, branch, None)
    if incoming.branch is None:
        return branch
    with clone_lock(git.common_dir, timeout=LOCK_SECONDS, command="init"):
        require_fit(git, branch)
        with Objects(git) as objects:
            recorder = recorder_for(
                git, objects, Settings(settings.actor, settings.device, branch, settings.session)
            )
            complete(recorder)
            if _is_ours_to_take(recorder, incoming.branch):
                integrator = Integrator(Cell(git, CellConfig(), settings, clock), recorder)
                integrator.take(incoming.branch)
                integrator.repair()
                note_seen(git, branch, incoming.branch)
    return branch


def _branch(git: Git, branch: str) -> str:
    if resolve_ref(git, branch_ref(branch)) is not None:
        return branch
    there = list_remote(git)
    default = there.default_branch
    if there.branch(branch) is not None or default is None or there.branch(default) is None:
        return branch
    git.run("symbolic-ref", "HEAD", f"{HEADS}{default}")
    return default


def _is_ours_to_take(recorder: Recorder, theirs: str) -> bool:
    """Tell whether there is a cell to take: two histories without one are plain Git's business."""
    objects = recorder.objects
    return recorder.tip is None or objects.entry(theirs, CELL_PATH) is not None
