"""Named errors: what happened, what to do, and how each front end answers.

One table serves the command line (exit code), HTTP (status) and agents (name). The names and
exit codes are the contract of design §4 and §11.
"""

from __future__ import annotations

from typing import ClassVar

EXIT_DONE = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3
EXIT_UNFIT = 4
EXIT_REMOTE = 5
EXIT_BUG = 70


class NutsyncError(Exception):
    """An expected failure with a stable name.

    ``message`` says what happened and what was kept; ``hint`` says what to do. Neither may
    carry memory text. ``code`` is the class name, which is what programs compare.
    """

    exit_code: ClassVar[int] = EXIT_REFUSED
    http_status: ClassVar[int] = 400
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint

    @property
    def code(self) -> str:
        return type(self).__name__

    def as_json(self) -> dict[str, dict[str, str]]:
        """Return the document that ``--json`` prints on stderr (design §11)."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


# --- Wrong usage (exit 2) ---------------------------------------------------------------------


class ErrUsage(NutsyncError):
    """The words of the command do not fit together."""

    exit_code = EXIT_USAGE


class ErrDate(ErrUsage):
    """Not a date of the calendar, written YYYY-MM-DD."""


class ErrZone(ErrUsage):
    """Not a time zone of the tz database."""

    default_hint = "Zones are named like Asia/Shanghai or Europe/Berlin."


class ErrRegex(ErrUsage):
    """Not a regular expression, or one that is too long."""


class ErrRef(ErrUsage):
    """Not a ref of the form ``date``, ``date#id`` or ``date#~n``."""


class ErrName(ErrUsage):
    """Not a name that a device, an actor, a namespace or a session may have."""


class ErrUnknownLayer(ErrUsage):
    """No layer of that name."""


class ErrUnknownKind(ErrUsage):
    """No kind of that name."""


class ErrKindRequired(ErrUsage):
    """An entry needs a kind; an empty one is not a kind."""


class ErrMemoryLayerScopeConflict(ErrUsage):
    """Layer and scope were both given."""


# --- Refused by a rule of memory (exit 3) -------------------------------------------------------


class ErrFrozen(NutsyncError):
    """The day is over: body and index no longer change."""

    http_status = 409
    default_hint = "Use `nutsync correct` to add a correction today, or `nutsync forget` to remove it."


class ErrFreezeLaw(NutsyncError):
    """A change broke the freeze law (design §7)."""

    http_status = 409


class ErrEmptyText(NutsyncError):
    """There is no text to remember."""


class ErrTooLarge(NutsyncError):
    """The text is over 64 KiB of UTF-8."""

    http_status = 413
    default_hint = "Split it into several entries."


class ErrForbiddenCharacter(NutsyncError):
    """NUL, a bidirectional control or a lone surrogate: it would hide or break text."""


class ErrIndexForm(NutsyncError):
    """The index is not one line without tabs and control characters (design §3.2)."""


class ErrIndexUngrounded(NutsyncError):
    """The index says something that the body does not (design §3.2)."""


class ErrReasonTells(NutsyncError):
    """The reason repeats what is to be forgotten; reasons last."""

    default_hint = "Say why in other words, without what was remembered."


class ErrSecret(NutsyncError):
    """The text looks like it carries a credential."""

    default_hint = "Remove the credential. If it is none, --allow-secret on the command line lets it in."


class ErrLayerNotWritable(NutsyncError):
    """That layer is not written by hand."""


class ErrLayerShared(NutsyncError):
    """Consensus belongs to everyone; it takes no actor."""


class ErrLayerActorRequired(NutsyncError):
    """That layer belongs to one actor, and none was given."""


class ErrLayerNamespaceRequired(NutsyncError):
    """Agent memory needs a namespace."""


class ErrLayerNamespaceForbidden(NutsyncError):
    """That layer has no namespace; ignoring one would widen the request."""


class ErrLayerAdminRequired(NutsyncError):
    """Only an admin may do that."""

    http_status = 403


class ErrForbidden(NutsyncError):
    """That entry belongs to another actor."""

    http_status = 403


class ErrSessionRequired(NutsyncError):
    """That kind or layer lives in one session, and no session was given."""


class ErrUnknownSession(NutsyncError):
    """No session of that name has anything here."""

    http_status = 404


class ErrUnknownRef(NutsyncError):
    """Nothing is remembered under that ref."""

    http_status = 404


class ErrForgotten(NutsyncError):
    """What that ref named was forgotten."""

    http_status = 404


class ErrChanged(NutsyncError):
    """The day changed since it was read."""

    http_status = 409


class ErrVetoed(NutsyncError):
    """A hook of this repository refused the change."""

    http_status = 409


