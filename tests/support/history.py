"""A history in memory: commits with trees, their ancestries carried forward, each judged as it is made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from nutsync.core.advance import advance
from nutsync.core.ancestry import UNBORN, Ancestry, ForgottenBefore, Past, Versions
from nutsync.core.audit import Audit, Target, render_message
from nutsync.core.cell import (
    CELL_PATH,
    CellConfig,
    Device,
    PurgeRecord,
    day_path,
    device_path,
    purge_path,
)
from nutsync.core.commit import UNSIGNED, Blob, Change, Commit, Signature
from nutsync.core.day import Day
from nutsync.core.entry import Block, encode_entry, id_from_bytes
from nutsync.core.freeze import Finding, Severity, blurred_days, judge
from nutsync.core.merge import Side, merge_sides
from nutsync.core.moment import Moment

MONDAY, TUESDAY, WEDNESDAY = "2026-11-30", "2026-12-01", "2026-12-02"
DESK, BAG = "ssh-ed25519 AAAAdesk", "ssh-ed25519 AAAAbag"

File = tuple[str, bytes]
Tree = dict[str, File]


def moment(text: str) -> Moment:
    """``2026-11-30T09:00+08:00`` as a moment."""
    return Moment.of(datetime.fromisoformat(text))


def entry(text: str, ident: int, at: str = "09:00:00.000+08:00", dev: str = "desk", **more: str) -> Block:
    """A stamped entry of Ana's."""
    given = {"id": name(ident), "at": at, "dev": dev, "kind": "fact", "scope": "global", "actor": "ana"}
    return encode_entry(text, {key: value for key, value in {**given, **more}.items() if value})


def name(ident: int) -> str:
    """The id that a number stands for."""
    return id_from_bytes(ident.to_bytes(5, "big"))


def first_words(ours: object, theirs: object, bases: object, blocks: object, forgotten: object) -> str:
    """An index that says nothing but is well formed."""
    return "words"


def day(date: str, *blocks: Block | str, index: str = "words") -> Day:
    """A canonical day with these blocks."""
    made = [block if isinstance(block, Block) else Block(block.encode()) for block in blocks]
    return Day.new(date).append(*made).with_index(index)


def signed(key: str) -> Signature:
    """A good signature by ``key``."""
    return Signature("good", key)


def enrolled(device: str, key: str | None, actor: str = "ana", revoked: bool = False) -> bytes:
    """The content of a device's file."""
    since = moment("2026-11-01T09:00+08:00")
    return Device(device, actor, key, 480, since, since if revoked else None).render()


Content = Day | bytes | str | None | File


@dataclass
class Made:
    """One commit of the history, with what the law said of it and its ancestry."""

    commit: Commit
    tree: Tree
    findings: list[Finding]
    ancestry: Ancestry

    @property
    def id(self) -> str:
        return self.commit.id

    @property
    def codes(self) -> list[str]:
        """The codes of everything that is more than worth knowing."""
        return [f.code for f in self.findings if f.severity is not Severity.NOTICE]

    @property
    def notices(self) -> list[str]:
        return [f.code for f in self.findings if f.severity is Severity.NOTICE]

    def content(self, date: str) -> bytes | None:
        """The day's file in this commit."""
        found = self.tree.get(day_path(date))
        return None if found is None else found[1]

    def day(self, date: str) -> Day:
        return Day.parse(self.content(date) or b"", date)


