"""Rule 7, one day: its blocks in a merge, against the union of all parents' blocks minus F."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nutsync.core.ancestry import Gone, count_in
from nutsync.core.day import Day
from nutsync.core.freeze.case import Case
from nutsync.core.freeze.form import form_of, worsened
from nutsync.core.merge import stamped_key

_NOTHING = Gone()


def judge_merged_blocks(
    case: Case, path: str, date: str, new: bytes | None, olds: Sequence[bytes | None]
) -> None:
    """Judge one day of a merge; ``olds`` are the versions of all parents, in their order."""
    day = Day.parse(new or b"", date)
    parents = [Day.parse(old or b"", date) for old in olds]
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
                    self._say("merge-altered", f"{ref} was changed by the merge.", ref)
                else:
                    self._say("merge-lost", f"{ref} was lost in the merge.", ref)
        for (name, body), times in actual.items():
            self._judge_present(name, (name, body) in union, name in known, times)

    def _judge_present(self, name: str, is_ours: bool, is_known: bool, times: int) -> None:
        ref = f"{self.date}#{name}"
        if name in self.case.known.purged:
            self._say("purged-returned", f"{ref} was purged and is there again.", ref)
        elif name in self.gone.ids:
            code = "merge-returned" if is_ours else "forgotten-returned"
            self._say(code, f"{ref} was forgotten and is there again.", ref)
        elif not is_known:
            self._say("merge-added", f"{ref} stands in none of the merge's parents.", ref)
        if times > 1:
            self._say("merge-doubled", f"{ref} stands there {times} times.", ref)

    # --- Unstamped blocks: by bytes and number (nutsync.core.forgotten) ---

    def _judge_unstamped(self) -> None:
        sides = [Counter(_unstamped(parent)) for parent in self.parents]
        actual = Counter(_unstamped(self.day))
        for body in {body: None for side in sides for body in side} | dict.fromkeys(actual):
            forgotten = [self._forgotten(place, body) for place in range(len(sides))]
            ever = max(f + side[body] for f, side in zip(forgotten, sides, strict=True))
            wanted = max(0, ever - max(forgotten))
            if actual[body] < wanted:
                self._say("merge-lost", f"Something unstamped of {self.date} was lost.", self.date)
            elif actual[body] > wanted:
                self._judge_surplus(body, actual[body], sum(side[body] for side in sides), max(forgotten))

    def _forgotten(self, parent: int, body: bytes) -> int:
        if not self.gone.events:
            return 0
        events = self.case.parents[parent].gone_on(self.date).events
        return count_in(events, self.date, body, self.case.past)

    def _judge_surplus(self, body: bytes, actual: int, in_parents: int, forgotten: int) -> None:
        if actual <= in_parents:
            code = "merge-returned" if forgotten else "merge-doubled"
            self._say(code, f"Something unstamped of {self.date} stands there too often.", self.date)
        elif self._is_front_line(body):
            self._say("merge-front", f"A line of the frontmatter of {self.date} is in its text.", self.date)
        else:
            self._say(
                "merge-added", f"Something of {self.date} is in none of the merge's parents.", self.date
            )

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
