"""How short built index lines are, and how much of the search they keep.

    python -m bench.index_quality FILE... [--memory FILE --questions FILE]

Each FILE holds one JSON object a line with ``date`` and ``text``: printed is the share of the texts'
characters that the days' built index lines hold, over all and by the entry's length, with the time
to build one clause. With ``--memory`` and ``--questions`` (also JSON lines; ``conv`` or ``user``
names whose memory it is, ``evidence_dates`` the days that hold the answer) the days are ranked for
each question by plain BM25 and as nutsync's recall ranks them, once over their full text and once over
their index lines alone: printed is the share of evidence days among the first 1, 5 and 10. For every
FILE the same is measured with known-item queries: the three rarest terms of one sentence of an entry
must find its day.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import snowballstemmer  # type: ignore[import-untyped]

from nutsync.core.index import Said, build_clause, build_index
from nutsync.core.recall.collection import Collection, Passage
from nutsync.core.recall.fold import fold
from nutsync.core.recall.question import take_apart
from nutsync.core.recall.rank import rank
from nutsync.core.recall.tokens import Terms

LENGTHS = (20, 40, 80, 160, 320, 1000, 10**9)
AT = (1, 5, 10)
_TERM = re.compile(r"[^\W_\u3041-\u30ff\u3400-\u9fff]+|[\u3041-\u30ff\u3400-\u9fff]+")
_STOP = frozenset(
    """
a an the i you he she it we they me him her us them my your his its our their is are was were be been am do
does did have has had of to in on at for with by from and or but not that this what which who whom whose
when where why how as so if than then there s t m re ve ll d would could can will
""".split()
)
_STEM = snowballstemmer.stemmer("english").stemWord


def terms(text: str) -> list[str]:
    """Return the stemmed words of a text, and the pairs of Chinese and Japanese characters."""
    found: list[str] = []
    for run in _TERM.findall(fold(text)):
        if run[0] >= "\u3041" and not run[0].isascii():
            found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        elif run not in _STOP:
            found.append(_STEM(run))
    return found


class Ranking:
    """BM25 over the days of one memory."""

    def __init__(self, days: Mapping[str, str]) -> None:
        self.counts = {day: Counter(terms(text)) for day, text in days.items()}
        self.sizes = {day: sum(count.values()) for day, count in self.counts.items()}
        self.mean = sum(self.sizes.values()) / max(1, len(self.sizes))
        self.spread = Counter(term for count in self.counts.values() for term in count)

    def rarity(self, term: str) -> float:
        """Return how much a term tells: nothing where no day has it."""
        seen = self.spread[term]
        return math.log(1 + (len(self.counts) - seen + 0.5) / (seen + 0.5)) if seen else 0.0

    def first(self, query: Iterable[str], limit: int) -> list[str]:
        """Return the days that fit best."""
        wanted = sorted({term for term in query if self.spread[term]})
        scores = {}
        for day, count in self.counts.items():
            norm = 1.2 * (0.25 + 0.75 * self.sizes[day] / (self.mean or 1))
            scores[day] = sum(
                self.rarity(term) * count[term] * 2.2 / (count[term] + norm)
                for term in wanted
                if term in count
            )
        ranked = sorted(scores, key=lambda day: (-scores[day], day))
        return [day for day in ranked[:limit] if scores[day] > 0]


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def texts_of(row: Mapping[str, Any]) -> list[str]:
    """Return what one row says; a dialogue's row holds two entries."""
    return [row[key] for key in ("text", "query", "response") if row.get(key)]


