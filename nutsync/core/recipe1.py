"""Recipe 1: how the versions of a day and the commits of a history look once an entry was purged (design §9).

FROZEN. Every device that follows a purge must come to the same bytes and so to the same commit ids, today
and in many years. So this module imports nothing of nutsync, repeats the few rules of the file format that it
needs as they were when it was written, and never changes: a better way is another recipe, under another
number. Purge records say by which recipe history was rewritten.

What the recipe does to a commit whose tree does not hold the purge's record yet:

* the entry's block goes from its day's file, blank lines under it included; a file without blocks goes;
* the index of its day, of the further days that the record names, and of a day in which something
  corrects the entry becomes ``(purged)``;
* a commit that changed, or that follows one, loses its signatures; everything else of it stays.

A commit whose tree holds the record is left alone: it was made after the purge. So recipes can be repeated
and applied in any order, alone or together, and the same history always gives the same result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

RECIPE = 1
PURGED = b"index: '(purged)'"

_FENCE = re.compile(rb"---[ \t]*")
_END = re.compile(rb"(?:---|\.\.\.)[ \t]*")
_INDEX = re.compile(rb"[\"']?index[\"']?[ \t]*:(.*)", re.DOTALL)
_SINGLE = re.compile(rb"'(?:[^']|'')*'[ \t]*(?:#.*)?", re.DOTALL)
_DOUBLE = re.compile(rb'"(?:[^"\\]|\\.)*"[ \t]*(?:#.*)?', re.DOTALL)
_STRAY_INDEX = re.compile(rb"index: (?:'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\")[ \t]*")
_BULLET = re.compile(rb"[-*+](?:[ \t\v\f\r]|$)")
_ESCAPE = rb"%(?:[0189A-F][0-9A-F]|2[0-9AC]|3[B-F]|5[B-E]|60|7[B-F])"
_PAIR = rb"[a-z][a-z0-9_-]*=(?:[A-Za-z0-9._:+@/\x80-\xff-]|" + _ESCAPE + rb")*"
_COMMENT = re.compile(rb" <!-- nut((?: " + _PAIR + rb")+) -->[ \t\v\f\r]*$")
_ID = re.compile(rb"[0-9a-hjkmnp-tv-z]{8}")
_DAY_PATH = re.compile(r"\.agents/nutstore-sync/memory/archive/([0-9]{4})/(([0-9]{4})-[0-9]{2}-[0-9]{2})\.md")
_RECORD_PATH = re.compile(r"\.agents/nutstore-sync/purged/([0-9a-hjkmnp-tv-z]{8})\.toml")
_SIGNATURES = (b"gpgsig", b"gpgsig-sha256", b"mergetag")


class Purge(NamedTuple):
    """One purge: the entry's id, its day, the days whose index goes (its own among them).

    ``words`` are the bytes of a block that never carried an id, with LF line ends and one at the end;
    None for an entry with an id. Where they cannot be known any more they are empty: then the block is gone.
    """

    id: str
    day: str
    days: frozenset[str]
    words: bytes | None = None


def day_of(path: str) -> str | None:
    """Return the date of the day file at ``path``, None for any other path."""
    match = _DAY_PATH.fullmatch(path)
    return match[2] if match and match[1] == match[3] else None


def record_of(path: str) -> str | None:
    """Return the id whose purge the file at ``path`` records, None for any other path."""
    match = _RECORD_PATH.fullmatch(path)
    return match[1] if match else None


# --- A day's file -----------------------------------------------------------------------------------


def concerns(content: bytes, date: str, purge: Purge) -> bool:
    """Tell whether the purge may change this version of a day."""
    return date in purge.days or date == purge.day or _mark_of(purge) in content


def purge_day(
    content: bytes, date: str, purges: Collection[Purge], whole: Mapping[str, bytes]
) -> bytes | None:
    """Return a version of a day after the purges, None where the file goes.

    ``whole`` maps ids to the block as it was first committed (:func:`block_of`): what a careless merge tore
    apart is found by it. Every byte that the purges do not concern stays.
    """
    concerned = [purge for purge in purges if concerns(content, date, purge)]
    if not concerned:
        return content
    front, body = _split(content)
    blank = any(date in p.days or date == p.day or _corrects(body, p) for p in concerned)
    mine = sorted((p for p in concerned if p.day == date), key=lambda purge: purge.id)
    for purge in mine:
        body = _without(body, purge, whole.get(purge.id))
    if mine and not any(not _is_heading(block, date) for block in _blocks(body)):
        return None
    if blank:
        front, body = _blank_front(front), [_blank_stray(line) for line in body]
    if mine and not front and body and body[0].startswith((b"---", b"\xef\xbb\xbf")):
        body = [b"\n", *body]  # a ruler that came to the top must not open a frontmatter
    return b"".join([*front, *body])


def block_of(content: bytes, date: str, purge: Purge) -> bytes | None:
    """Return the block of a purged entry as this version of its day holds it, with LF ends; None without."""
    if date != purge.day or purge.words is not None or purge.id.encode() not in content:
        return None
    for block in _blocks(_split(content)[1]):
        if _id_of(block) == purge.id:
            return _body(block)
    return None


def removed_words(old: bytes, new: bytes | None, date: str) -> list[bytes]:
    """Return the blocks without an id that ``new`` has fewer of, in the order in which ``old`` holds them."""
    had = _words(old, date)
    going = Counter(had) - Counter(_words(new, date) if new is not None else [])
    removed = []
    for words in had:
        if going[words] > 0:
            going[words] -= 1
            removed.append(words)
    return removed


def _words(content: bytes, date: str) -> list[bytes]:
    blocks = _blocks(_split(content)[1])
    return [_body(block) for block in blocks if _id_of(block) is None and not _is_heading(block, date)]


def _split(content: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the lines of the frontmatter, fences included, and those of the body, each with its end."""
    lines = content.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    first = _bare(lines[0].removeprefix(b"\xef\xbb\xbf")) if lines else b""
    if _FENCE.fullmatch(first):
        for at in range(1, len(lines)):
            if _END.fullmatch(_bare(lines[at])):
                return lines[: at + 1], lines[at + 1 :]
    return [], lines


