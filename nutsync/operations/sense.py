"""Sensing: the environment layer is told by the machine itself, and only what is new (design §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from nutsync.core.append import NewEntry
from nutsync.core.cell import ARCHIVE_DIR, date_of_path, day_path
from nutsync.core.day import Day
from nutsync.core.environment import ATTRIBUTES, Found, known_facts, sense_entries
from nutsync.core.errors import ErrSearchFailed
from nutsync.operations.cell import Cell
from nutsync.operations.journal import append
from nutsync.store.host import probe
from nutsync.store.repo.objects import Objects

_MARK = f"scope={ATTRIBUTES['scope']}"


def sense(cell: Cell, *, dry_run: bool = False, look: Callable[[], Found] = probe) -> dict[str, object]:
    """Write what is new on this device to the environment layer, in one commit; nothing where nothing is.

    With ``dry_run`` nothing is written, and ``texts`` say what would be. ``look`` looks at the
    machine. Raises :class:`ErrSearchFailed` where the archive cannot be searched for what is known,
    and what :func:`nutsync.operations.journal.append` raises.
    """
    texts = sense_entries(cell.device, look(), known_facts(cell.device, _said_so_far(cell)))
    answer: dict[str, object] = {"device": cell.device, "texts": texts, "entries": [], "commit": None}
    if texts and not dry_run:
        done = append(cell, [NewEntry(text, ATTRIBUTES) for text in texts], op="sense")
        answer |= {"entries": done.entries_json(), "commit": done.commit}
    return answer


def _said_so_far(cell: Cell) -> Iterator[tuple[Mapping[str, str], str]]:
    """Yield (attributes, text) of the entries of every day that has an environment entry, old to new.

    The worktree's files tell which days, and Git what was said: a line that was never committed was not.
    """
    options = ("-l", "-z", "-a", "-F", "-e", _MARK)
    found = cell.git.run("grep", *options, "--", ARCHIVE_DIR, check=False)
    if found.code not in (0, 1):
        raise ErrSearchFailed("The archive could not be searched for what is known of this device.")
    dates = (date_of_path(path) for path in found.out.decode("utf-8", "replace").split("\0"))
    with Objects(cell.git) as objects:
        for date in sorted(filter(None, dates)):
            content = objects.file("HEAD", day_path(date))
            for block in Day.parse(content or b"", date).stamped:
                yield block.attributes, block.text
