"""A day file: read tolerantly, written canonically, never losing a byte (design §3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from nutsync.core.entry import Block, Ref, split_blocks
from nutsync.core.front import BOM, Front, front_with_index, new_front, split_front

_MEANING = (b"---", BOM)
"""What means something at the very top of a file."""


def normalise_line_ends(content: bytes) -> bytes:
    """Return ``content`` with CRLF as LF; a carriage return within a line stays.

    One at the very end of the file is half a line end: it becomes a whole one.
    """
    if b"\r" not in content:
        return content
    clean = content.replace(b"\r\n", b"\n")
    return clean.rstrip(b"\r") + b"\n" if clean.endswith(b"\r") else clean


@dataclass(frozen=True)
class Day:
    """One day, as its file holds it.

    ``parts`` are the body's blocks and headings in file order. ``lead`` is the blank lines before them.
    Two days are equal when their files are.
    """

    date: str
    front: Front
    lead: bytes
    parts: tuple[Block, ...]

    @classmethod
    def parse(cls, content: bytes, date: str) -> Day:
        """Read a day file of any shape. Never fails.

        ``render()`` of the result equals ``content`` with LF line ends and one final newline.
        """
        clean = normalise_line_ends(content)
        if clean and not clean.endswith(b"\n"):
            clean += b"\n"
        front, body = split_front(clean)
        lead, parts = split_blocks(body)
        return cls(date, front, lead, parts)

    @classmethod
    def new(cls, date: str) -> Day:
        """Return the canonical day without entries."""
        return cls(date, new_front(date, ""), b"", (Block(f"## {date}\n".encode()),))

    def render(self) -> bytes:
        """Return the bytes of the day file."""
        return self.front.raw + self.lead + b"".join(part.raw for part in self.parts)

    @property
    def index(self) -> str | None:
        return self.front.index

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks in file order; the ``## <date>`` heading is none."""
        return tuple(part for part in self.parts if not self.is_heading(part))

    def is_heading(self, part: Block) -> bool:
        """Tell whether ``part`` is the ``## <date>`` heading. With text under it, it is a block."""
        return part.body.startswith(b"## ") and part.body.rstrip() == f"## {self.date}".encode()

    @property
    def heading_count(self) -> int:
        return len(self.parts) - len(self.blocks)

    @property
    def stamped(self) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.is_stamped)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids of the stamped entries, in file order, repeated where the file repeats them."""
        return tuple(block.id for block in self.blocks if block.id is not None)

    def entries(self) -> tuple[tuple[Ref, Block], ...]:
        """Every block with its ref: ``date#id``, or ``date#~n`` for the nth unstamped one."""
        found: list[tuple[Ref, Block]] = []
        unstamped = 0
        for block in self.blocks:
            if block.id is not None:
                found.append((Ref(self.date, id=block.id), block))
            else:
                unstamped += 1
                found.append((Ref(self.date, nth=unstamped), block))
        return tuple(found)

    def find(self, ref: Ref) -> Block | None:
        """Return the block that ``ref`` names, or None."""
        return next((block for own, block in self.entries() if own == ref), None)

    def append(self, *blocks: Block) -> Day:
        """Return the day with ``blocks`` at its end."""
        return replace(self, parts=self.parts + blocks)

    def without(self, blocks: Collection[Block]) -> Day:
        """Return the day without those of its blocks (told apart by identity, not by bytes)."""
        going = {id(block) for block in blocks}
        left = replace(self, parts=tuple(part for part in self.parts if id(part) not in going))
        return left if left.parts[:1] == self.parts[:1] else left.guarded()

    def guarded(self) -> Day:
        """Keep a ruler or a byte-order mark that came to the top of a file from meaning something there."""
        if self.front.present or self.lead or not self.parts or not self.parts[0].body.startswith(_MEANING):
            return self
        return replace(self, lead=b"\n")

    def replace_block(self, old: Block, new: Block) -> Day:
        """Return the day with ``new`` in the place of its own block ``old``."""
        return replace(self, parts=tuple(new if part is old else part for part in self.parts))

    def with_index(self, index: str) -> Day:
        """Return the day with ``index``; raises :class:`ValueError` where it is not one clean line."""
        return replace(self, front=front_with_index(self.front, self.date, index))

    def with_blocks(self, blocks: Iterable[Block]) -> Day:
        """Return the day in canonical layout with exactly ``blocks``: one heading, then they.

        Frontmatter and lead stay. A day that never had a heading gets none.
        """
        heading = tuple(part for part in self.parts if part not in self.blocks)[:1]
        if not heading and not self.parts:
            heading = (Block(f"## {self.date}\n".encode()),)
        return replace(self, parts=(*heading, *blocks))


def count_blocks(day: Day) -> Counter[bytes]:
    """Count a day's blocks by the bytes that the freeze law compares."""
    return Counter(block.body for block in day.blocks)
