"""Sending a rewritten history: what a remote's owner has to allow, and its other refs (design §9)."""

from __future__ import annotations

from collections.abc import Mapping

from nutsync.core.errors import ErrPurgePending, NutsyncError
from nutsync.operations.purging.rewriting import Ref, rewrite_tag
from nutsync.operations.purging.rules import read_records, rules_of
from nutsync.operations.purging.words import with_words
from nutsync.operations.record import Recorder
from nutsync.store.repo.git import Git
from nutsync.store.repo.refs import HEADS, branch_ref
from nutsync.store.repo.refusals import Outcome
from nutsync.store.repo.remote import (
    Pushed,
    RefPush,
    device_ref,
    drop_incoming,
    fetch_every_ref,
    push,
)
from nutsync.store.repo.rewrite import Rewriter


def require_taken(pushed: Pushed, ref: str) -> None:
    """Raise :class:`ErrPurgePending` where the remote does not let the rewritten branch replace the old one.

    It says what has to be allowed, by whom. Everything stays ready here; the next sync tries again.
    """
    if pushed.outcomes.get(ref) not in (Outcome.FORBIDDEN, Outcome.DECLINED):
        return
    branch = ref.removeprefix(HEADS)
    said = f" It said: {pushed.reasons[ref]}. {pushed.server}".rstrip()
    raise ErrPurgePending(
        f"PENDING, not done: the remote does not let the history of {branch} be rewritten.{said} The purged "
        "text is still at the remote, on every other device and, until it can be sent, in the old history of "
        "this clone.",
        hint=(
            f"The owner of the remote repository has to allow one force-push of {branch}: on a host, take "
            "the branch's protection off or allow force pushes for it; in a repository of one's own, "
            "`git config receive.denyNonFastForwards false` there. Then run `nutsync sync`; afterwards the "
            "protection may come back, and the host may be asked to collect its garbage."
        ),
    )


def publish_others(git: Git, recorder: Recorder, remote: str, stale: Mapping[str, str]) -> list[str]:
    """Rewrite the remote's other branches and tags and what devices left there; return what could not be.

    ``stale`` are the tips of devices that the remote holds unrewritten. Each ref is moved only if it still
    holds what was rewritten.
    """
    try:
        every = fetch_every_ref(git, remote)
    except NutsyncError as failure:
        return [f"the remote's other branches and tags: {failure.message}"]
    mine = branch_ref(recorder.branch)
    own = {device_ref(name): tip for name, tip in stale.items()}
    wanted = [Ref(n, kind, oid, commit) for n, kind, oid, commit in every if n != mine and commit]
    records = read_records(recorder.objects, recorder.tip)
    tips = [str(ref.commit) for ref in wanted] + list(own.values())
    rules = rules_of(git, recorder.objects, records, tips)
    rules = with_words(git, recorder.objects, rules, [str(recorder.tip), *tips])
    rewriter = Rewriter(git, recorder.objects, rules)
    rewriter.run(list(dict.fromkeys(tips)))
    pushes: list[RefPush] = []
    named: list[str] = []
    for ref in wanted:
        if rewriter.of(str(ref.commit)) == ref.commit:
            continue
        new = rewriter.of(ref.oid) if ref.kind == "commit" else rewrite_tag(git, rewriter, ref)
        if new is None:
            named.append(f"{ref.name} at the remote: it is a tag of a tag")
        else:
            pushes.append(RefPush(ref.name, new, ref.oid))
    pushes += [RefPush(name, rewriter.of(tip), tip) for name, tip in own.items() if rewriter.of(tip) != tip]
    if pushes:
        pushed = push(git, pushes, remote, hooks=False)
        fine = (Outcome.DONE, Outcome.UP_TO_DATE)
        refused = [name for name, outcome in pushed.outcomes.items() if outcome not in fine]
        named += [f"{name} at the remote: {pushed.reasons[name]}" for name in refused]
    drop_incoming(git)
    return named