@dataclass
class History:
    """Commits by id. ``commit`` makes one from its parents, changed files, and what it says of itself."""

    made: dict[str, Made] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.past = Past(self._versions, _zone_offset)

    def born(
        self,
        *,
        at: str = "2026-11-30T08:00+08:00",
        admins: tuple[str, ...] = (),
        zone: str | None = None,
        key: str | None = None,
        files: Mapping[str, Content] | None = None,
    ) -> Made:
        """The birth of a cell on the device ``desk`` of Ana's."""
        config = CellConfig(zone, admins).render()
        every = {CELL_PATH: config, device_path("desk"): enrolled("desk", key), **(files or {})}
        return self.commit([], every, at=at, op="birth", signature=signed(key) if key else UNSIGNED)

    def commit(
        self,
        parents: list[Made],
        files: Mapping[str, Content],
        *,
        at: str,
        op: str = "append",
        targets: tuple[str, ...] = (),
        unstamped: tuple[str, ...] = (),
        actor: str = "ana",
        device: str = "desk",
        message: str | None = None,
        committed: str | None = None,
        signature: Signature = UNSIGNED,
    ) -> Made:
        """Make a commit on ``parents``; ``files`` changes the first one's tree, by path or by date."""
        tree: Tree = dict(parents[0].tree) if parents else {}
        for path, content in files.items():
            _put(tree, path if "/" in path else day_path(path), content)
        named = (*map(Target, targets), *(Target(ref, True) for ref in unstamped))
        audit = Audit(op=op, targets=named, actor=actor, device=device, version="0.1.0")
        said = render_message(audit) if message is None else message
        when = moment(at)
        commit = Commit(
            hashlib.sha1(f"{len(self.made)}".encode(), usedforsecurity=False).hexdigest(),
            tuple(parent.id for parent in parents),
            when,
            moment(committed) if committed else when,
            said,
            tuple(_changes(parent.tree, tree) for parent in parents) or (_changes({}, tree),),
            signature=signature,
        )
        return self._judge(commit, tree, [parent.ancestry for parent in parents])

    def append(self, parent: Made, date: str, *blocks: Block | str, at: str, **said: str) -> Made:
        """Append blocks to a day, as an honest device does."""
        held = parent.content(date)
        made = [block if isinstance(block, Block) else Block(block.encode()) for block in blocks]
        grown = (Day.parse(held, date) if held is not None else Day.new(date)).append(*made)
        return self.commit([parent], {date: grown.with_index("words")}, at=at, **said)  # type: ignore[arg-type]

    def forget(self, parent: Made, date: str, *blocks: Block | str, at: str, **said: str) -> Made:
        """Forget blocks of a day, as ``nutsync forget`` does."""
        bodies = [block.body if isinstance(block, Block) else f"{block}\n".encode() for block in blocks]
        kept, going = [], []
        held = parent.day(date)
        for block in held.blocks:
            (going if block.body in bodies else kept).append(block)
            if block.body in bodies:
                bodies.remove(block.body)
        assert not bodies
        left = held.without(going).with_index("words") if kept else None
        stamped = tuple(f"{date}#{block.id}" for block in going if block.id)
        words = len(going) - len(stamped)
        minted = tuple(f"{date}#{name(700_000 + len(self.made) * 50 + n)}" for n in range(words))
        return self.commit(
            [parent], {date: left}, at=at, op="forget", targets=stamped, unstamped=minted, **said  # type: ignore[arg-type]
        )  # fmt: skip

    def merge(self, *parents: Made, at: str, files: Mapping[str, Content] | None = None, **said: str) -> Made:
        """Merge by the law; ``files`` then takes the place of what the law gave."""
        made: dict[str, Content] = {}
        for path in {path for parent in parents for path in parent.tree}:
            made[path] = next(parent.tree[path] for parent in parents if path in parent.tree)
            date = path[-13:-3]
            if path == day_path(date):
                made[path] = self.law(date, *parents)
        return self.commit(list(parents), {**made, **(files or {})}, at=at, **{"op": "merge", **said})  # type: ignore[arg-type]

    def law(self, date: str, *parents: Made) -> Day | None:
        """What the merge law gives for a day of these parents."""
        sides = [
            Side(
                None if (content := parent.content(date)) is None else Day.parse(content, date),
                ForgottenBefore(parent.ancestry, self.past),
            )
            for parent in parents
        ]
        return merge_sides(date, sides, (), first_words)

    def _judge(self, commit: Commit, tree: Tree, parents: list[Ancestry]) -> Made:
        self.made[commit.id] = Made(commit, tree, [], UNBORN)
        findings = judge(commit, parents, self.past)
        made = Made(commit, tree, findings, UNBORN)
        self.made[commit.id] = made
        made.ancestry = advance(parents, commit, self.past, blurred_days(findings))
        return made

    def _versions(self, commit: str, date: str) -> Versions:
        made = self.made[commit]
        parents = tuple(self.made[parent].content(date) for parent in made.commit.parents)
        return Versions(parents, made.content(date))


def _put(tree: Tree, path: str, content: Content) -> None:
    if content is None:
        tree.pop(path, None)
    elif isinstance(content, tuple):
        tree[path] = content
    else:
        raw = content.render() if isinstance(content, Day) else content
        tree[path] = ("100644", raw.encode() if isinstance(raw, str) else raw)


def _changes(old: Tree, new: Tree) -> tuple[Change, ...]:
    return tuple(
        Change(path, _blob(old.get(path)), _blob(new.get(path)))
        for path in sorted({*old, *new})
        if old.get(path) != new.get(path)
    )


def _blob(file: File | None) -> Blob | None:
    if file is None:
        return None
    mode, content = file
    return Blob(mode, hashlib.sha1(content, usedforsecurity=False).hexdigest(), lambda _: content)


def _zone_offset(zone: str, millis: int) -> int | None:
    when = datetime.fromtimestamp(millis / 1000, ZoneInfo(zone))
    delta = when.utcoffset() or timedelta()
    return int(delta.total_seconds() // 60)


def purge_record(ident: str, date: str) -> dict[str, bytes]:
    """The file that records a purge."""
    at = moment("2026-11-30T12:00+08:00")
    record = PurgeRecord(ident, date, (date,), "ana", "desk", at, "asked for")
    return {purge_path(ident): record.render()}


def changes_between(old: Made, new: Made) -> tuple[Change, ...]:
    """What differs between the trees of two commits."""
    return _changes(old.tree, new.tree)
