"""Which days and entries answer a question best.

A day is scored by its whole text, by its best run of neighbouring entries and by how much of the
question such a run covers; then by how its date fits the dates asked for, and by whether somebody
named in the question is speaking. What pays was measured; one set of weights serves all languages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp

from nutsync.core.recall.collection import Collection, Sums
from nutsync.core.recall.dates import When
from nutsync.core.recall.question import Question

# Fitted as one softmax over the days of two conversations, checked on a third.
_DAY, _RUN, _COVER, _TIME, _DATE = 0.55, 0.45, 0.8, 0.7, 4.0
_LONG_QUESTION = -0.3  # the exponent of the question's weight: long questions score higher by nature
_OTHER_SPEAKER = 0.5  # what a run counts for cover when somebody else than the one named leads it
# Telling follows the event and seldom comes before it; the day that was named is the best of all.
_AFTER, _BEFORE, _NEXT_DAY, _VERY_DAY = 10.0, 3.0, 0.4, 2.0
# Where the words find nothing, the days on which somebody named spoke, the first ones first: who a
# person is, is told early and seldom again.
_FIRST_WORDS = 0.01
_CORRECTED = 1.001  # a correction stands just before what it corrects


@dataclass(frozen=True, slots=True)
class RankedDay:
    """A day, with those of its entries that say something, by position in the collection; best first."""

    date: str
    score: float
    entries: tuple[tuple[int, float], ...]


def rank(held: Collection, question: Question) -> list[RankedDay]:
    """Return the days that have something to say to ``question``, best first; of equals the newer one."""
    if not held.passages:
        return []
    named, called = _named(held, question)
    asked = held.with_akin({term: w for term, w in question.terms.items() if term not in called})
    sums = Sums(held, asked, question.pairs)
    entries = sums.entries()
    scores = _by_words(held, sums, entries, named, asks_time=question.asks_time)
    _add_dates(scores, held, question.whens)
    for day in {day for n, day in enumerate(held.day_of) if held.speaker(n) in named}:
        scores.setdefault(day, _FIRST_WORDS * (1 - day / len(held.days)))
    told = held.by_passage(entries)
    _correct(scores, told, held)
    return _in_order(scores, told, held)


def _named(held: Collection, question: Question) -> tuple[set[str], set[str]]:
    """Return the actors that the question names, whole or by a beginning, and the terms that do so."""
    named, called = set(), set()
    for actor, folded in held.actors.items():
        for word, term in question.words.items():
            if folded == word or (len(word) > 2 and folded.startswith(word)):
                named.add(actor)
                called.add(term)
    return named, called


def _by_words(
    held: Collection, sums: Sums, entries: Mapping[int, float], named: set[str], *, asks_time: bool
) -> dict[int, float]:
    runs = held.spread(entries)
    led = {n: 1.0 if not named or held.speaker(n) in named else 0.0 for n in runs}
    best_run = held.best({n: score * led[n] for n, score in runs.items()})
    leads = {n: _OTHER_SPEAKER + (1 - _OTHER_SPEAKER) * said for n, said in led.items()}
    best_cover = held.best({n: score * leads[n] for n, score in sums.cover().items()})
    timely: dict[int, float] = {}
    if asks_time:
        timely = held.best({n: score * led[n] for n, score in runs.items() if held.tells_time[n]})
    scale = max(sums.weight, 1.0) ** _LONG_QUESTION
    return {
        day: scale
        * (
            _DAY * whole
            + _RUN * best_run.get(day, 0.0)
            + _COVER * best_cover.get(day, 0.0)
            + _TIME * timely.get(day, 0.0)
        )
        for day, whole in sums.days().items()
    }


def _add_dates(scores: dict[int, float], held: Collection, whens: Sequence[When]) -> None:
    """Add to each day how well it fits the best of the dates asked for."""
    for day, ordinal in enumerate(held.ordinals):
        fit = max((_fit(when, when.gap(ordinal)) for when in whens), default=0.0)
        if fit > 0.01:
            scores[day] = scores.get(day, 0.0) + _DATE * fit


def _fit(when: When, gap: int) -> float:
    if gap == 0:
        return _VERY_DAY if when.is_day else 1.0
    return _NEXT_DAY * exp((1 - gap) / _AFTER) if gap > 0 else exp(gap / _BEFORE)


def _correct(scores: dict[int, float], told: dict[int, float], held: Collection) -> None:
    """Put each correction, and its day, before what it corrects; the older ones first, for chains."""
    day_of = {day: n for n, day in enumerate(held.days)}
    for passage in held.corrections:
        target = held.positions.get(held.passages[passage].corrects)
        if target is None or target not in told:
            continue
        told[passage] = max(told.get(passage, 0.0), _CORRECTED * told[target])
        day, old = day_of[held.passages[passage].date], day_of[held.passages[target].date]
        if day != old:
            scores[day] = max(scores.get(day, 0.0), _CORRECTED * scores.get(old, 0.0))


def _in_order(scores: Mapping[int, float], told: Mapping[int, float], held: Collection) -> list[RankedDay]:
    by_day: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for passage, score in told.items():
        by_day[held.passages[passage].date].append((passage, score))
    return [
        RankedDay(name, scores[day], tuple(sorted(by_day[name], key=lambda one: (-one[1], one[0]))))
        for day, name in sorted(enumerate(held.days), key=lambda one: (-scores.get(one[0], 0.0), -one[0]))
        if day in scores
    ]
