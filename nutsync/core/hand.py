"""What a person did to a day file by hand, told apart by rule (design §3.1, §5, §8.2).

Blocks added at the end of a day's own file are *pending*: the next command commits them. Every
other edit is *held*: it stays exactly as it is in the worktree until its owner takes it over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from nutsync.core.day import Day
from nutsync.core.entry import Block, stamp
from nutsync.core.layer import Writer, layer_of, layer_row

Screen = Callable[[str], str | None]
"""Names the kind of credential that a text seems to hold, or returns None."""


class Edit(Enum):
    """How a worktree's day file differs from the committed one."""

    NONE = "none"
    PENDING = "pending"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class HandEdit:
    """The edit, the blocks it adds where it only adds, and the index it wrote, if it wrote one.

    ``has_secret`` says that nothing but a likely credential keeps it from being pending.
    """

    edit: Edit
    added: tuple[Block, ...] = ()
    index: str | None = None
    reason: str = ""
    has_secret: bool = False


def _never(_name: str) -> bool:
    return False


def read_edit(
    committed: Day | None,
    worktree: Day | None,
    is_forgotten: Callable[[str], bool] = _never,
    screen: Screen | None = None,
) -> HandEdit:
    """Tell what was done by hand to get from ``committed`` to ``worktree``.

    None stands for a file that is not there. ``is_forgotten`` tells whether an entry of that day with that
    id was forgotten. Whether the day is still open is the caller's question: additions to a frozen day
    are pending only where its own time proves it (design §5). ``screen`` names the kind of credential that
    a text holds: an addition with one is held.
    """
    if worktree is None:
        return HandEdit(Edit.HELD, reason="the file is gone") if committed else HandEdit(Edit.NONE)
    if committed is not None and committed.render() == worktree.render():
        return HandEdit(Edit.NONE)
    old = committed.blocks if committed else ()
    new = worktree.blocks
    if [b.body for b in old] != [b.body for b in new[: len(old)]]:
        return HandEdit(Edit.HELD, reason="what was already remembered was changed")
    if worktree.front.problem or worktree.front.date not in (None, worktree.date):
        return HandEdit(Edit.HELD, reason=worktree.front.problem or "the frontmatter has another date")
    if _conflicted(new):
        return HandEdit(Edit.HELD, reason="it holds conflict markers")
    added = new[len(old) :]
    ids = [*(committed.ids if committed else ()), *(b.id for b in added if b.id)]
    if len(ids) != len(set(ids)):
        return HandEdit(Edit.HELD, reason="an entry stands in it twice")
    if any(block.id is not None and is_forgotten(block.id) for block in added):
        return HandEdit(Edit.HELD, reason="it holds an entry that was forgotten")
    foreign = next(filter(None, map(_layer_of_others, added)), None)
    if foreign is not None:
        return HandEdit(Edit.HELD, reason=f"it adds to the layer {foreign}, which is not written by hand")
    index = worktree.index if committed is None or worktree.index != committed.index else None
    said = [block.text for block in added] if index is None else [*(block.text for block in added), index]
    secret = next(filter(None, map(screen, said)), None) if screen else None
    if secret is not None:
        return HandEdit(Edit.HELD, added, index, f"it holds what looks like a {secret}", has_secret=True)
    return HandEdit(Edit.PENDING, added, index or None)


def stamp_added(
    added: Sequence[Block], attributes: Callable[[], dict[str, str]], *, open_fence: bool = False
) -> tuple[Block, ...]:
    """Return ``added`` with every unstamped bullet stamped; prose and code keep their bytes.

    ``attributes`` gives id, at and dev for the next bullet. A bullet without words stays as it is: it
    says nothing yet. ``open_fence`` tells that a code fence was left open before the first block.
    """
    stamped: list[Block] = []
    for block in added:
        wanted = block.is_bullet and not block.is_stamped and not open_fence and block.text.strip()
        stamped.append(stamp(block, attributes()) if wanted else block)
        open_fence ^= _fences(block) % 2 == 1
    return tuple(stamped)


def fence_is_open(blocks: Sequence[Block]) -> bool:
    """Tell whether a code fence is still open after ``blocks``."""
    return sum(map(_fences, blocks)) % 2 == 1


def _fences(block: Block) -> int:
    return sum(line.lstrip(b" \t-*+").startswith((b"```", b"~~~")) for line in block.body.split(b"\n"))


def _layer_of_others(block: Block) -> str | None:
    """Return the block's layer where people do not write that in an editor, else None.

    Consensus is one: whether its author is an admin is settled by a command, and a line of it that
    somebody pasted must not stand in the way of everybody's next append.
    """
    layer = layer_of(block.attributes)
    return None if may_stand_uncommitted(layer) else layer


def may_stand_uncommitted(layer: str) -> bool:
    """Tell whether an addition of this layer, found in the worktree, is taken for a person's own."""
    return layer_row(layer).writer in (Writer.SELF, Writer.NOBODY)


def _conflicted(blocks: Sequence[Block]) -> bool:
    return any(
        line.startswith((b"<<<<<<< ", b">>>>>>> ")) for block in blocks for line in block.body.split(b"\n")
    )