def by_day(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the entries of each date."""
    days: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        days[row["date"]] += texts_of(row)
    return dict(days)


def lines(days: Mapping[str, Sequence[str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return each day's full text and its built index line."""
    full = {day: "\n".join(texts) for day, texts in days.items()}
    return full, {day: build_index([Said(text) for text in texts]) for day, texts in days.items()}


def print_share(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the share of characters that the index lines hold, over all and by length."""
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row.get("conv") or row.get("user") or ""].append(row)
    total = held = 0
    for group in groups.values():
        full, index = lines(by_day(group))
        total += sum(map(len, full.values()))
        held += sum(map(len, index.values()))
    texts = [text for row in rows for text in texts_of(row)]
    started = time.perf_counter()
    clauses = [build_clause(Said(text)) for text in texts]
    each = (time.perf_counter() - started) / len(texts) * 1e6
    print(f"{name}: {len(texts)} entries, index {held / total:.3f} of the characters, {each:.0f} µs a clause")
    low = 0
    for high in LENGTHS:
        sizes = [(len(t), len(c)) for t, c in zip(texts, clauses, strict=True) if low <= len(t) < high]
        if sizes:
            whole = sum(size for size, _ in sizes)
            print(f"   {low:5}–{high - 1:<10} {len(sizes):6} entries {sum(c for _, c in sizes) / whole:6.3f}")
        low = high


def recall_of(
    queries: Sequence[tuple[str, list[str], set[str]]], days: Mapping[str, Mapping[str, str]]
) -> list[float]:
    """Return the mean share of evidence days among the first 1, 5 and 10 days."""
    rankings = {owner: Ranking(texts) for owner, texts in days.items()}
    sums = [0.0] * len(AT)
    for owner, query, evidence in queries:
        first = rankings[owner].first(query, max(AT))
        for n, depth in enumerate(AT):
            sums[n] += len(evidence & set(first[:depth])) / len(evidence)
    return [total / len(queries) for total in sums]


def print_recall(
    name: str, queries: Sequence[tuple[str, list[str], set[str]]], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Print recall over the full text and over the index lines alone."""
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row.get("conv") or row.get("user") or ""].append(row)
    pairs = {owner: lines(by_day(group)) for owner, group in groups.items()}
    full = recall_of(queries, {owner: pair[0] for owner, pair in pairs.items()})
    index = recall_of(queries, {owner: pair[1] for owner, pair in pairs.items()})
    print(f"{name}: {len(queries)} queries")
    for label, values in (("full text", full), ("index lines", index)):
        print(
            "   "
            + f"{label:12}"
            + "  ".join(f"@{k} {value:.3f}" for k, value in zip(AT, values, strict=True))
        )


def print_nutsync_recall(asked: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the same as nutsync ranks: entries with their speakers, against bare index lines."""
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row.get("conv") or row.get("user") or ""].append(row)
    made = Terms(_STEM)
    held: dict[str, dict[str, Collection]] = {"full text": {}, "index lines": {}}
    for owner, group in groups.items():
        said = [Passage(r["date"], text, r.get("speaker", "")) for r in group for text in texts_of(r)]
        index = [Passage(day, line) for day, line in lines(by_day(group))[1].items()]
        held["full text"][owner] = Collection(said, made)
        held["index lines"][owner] = Collection(index, made)
    for label, collections in held.items():
        sums = [0.0] * len(AT)
        for question in asked:
            collection = collections[question.get("conv") or question.get("user") or ""]
            taken = take_apart(question["question"], collection.days[-1], made)
            first = [day.date for day in rank(collection, taken)[: max(AT)]]
            evidence = set(question["evidence_dates"])
            for n, depth in enumerate(AT):
                sums[n] += len(evidence & set(first[:depth])) / len(evidence)
        values = zip(AT, (total / len(asked) for total in sums), strict=True)
        print("   " + f"{label:12}" + "  ".join(f"@{k} {value:.3f}" for k, value in values) + "  (nutsync)")


def asking(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the questions that name days as evidence; the adversarial category asks for none."""
    return [row for row in rows if row.get("evidence_dates") and row.get("category") != 5]


def questions(rows: Iterable[Mapping[str, Any]]) -> list[tuple[str, list[str], set[str]]]:
    """Return whose memory, the terms and the evidence days of each question."""
    return [
        (row.get("conv") or row.get("user") or "", terms(row["question"]), set(row["evidence_dates"]))
        for row in rows
    ]


def known_items(
    rows: Sequence[Mapping[str, Any]], count: int, seed: int
) -> list[tuple[str, list[str], set[str]]]:
    """Return queries made of the three rarest terms of one sentence of a random entry."""
    days = {day: "\n".join(texts) for day, texts in by_day(rows).items()}
    ranking = Ranking(days)
    source = random.Random(seed)
    queries: list[tuple[str, list[str], set[str]]] = []
    while len(queries) < count:
        row = source.choice(rows)
        sentences = [s for s in re.split(r"[.!?。！？\n]+", row["text"]) if s.strip()]
        found = sorted(set(terms(source.choice(sentences)))) if sentences else []
        rare = sorted(found, key=lambda term: (-ranking.rarity(term), term))[:3]
        if rare:
            queries.append(("", rare, {row["date"]}))
    return queries


def main() -> None:
    """Measure the files named on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--memory", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--known", type=int, default=500, help="how many known-item queries a file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for path in options.files:
        rows = read(path)
        print_share(path.name, rows)
        if options.known:
            items = known_items(rows, options.known, options.seed)
            print_recall("   known items", items, [{"date": r["date"], "text": r["text"]} for r in rows])
    if options.memory and options.questions:
        rows = read(options.memory)
        print_share(options.memory.name, rows)
        asked = asking(read(options.questions))
        print_recall(options.questions.name, questions(asked), rows)
        print_nutsync_recall(asked, rows)


if __name__ == "__main__":
    main()