class ErrConfirm(NutsyncError):
    """The change needs an explicit yes."""

    default_hint = "Look at it with --dry-run, then repeat the command with --yes."


# --- The repository is not fit (exit 4) ---------------------------------------------------------


class ErrUnfit(NutsyncError):
    """The repository cannot be used as it is."""

    exit_code = EXIT_UNFIT
    http_status = 503


class ErrNoCell(ErrUnfit):
    """No cell here or in a folder above."""

    default_hint = "Run `nutsync init` here, or point -C or NUTSYNC_CELL at a cell."


class ErrCellFile(ErrUnfit):
    """A file that describes the cell cannot be understood."""

    default_hint = "Look at the file; `git log -p` of it shows how it came to be."


class ErrCellFormat(ErrUnfit):
    """A newer nutsync wrote this cell."""

    default_hint = "Update nutsync on this device."


class ErrNoRepository(ErrNoCell):
    """No Git repository here or in a folder above."""

    default_hint = "Run `nutsync init` here, or point -C or NUTSYNC_CELL at a cell."


class ErrBareRepository(ErrUnfit):
    """A bare repository has no worktree to keep memory in."""


class ErrDetachedHead(ErrUnfit):
    """HEAD is on no branch."""


class ErrBranch(ErrUnfit):
    """Another branch than the memory branch is checked out."""


class ErrMergeUnderWay(ErrUnfit):
    """A merge, rebase, cherry-pick, revert or am is unfinished."""


class ErrShallow(ErrUnfit):
    """A shallow clone lacks the history that proves what it holds."""

    default_hint = "Run `git fetch --unshallow`, then repeat."


class ErrUnreadable(ErrUnfit):
    """A file or folder could not be read, so the answer would be incomplete."""


class ErrUnwritable(ErrUnfit):
    """A file or folder could not be written; nothing was changed."""


class ErrDiskFull(ErrUnwritable):
    """There is no space left; nothing was changed."""


class ErrLocked(ErrUnfit):
    """Another nutsync is at work in this clone."""


class ErrGitMissing(ErrUnfit):
    """Git is not installed."""


class ErrGitTooOld(ErrUnfit):
    """Git is older than 2.34."""


class ErrGit(ErrUnfit):
    """Git refused to do something that should have worked."""


class ErrGitTimeout(ErrGit):
    """Git took longer than it was given, and was stopped."""


class ErrClock(ErrUnfit):
    """The clock reads a time that Git cannot store."""

    default_hint = "Set the device's clock, then repeat."


class ErrObjectFormat(ErrUnfit):
    """The repository uses something that nutsync cannot read safely."""


class ErrNotArmed(ErrUnfit):
    """This clone's hooks and merge driver are not installed."""

    default_hint = "Run `nutsync hooks install`."


class ErrForeignConflict(ErrUnfit):
    """Files outside the cell conflict or are in the way; nothing was changed."""


class ErrIncoming(ErrUnfit):
    """What came from the remote breaks the freeze law; it was not merged."""


class ErrUnrelated(ErrUnfit):
    """The remote holds another history."""


class ErrScheduler(ErrUnfit):
    """The system's scheduler could not be told to sync this clone."""


class ErrSearchFailed(ErrUnfit):
    """The search could not be carried out; this is not «nothing found»."""


# --- The remote (exit 5) ------------------------------------------------------------------------


class ErrRemote(NutsyncError):
    """The remote could not be used; everything is kept locally."""

    exit_code = EXIT_REMOTE
    http_status = 502
    default_hint = "Nothing is lost. The next `nutsync sync` tries again."


class ErrOffline(ErrRemote):
    """The remote could not be reached."""

    default_hint = "Nothing is lost. The next `nutsync sync` sends what waits here."


class ErrRemoteMissing(ErrRemote):
    """There is no repository where the remote should be."""

    default_hint = (
        "Look at the address (`git remote -v`), and make the repository there if it does not exist yet."
    )


class ErrNoRemote(ErrRemote):
    """This clone has no remote to sync with."""

    default_hint = "Name one with `nutsync init --remote URL`."


class ErrRemoteDeclined(ErrRemote):
    """A rule or hook of the remote refused what was sent."""

    default_hint = "What the remote said names the cure. Everything is kept here."


class ErrAuth(ErrRemote):
    """The remote wants credentials that nutsync never asks for."""


class ErrContended(ErrRemote):
    """Others pushed faster every time."""


class ErrTransport(ErrRemote):
    """Only https, ssh, git and file remotes are allowed."""

    default_hint = "Use an https, ssh, git or file address, or a path."


class ErrPurgePending(ErrRemote):
    """A purge was made here and could not be sent; the text is still at the remote and in this clone."""


class ErrRemoteRewritten(ErrRemote):
    """The remote's history no longer holds what was last seen there."""
