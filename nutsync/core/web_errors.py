"""Named errors of the door that HTTP is: tokens, hosts, paths, limits (design §12).

They go by the same table as all others: name, exit code, HTTP status and hint stand on the class.
"""

from __future__ import annotations

from nutsync.core.errors import EXIT_BUG, ErrUnfit, ErrUsage, NutsyncError


class ErrUnsafeAddress(ErrUsage):
    """Serving another address than this machine's own needs tokens."""

    default_hint = "Make one with `nutsync token add ACTOR`, or serve 127.0.0.1."


class ErrToken(NutsyncError):
    """No valid token of that cell came with the request."""

    http_status = 401
    default_hint = "Send `Authorization: Bearer TOKEN`; `nutsync token add ACTOR` makes one."


class ErrUnknownToken(NutsyncError):
    """No token of that name."""

    http_status = 404
    default_hint = "`nutsync token list` names them."


class ErrHost(NutsyncError):
    """The request was meant for a host name that is not served here."""

    http_status = 403
    default_hint = "Name it with `nutsync serve --allow-host NAME`."


class ErrOrigin(NutsyncError):
    """The request comes from a page of another site."""

    http_status = 403


class ErrUnknownCell(NutsyncError):
    """No cell of that name is served here."""

    http_status = 404


class ErrUnknownPath(NutsyncError):
    """Nothing is served under that path."""

    http_status = 404
    default_hint = "/docs lists what is."


class ErrMethod(NutsyncError):
    """That path does not take this method."""

    http_status = 405


class ErrSlowRequest(NutsyncError):
    """The request did not arrive whole in time; nothing was done."""

    http_status = 408


class ErrBusy(ErrUnfit):
    """The answer took longer than a request may; a change that was under way still completes."""

    default_hint = "Ask again: a repeated request writes nothing twice."


class ErrBug(NutsyncError):
    """A fault in nutsync itself; a report without memory text was written."""

    exit_code = EXIT_BUG
    http_status = 500
