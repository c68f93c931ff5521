"""What tests of purges have in common: asking for one, and looking at what is left."""

from __future__ import annotations

from pathlib import Path

from nutsync.core.entry import Ref
from nutsync.core.freeze import Severity
from nutsync.operations.cell import recorder_for
from nutsync.operations.forget import ForgetRequest, Forgotten, forget
from nutsync.operations.purging.purge import Purged, purge
from nutsync.store.checkpoints import forget_all
from nutsync.store.repo.objects import Objects
from tests.support.cells import Desk
from tests.support.fleet import NO_WAIT, Fleet, same
from tests.support.repos import git, head, is_sound
from tests.support.search import collect_garbage, places_of

MONDAY, TUESDAY = "2026-11-30", "2026-12-01"
SECRET = "Globex pays 4711"
WHY = "asked for by the client"


def ref_of(desk: Desk, text: str = SECRET, **more: str) -> Ref:
    """Append a text and return its ref."""
    return desk.append(text, **more).placed[0].ref


def drop(desk: Desk, *refs: Ref, **more: str) -> Purged:
    """Purge refs, without waiting between tries."""
    asked = ForgetRequest(refs=refs, reason=WHY, **{"actor": "ana", **more})  # type: ignore[arg-type]
    return purge(desk.cell, asked, pace=NO_WAIT)


def forget_only(desk: Desk, *refs: Ref, **more: str) -> Forgotten:
    """Forget refs without purging them."""
    return forget(desk.cell, ForgetRequest(refs=refs, reason=WHY, **{"actor": "ana", **more}))  # type: ignore[arg-type]


def tomorrow(fleet: Fleet, days: int = 1) -> None:
    """Let the days pass for every device."""
    for desk in fleet.desks.values():
        desk.clock.advance(days=days)


def is_clean(root: Path) -> bool:
    """Tell whether git sees no difference between commit, index and worktree."""
    return git(root, "status", "--porcelain") == ""


def faults(desk: Desk) -> list[str]:
    """Return what the freeze law finds wrong in the whole history, worked out anew."""
    forget_all(desk.cell.git.private_dir)
    with Objects(desk.cell.git) as objects:
        recorder = recorder_for(desk.cell.git, objects, desk.cell.settings)
        tip = str(recorder.tip)
        found = [finding for _, findings in recorder.guard.judge_range(tip) for finding in findings]
        blurs = {
            blur.merge for _, open_ones in recorder.guard.ancestry(tip).blurs.items() for blur in open_ones
        }
    bad = [f for f in found if f.severity is Severity.VIOLATION or f.commit in blurs]
    return [f"{finding.code}: {finding.message}" for finding in bad]


def assert_gone(fleet: Fleet, *texts: str) -> None:
    """Every device and, after its own gc, the remote: one history, sound and lawful, without the texts."""
    collect_garbage(fleet.remote)
    tips = {name: head(desk.root) for name, desk in fleet.desks.items()}
    assert set(tips.values()) == {git(fleet.remote, "rev-parse", "main")}, tips
    assert same(fleet.archives())
    for name, desk in fleet.desks.items():
        assert places_of(desk.root, *texts) == [], name
        assert is_sound(desk.root) and is_clean(desk.root), name
    assert places_of(fleet.remote, *texts) == []
    assert faults(next(iter(fleet.desks.values()))) == []
