"""Which columns of a foreign source bear text (design §6, import: every one of them is kept as text).

Taken for text in doubt: text is found again, an attribute only shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from nutsync.core.pattern import pattern

MAIN_COLUMNS = ("text", "content", "body")
"""What they hold is the entry itself, in this order; what others hold is named by its column."""

REQUEST_COLUMNS = ("date", "time", "actor", "author", "kind", "layer", "namespace")
"""What they hold is asked for or stamped, never text."""

_NAMED = frozenset(
    "message messages note notes title subject summary description caption comment remark query question "
    "prompt input response answer reply completion output observation thought memory entry log dialogue "
    "quote 正文 内容 标题 摘要 备注 说明 评论 问 答 问题 回答 回复 提问 消息 记忆 日记 笔记 本文 質問".split()
)
_ATTRIBUTE_LIMIT = 80
_MOST_WORDS = 3
_MOST_SIGNS = 6
_SIGN = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_SENTENCE = pattern(r"[，。！？；…]|[.!?]$|[,;:!?] ")


def text_columns(rows: Iterable[object]) -> frozenset[str]:
    """Return the columns that bear text in any of ``rows``: they bear it in all of them."""
    found = set(MAIN_COLUMNS)
    for row in rows:
        if isinstance(row, Mapping):
            found |= {name for name, value in row.items() if name not in found and _bears_text(name, value)}
    return frozenset(found)


def text_of(row: Mapping[str, object], columns: frozenset[str]) -> tuple[str, frozenset[str]]:
    """Return the text that a row's columns make, and their names.

    Where none of ``columns`` says anything, every column with letters does: a row is something said.
    """
    told = {
        name: shown(value)
        for name, value in row.items()
        if name not in REQUEST_COLUMNS and name in columns and value not in (None, "")
    }
    if not told:
        told = {
            name: value
            for name, value in row.items()
            if name not in REQUEST_COLUMNS and isinstance(value, str) and any(map(str.isalpha, value))
        }
    main = [told[name] for name in MAIN_COLUMNS if name in told and isinstance(row[name], str)]
    rest = [
        f"{name}: {value}"
        for name, value in told.items()
        if name not in MAIN_COLUMNS or not isinstance(row[name], str)
    ]
    return "\n\n".join((*main, *rest)), frozenset(told)


def shown(value: object) -> str:
    """Return a value as text: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _bears_text(name: str, value: object) -> bool:
    """Tell whether a column holds something said rather than a label.

    It has a name that says so, or a value that is a sentence, has several words or lines, or is long.
    """
    if name in REQUEST_COLUMNS or value in (None, ""):
        return False
    told = shown(value)
    return (
        (name.strip().lower() in _NAMED and not isinstance(value, bool | int | float))
        or "\n" in told
        or len(told) > _ATTRIBUTE_LIMIT
        or len(told.split()) > _MOST_WORDS
        or len(_SIGN.findall(told)) > _MOST_SIGNS
        or (isinstance(value, str) and _SIGN.search(told) is not None and _SENTENCE.search(told) is not None)
    )