def _bare(line: bytes) -> bytes:
    """Return a line without its end, LF or CRLF."""
    line = line.removesuffix(b"\n")
    return line.removesuffix(b"\r")


def _end_of(line: bytes) -> bytes:
    return line[len(_bare(line)) :]


def _blocks(body: Sequence[bytes]) -> list[list[bytes]]:
    """Return the blocks: a line in column 0 with the indented and blank lines under it; headings too.

    Blank lines at the top belong to none; indented lines there make a block.
    """
    blocks: list[list[bytes]] = []
    for line in body:
        bare = _bare(line)
        if bare and bare[:1] not in (b" ", b"\t"):
            blocks.append([line])
        elif blocks:
            blocks[-1].append(line)
        elif bare:
            blocks.append([line])
    return blocks


def _body(block: Sequence[bytes]) -> bytes:
    return b"".join(_bare(line) + b"\n" for line in block).rstrip(b"\n") + b"\n"


def _is_heading(block: Sequence[bytes], date: str) -> bool:
    return _body(block).rstrip() == b"## " + date.encode()


def _attributes_of(first: bytes) -> list[bytes]:
    found = _COMMENT.search(first, 1) if _BULLET.match(first) else None
    return found[1][1:].split(b" ") if found else []


def _id_of(block: Sequence[bytes]) -> str | None:
    ids = [pair[3:] for pair in _attributes_of(_bare(block[0])) if pair.startswith(b"id=")]
    if not ids or not all(map(_ID.fullmatch, ids)):
        return None
    return ids[0].decode("ascii")


def _mark_of(purge: Purge) -> bytes:
    return f"corrects={purge.day}%23{purge.id}".encode()


def _corrects(body: Sequence[bytes], purge: Purge) -> bool:
    return any(_mark_of(purge) in _attributes_of(_bare(line)) for line in body if b" <!-- nut " in line)


