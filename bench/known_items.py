"""Known items: a phrase of one entry, written as somebody else would write it, must find its day.

For each entry the phrase is the run of neighbouring words within one clause that is rarest in the whole
memory, and stands in one day only. It is then asked for in other forms: case, width, Chinese script,
word order, and as a sentence of other words around it.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.rankers import words
from nutsync.core.recall import hanzi
from nutsync.core.recall.collection import Passage

_WIDE = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_RUN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]+|[^\W_\u3041-\u30ff\u3400-\u9fff]+(?:'[a-z]+)?")
_TO_TRADITIONAL = dict(zip(hanzi.TO, hanzi.FROM, strict=True))
_TO_SIMPLIFIED = dict(zip(hanzi.FROM, hanzi.TO, strict=True))
_LONG = {True: 6, False: 4}  # characters of Chinese, words of English


@dataclass(frozen=True, slots=True)
class Item:
    """A phrase, as its entry writes it, and the day it must find."""

    phrase: tuple[str, ...]
    day: str

    @property
    def is_wide(self) -> bool:
        return bool(_WIDE.match(self.phrase[0]))


def pick_items(passages: Sequence[Passage], count: int, seed: int) -> list[Item]:
    """Return a phrase from each of ``count`` random entries that have one of their own."""
    spread = Counter(piece for p in passages for piece in set(_parts(p.text)))
    everything = "\n".join(" ".join(_pieces(passage.text)).lower() for passage in passages)
    order = list(passages)
    random.Random(seed).shuffle(order)
    found: list[Item] = []
    for passage in order:
        item = _own_phrase(passage, everything, spread, len(passages))
        if item is not None:
            found.append(item)
        if len(found) == count:
            break
    return found


def _pieces(text: str) -> list[str]:
    """Return the words of a text; every Chinese character is one."""
    return [piece for run in _RUN.findall(text) for piece in (run if _WIDE.match(run) else [run])]


def _parts(text: str) -> list[str]:
    """Return what rarity is counted of: words, and pairs of Chinese characters."""
    return words(text)


def _own_phrase(passage: Passage, everything: str, spread: Counter[str], many: int) -> Item | None:
    """Return the rarest run of words of a passage, or None where it has none of its own."""
    best: tuple[float, tuple[str, ...]] = (0.0, ())
    for clause in re.split(r"[^\w\s']", passage.text):
        pieces = _pieces(clause)
        wide = bool(pieces) and bool(_WIDE.match(pieces[0]))
        length = _LONG[wide]
        for start in range(len(pieces) - length + 1):
            phrase = tuple(pieces[start : start + length])
            if any(bool(_WIDE.match(piece)) != wide for piece in phrase):
                continue
            parts = _parts("".join(phrase) if wide else " ".join(phrase))
            rarity = sum(math.log(many / spread[part]) for part in parts if spread[part])
            best = max(best, (rarity, phrase))
    phrase = best[1]
    if not phrase or everything.count(" ".join(phrase).lower()) != 1:
        return None
    return Item(phrase, passage.date)


def forms(item: Item, choice: random.Random) -> Iterator[tuple[str, str]]:
    """Yield (name of the form, what is asked) for one item."""
    space = "" if item.is_wide else " "
    plain = space.join(item.phrase)
    yield "as written", plain
    if item.is_wide:
        yield "other script", _other_script(plain)
        cut = len(item.phrase) // 2
        yield "word order", f"{space.join(item.phrase[cut:])} {space.join(item.phrase[:cut])}"
        yield "paraphrase", f"还记得关于{plain}的那一天吗？那是什么时候的事？"
    else:
        yield "case", plain.upper()
        yield "width", "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in plain)
        turned = list(item.phrase)
        choice.shuffle(turned)
        yield "word order", " ".join(turned)
        yield "paraphrase", f"On which day did I tell you something about {plain}, can you remember?"


def _other_script(text: str) -> str:
    turned = "".join(_TO_TRADITIONAL.get(char, char) for char in text)
    return turned if turned != text else "".join(_TO_SIMPLIFIED.get(char, char) for char in text)


def measure(
    items: Sequence[Item], find: Callable[[str], list[str]], seed: int
) -> dict[str, tuple[int, int, int]]:
    """Return, by form, how many were asked, and found first and among the first five."""
    choice = random.Random(seed)
    sums: dict[str, tuple[int, int, int]] = {}
    for item in items:
        for name, asked in forms(item, choice):
            days = find(asked)
            many, first, five = sums.get(name, (0, 0, 0))
            sums[name] = (many + 1, first + (item.day in days[:1]), five + (item.day in days[:5]))
    return sums
