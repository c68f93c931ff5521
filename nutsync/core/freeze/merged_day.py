"""Rule 7, one day: its blocks in a merge, against the union of all parents' blocks minus F."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

from nutsync.core.ancestry import Gone, count_in
from nutsync.core.day import Day
from nutsync.core.entry import Block
from nutsync.core.freeze.case import Case
from nutsync.core.freeze.form import form_of, worsened
from nutsync.core.merge import is_indented, join_indented, stamped_key

_NOTHING = Gone()


def judge_merged_blocks(
    case: Case, path: str, date: str, new: bytes | None, olds: Sequence[bytes | None]
) -> None:
    """Judge one day of a merge; ``olds`` are the versions of all parents, in their order."""
    day = Day.parse(new or b"", date)
    parents = _with_one_top([Day.parse(old or b"", date) for old in olds])
    _Judgement(case, path, date, day, parents, case.known.gone.get(date) or _NOTHING).run()
    if new is not None:
        _judge_form(case, path, day, [p for p, old in zip(parents, olds, strict=True) if old is not None])


@dataclass(frozen=True)
class _Judgement:
    case: Case
    path: str
    date: str
    day: Day
    parents: Sequence[Day]
    gone: Gone

    def run(self) -> None:
        self._judge_stamped()
        self._judge_unstamped()
        self._judge_order()

    def _say(self, code: str, message: str, ref: str) -> None:
        self.case.out.add(code, message, path=self.path, ref=ref)

    def _say_lost(self, code: str, message: str, ref: str) -> None:
        """Say that blocks differ from the parents', or that Git's union only tore them into their lines."""
        if self._is_torn:
            self._say("merge-torn", f"The lines of {ref} stand apart from each other.", ref)
        else:
            self._say(code, message, ref)

    @cached_property
    def _is_torn(self) -> bool:
        """Whether every line of the parents is still there, as often as in any of them, and no other."""
        lines = _lines(self.day.parts)
        known = {line for parent in self.parents for line in parent.render().split(b"\n")}
        kept = (_lines(self._surviving(place)) for place in range(len(self.parents)))
        return lines.keys() <= known and all(side <= lines for side in kept)

    def _surviving(self, place: int) -> Iterable[Block]:
        """Yield the blocks of one parent that were not forgotten."""
        left = {body: self._wanted(body) for body in _unstamped(self.parents[place])}
        for block in self.parents[place].blocks:
            if block.id is not None:
                if block.id not in self.gone.ids:
                    yield block
            elif left[block.body] > 0:
                left[block.body] -= 1
                yield block

    # --- Stamped entries: by id and bytes ---

    def _judge_stamped(self) -> None:
        union = {(name, body): None for parent in self.parents for name, body in _stamped(parent)}
        actual = Counter(_stamped(self.day))
        ids = {name for name, _ in actual}
        known = {name for name, _ in union}
        for name, body in union:
            if (name, body) not in actual and name not in self.gone.ids:
                ref = f"{self.date}#{name}"
                if name in ids:
                    self._say_lost("merge-altered", f"{ref} was changed by the merge.", ref)
                else:
                    self._say_lost("merge-lost", f"{ref} was lost in the merge.", ref)
        for (name, body), times in actual.items():
            self._judge_present(name, (name, body) in union, name in known, times)

    def _judge_present(self, name: str, is_ours: bool, is_known: bool, times: int) -> None:
        ref = f"{self.date}#{name}"
        if name in self.case.purged:
            self._say("purged-returned", f"{ref} was purged and is there again.", ref)
        elif name in self.gone.ids:
            code = "merge-returned" if is_ours or (is_known and self._is_torn) else "forgotten-returned"
            self._say(code, f"{ref} was forgotten and is there again.", ref)
        elif not is_known:
            self._say("merge-added", f"{ref} stands in none of the merge's parents.", ref)
        if times > 1:
            self._say("merge-doubled", f"{ref} stands there {times} times.", ref)

    # --- Unstamped blocks: by bytes and number (nutsync.core.forgotten) ---

    @cached_property
    def _sides(self) -> list[Counter[bytes]]:
        return [Counter(_unstamped(parent)) for parent in self.parents]

    def _judge_unstamped(self) -> None:
        actual = Counter(_unstamped(self.day))
        for body in {body: None for side in self._sides for body in side} | dict.fromkeys(actual):
            wanted = self._wanted(body)
            if actual[body] < wanted:
                self._say_lost("merge-lost", f"Something unstamped of {self.date} was lost.", self.date)
            elif actual[body] > wanted:
                self._judge_surplus(body, actual[body])

    def _wanted(self, body: bytes) -> int:
        """Return how many of an unstamped block the union less F holds."""
        forgotten = [self._forgotten(place, body) for place in range(len(self._sides))]
        ever = max(f + side[body] for f, side in zip(forgotten, self._sides, strict=True))
        return max(0, ever - max(forgotten))

    def _forgotten(self, parent: int, body: bytes) -> int:
        if not self.gone.events:
            return 0
        events = self.case.parents[parent].gone_on(self.date).events
        return count_in(events, self.date, body, self.case.past)

    def _judge_surplus(self, body: bytes, actual: int) -> None:
        if actual <= sum(side[body] for side in self._sides):
            forgotten = any(self._forgotten(place, body) for place in range(len(self._sides)))
            code = "merge-returned" if forgotten else "merge-doubled"
            self._say(code, f"Something unstamped of {self.date} stands there too often.", self.date)
        elif self._is_front_line(body):
            self._say("merge-front", f"A line of the frontmatter of {self.date} is in its text.", self.date)
        else:
            message = f"Something of {self.date} stands in no parent of the merge."
            self._say_lost("merge-added", message, self.date)

    def _is_front_line(self, body: bytes) -> bool:
        lines = {line for parent in self.parents for line in parent.front.raw.split(b"\n") if line}
        return all(line in lines for line in body.split(b"\n") if line)

    # --- Order and headings ---

    def _judge_order(self) -> None:
        stamped = dict.fromkeys(block for block in self.day.blocks if block.id is not None)
        keys = [(stamped_key(self.date, block), block.body) for block in stamped]
        bodies = [block.body for block in self.day.blocks]
        if keys != sorted(keys) and all(bodies != [b.body for b in parent.blocks] for parent in self.parents):
            self._say("merge-order", f"The entries of {self.date} are not in their order.", self.date)
        if self.day.heading_count > max(1, *(parent.heading_count for parent in self.parents)):
            self._say("merge-front", f"{self.date} has a second heading.", self.date)


def _with_one_top(parents: list[Day]) -> list[Day]:
    """Let every parent whose first lines are indented have the block that the law makes of all of theirs."""
    tops = [day.parts[0] for day in parents if day.parts and is_indented(day.parts[0])]
    if len(set(tops)) < 2:
        return parents
    top = reduce(join_indented, tops)
    return [
        day.replace_block(day.parts[0], top) if day.parts and day.parts[0] in tops else day for day in parents
    ]


def _lines(parts: Iterable[Block]) -> Counter[bytes]:
    return Counter(line for part in parts for line in part.body.split(b"\n") if line.strip())


def _stamped(day: Day) -> list[tuple[str, bytes]]:
    return [(block.id, block.body) for block in day.blocks if block.id is not None]


def _unstamped(day: Day) -> list[bytes]:
    return [block.body for block in day.blocks if block.id is None]


def _judge_form(case: Case, path: str, day: Day, parents: Sequence[Day]) -> None:
    """The index is judged by form alone; Git's union gives a second line of it."""
    form = form_of(day)
    for code, message in worsened(form, [form_of(parent) for parent in parents]):
        if code == "form-ids":
            continue  # said above, with its ref; two texts under one id are the parents' doing
        if code == "form-front" and (day.front.problem or "").startswith("two "):
            code = "merge-front"
        case.out.add(code, f"In {day.date} {message}.", path=path, ref=day.date)