def _without(body: Sequence[bytes], purge: Purge, whole: bytes | None) -> list[bytes]:
    """Return the body's lines without every block of the purged entry."""
    lead = [line for line in body if not _bare(line)]
    blocks = _blocks(body)
    top = list(body[: len(body) - sum(map(len, blocks))]) if blocks else lead
    kept: list[list[bytes]] = []
    torn: Counter[bytes] = Counter()
    for block in blocks:
        if purge.words is not None:
            if _id_of(block) is not None or _body(block) != purge.words or not purge.words:
                kept.append(block)
        elif _id_of(block) != purge.id:
            kept.append(block)
        elif whole is not None and _body(block) != whole and _is_torn(block, whole):
            foreign, missing = _sort_out(block, whole)
            torn += missing
            if foreign:
                kept.append(foreign)
    return top + [line for block in kept for line in _drop(block, torn)]


def _is_torn(block: Sequence[bytes], whole: bytes) -> bool:
    """Tell whether the entry's first line is as it was: then only its further lines were torn from it."""
    return _bare(block[0]) == whole.partition(b"\n")[0]


def _sort_out(block: Sequence[bytes], whole: bytes) -> tuple[list[bytes], Counter[bytes]]:
    """Return the lines in a torn block that are not the entry's, and those of the entry that it lacks."""
    own = Counter(line for line in whole.split(b"\n")[1:] if line)
    foreign = []
    for line in block[1:]:
        bare = _bare(line)
        if bare and own[bare] > 0:
            own[bare] -= 1
        elif bare:
            foreign.append(line)
    return foreign, +own


def _drop(block: Sequence[bytes], torn: Counter[bytes]) -> list[bytes]:
    """Return a block without the indented lines that were torn from the purged entry."""
    kept = list(block[:1])
    for line in block[1:]:
        bare = _bare(line)
        if bare and torn[bare] > 0:
            torn[bare] -= 1
        else:
            kept.append(line)
    return kept


# --- Indexes ------------------------------------------------------------------------------------------


def _blank_front(front: Sequence[bytes]) -> list[bytes]:
    """Return the frontmatter with every index in it blanked, however it was written."""
    kept: list[bytes] = []
    at = 0
    while at < len(front):
        match = _INDEX.fullmatch(_bare(front[at])) if 0 < at < len(front) - 1 else None
        if match is None:
            kept.append(front[at])
            at += 1
        else:
            kept.append(PURGED + _end_of(front[at]))
            at = _end_of_value(front, at, match[1].strip())
    return kept


def _end_of_value(front: Sequence[bytes], at: int, value: bytes) -> int:
    """Return the line after a value that may be folded, a block scalar, or an open quotation."""
    end, last = at + 1, len(front) - 1
    quote = value[:1]
    if quote in (b"'", b'"') and not (_SINGLE if quote == b"'" else _DOUBLE).fullmatch(value):
        for later in range(end, last):
            if _bare(front[later]).rstrip().endswith(quote):
                return later + 1
    while end < last and front[end][:1] in (b" ", b"\t"):
        end += 1
    return end


def _blank_stray(line: bytes) -> bytes:
    """Blank an index line that Git's own union put into the text."""
    return PURGED + _end_of(line) if _STRAY_INDEX.fullmatch(_bare(line)) else line


# --- A commit -----------------------------------------------------------------------------------------


def purge_commit(content: bytes, tree: str, parents: Mapping[str, str]) -> bytes:
    """Return a commit object with another tree and other parents, without signatures.

    ``parents`` maps the ids of parents that changed to their new ones. Authors, dates, encoding, message
    and every other header keep their bytes and order.
    """
    head, gap, message = content.partition(b"\n\n")
    kept: list[bytes] = []
    dropping = False
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        if line.startswith(b" "):
            if not dropping:
                kept.append(line)
            continue
        dropping = name in _SIGNATURES
        if dropping:
            continue
        if name == b"tree":
            line = b"tree " + tree.encode("ascii")
        elif name == b"parent":
            old = value.decode("ascii", "replace")
            line = b"parent " + parents.get(old, old).encode("ascii", "replace")
        kept.append(line)
    return b"\n".join(kept) + gap + message
