"""What `doctor`, `hooks status` and their kind find: one thing that is wrong in this clone."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """One finding of this clone: a code, what is wrong, what to do. It names no memory text.

    ``severity`` is ``violation`` where memory is in danger, ``blur`` where something is wrong that the next
    command puts right, ``notice`` where it is only worth knowing.
    """

    code: str
    message: str
    hint: str = ""
    path: str = ""
    ref: str = ""
    severity: str = "violation"

    def as_json(self) -> dict[str, object]:
        """Return the finding with the keys of design §11."""
        return {
            "commit": "",
            "path": self.path,
            "ref": self.ref,
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
        }
