"""How often recall finds the days that hold the answer.

    python -m bench.recall_quality --memory FILE --questions FILE [--index-lines]
    python -m bench.recall_quality --known-items FILE [--count 500] [--seed 1]

A memory holds one JSON object a line: ``date`` and ``text`` (or ``query`` and ``response``), with
``speaker`` or ``actor``, and ``conv`` or ``user`` to say whose memory it is; ``caption`` is text as well.
A question has ``question``, ``evidence_dates`` and perhaps ``category``. Printed is the mean share of
evidence days among the first 1, 5 and 10, by category, for nutsync, for grep of the question's words
and for BM25, each with the milliseconds a question takes when the memory has been read. Questions
without evidence days and of category 5 (adversarial: no answer exists) are left out. With
``--index-lines`` the built index lines are searched instead of the text.

With ``--known-items``, phrases of random entries are asked for in other forms.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.known_items import measure, pick_items
from bench.rankers import RANKERS, Nutsync, Ranker
from nutsync.core.index import Said, build_index, split_clauses
from nutsync.core.recall.collection import Passage

AT = (1, 5, 10)
ADVERSARIAL = 5
Row = Mapping[str, Any]


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def owner_of(row: Row) -> str:
    """Return whose memory a row belongs to."""
    return str(row.get("conv") or row.get("user") or "")


def passages_of(rows: Iterable[Row]) -> list[Passage]:
    """Return the entries of a memory in the order of their days."""
    found = []
    for row in rows:
        parts = [row[key] for key in ("text", "caption", "body", "query", "response") if row.get(key)]
        actor = row.get("speaker") or row.get("actor") or row.get("author") or ""
        found.append(Passage(row["date"], "\n".join(parts), actor))
    return sorted(found, key=lambda passage: passage.date)


def index_passages(passages: Sequence[Passage]) -> list[Passage]:
    """Return the clauses of the index lines that would be built for these days."""
    days: dict[str, list[Said]] = defaultdict(list)
    for passage in passages:
        days[passage.date].append(Said(passage.text))
    return [Passage(day, clause) for day, said in days.items() for clause in split_clauses(build_index(said))]


class Tally:
    """Sums of recall over questions."""

    def __init__(self) -> None:
        self.many = 0
        self._sums = [0.0] * len(AT)

    def add(self, days: Sequence[str], evidence: set[str]) -> None:
        self.many += 1
        for n, depth in enumerate(AT):
            self._sums[n] += len(evidence & set(days[:depth])) / len(evidence)

    def __str__(self) -> str:
        shares = (f"@{depth} {total / self.many:.3f}" for depth, total in zip(AT, self._sums, strict=True))
        return f"{self.many:5}  {'  '.join(shares)}"


def measure_questions(
    make: Callable[[Sequence[Passage]], Ranker], memories: Mapping[str, list[Passage]], questions: list[Row]
) -> tuple[dict[str, Tally], float]:
    """Return recall by category, and the seconds that all questions took."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    rankers = {owner: make(passages) for owner, passages in memories.items()}
    seconds = 0.0
    for question in questions:
        evidence = set(question["evidence_dates"])
        started = time.perf_counter()
        days = rankers[owner_of(question)].days(question["question"])
        seconds += time.perf_counter() - started
        groups = ["all", "one day" if len(evidence) == 1 else "several days"]
        if "category" in question:
            groups.append(f"category {question['category']}")
        for group in groups:
            tallies[group].add(days, evidence)
    return tallies, seconds


def answerable(questions: Iterable[Row]) -> list[Row]:
    """Return the questions that days of the memory can answer."""
    return [q for q in questions if q.get("evidence_dates") and q.get("category") != ADVERSARIAL]


def print_questions(memory: Path, questions: Path, *, index_lines: bool) -> None:
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in read(memory):
        rows[owner_of(row)].append(row)
    memories = {owner: passages_of(own) for owner, own in rows.items()}
    asked = [q for q in answerable(read(questions)) if owner_of(q) in memories]
    if index_lines:
        memories = {owner: index_passages(passages) for owner, passages in memories.items()}
    what = "index lines" if index_lines else "full text"
    print(f"{questions.name}: {len(asked)} questions on {len(memories)} memories, {what}")
    for name, make in RANKERS.items():
        tallies, seconds = measure_questions(make, memories, asked)
        print(f"{name}: {seconds / max(1, len(asked)) * 1000:.2f} ms a question")
        for group in sorted(tallies, key=lambda group: (group != "all", group)):
            print(f"   {group:13}{tallies[group]}")


def print_known_items(path: Path, count: int, seed: int) -> None:
    passages = passages_of(read(path))
    items = pick_items(passages, count, seed)
    print(f"{path.name}: {len(items)} known items among {len({p.date for p in passages})} days")
    for form, (many, first, five) in measure(items, Nutsync(passages).days, seed).items():
        print(f"   {form:13}{many:5}  @1 {first / many:.3f}  @5 {five / many:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.recall_quality", description=__doc__.split("\n")[0])
    parser.add_argument("--memory", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--index-lines", action="store_true", help="search index lines instead of the text")
    parser.add_argument("--known-items", type=Path, nargs="*", default=[], metavar="FILE")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if (options.memory is None) != (options.questions is None):
        parser.error("--memory and --questions belong together")
    if options.memory is None and not options.known_items:
        parser.error("give --memory and --questions, or --known-items")
    if options.memory is not None:
        print_questions(options.memory, options.questions, index_lines=options.index_lines)
    for path in options.known_items:
        print_known_items(path, options.count, options.seed)


if __name__ == "__main__":
    main()
