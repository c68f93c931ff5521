"""What Git's failures mean: its messages turned into named errors with a cure."""

from __future__ import annotations

from nutsync.core.errors import (
    ErrDiskFull,
    ErrGit,
    ErrLocked,
    ErrUnfit,
    ErrUnreadable,
    ErrUnwritable,
    ErrVetoed,
    NutsyncError,
)

_LONGEST = 600


def named_failure(subcommand: str, code: int, err: str) -> NutsyncError:
    """Return the error for a Git command that failed; only Git's own messages (in English) are quoted."""
    said = _last_lines(err)
    if "No space left on device" in err or "Disk quota exceeded" in err:
        return ErrDiskFull(f"git {subcommand}: there is no space left.", hint="Free some space, then repeat.")
    if ".lock': File exists" in err:
        return ErrLocked(
            f"git {subcommand}: another Git program is at work in this clone.",
            hint="Wait until it is done, then repeat. If none runs, a dead one left its .lock file behind.",
        )
    if "dubious ownership" in err:
        return ErrUnfit(
            "Git does not trust this repository, because another user owns it.",
            hint="Name it in Git's setting safe.directory, or work as its owner.",
        )
    if (
        "aborted by hook" in err
        or "aborted by the reference-transaction hook" in err
        or "hook declined" in err
    ):
        return ErrVetoed(
            f"A hook refused the change. {said}".strip(), hint="What the hook said names the cure."
        )
    if "Read-only file system" in err or "insufficient permission" in err or "unable to write" in err:
        return ErrUnwritable(
            f"git {subcommand}: {said}", hint="Make the Git directory writable for this user, then repeat."
        )
    if "Permission denied" in err and "publickey" not in err:
        return ErrUnreadable(
            f"git {subcommand}: {said}", hint="Make the Git directory readable for this user, then repeat."
        )
    return ErrGit(
        f"git {subcommand} failed ({code}). {said}".strip(), hint="`git fsck` and `git status` may say more."
    )


def _last_lines(err: str) -> str:
    """Return the end of what Git said, without hints, short enough for a message."""
    lines = [line for line in err.strip().splitlines() if line.strip() and not line.startswith("hint:")]
    said = "\n".join(lines[-8:])
    return said if len(said) <= _LONGEST else "…" + said[-_LONGEST:]
