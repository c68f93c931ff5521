"""Secrets that are called so: a word such as `password`, and behind it what nobody writes as prose.

The value decides. «The token expires in 30 days», «the password is required» and «api_key =
os.environ[…]» name a secret and tell none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from nutsync.core.credentials.values import is_made_up, is_password, is_strong_password, trimmed

PASSWORD, KEY, ADDRESS = "password", "API key or token", "address with a password"

MARKS = (
    "pass", "pwd", "pword", "secret", "token", "key", "auth", "cred", "bearer", "basic ", "pin", "senha",
    "contrase", "parola", "://", " -u", "phrase", "mnemonic", "口令", "密码", "密碼", "密钥", "密鑰", "令牌",
    "凭证", "私钥", "パスワ", "トークン", "シークレット", "合言葉", "助记词", "비밀번호",
)  # fmt: skip
"""Lower-case substrings: where a text has none of them, nothing here can match."""

_REACH = 60
"""How far behind its name a secret may begin."""


class Named(NamedTuple):
    """A secret that was called one: its kind, where its value begins, and the value."""

    kind: str
    start: int
    value: str


@cache
def _words() -> re.Pattern[str]:
    return re.compile(
        r"(?P<pass>password|passwort|passwd|passphrase|passcode|contrase[nñ]a|parola|senha|mot de passe|pword"
        r"|(?<![a-z])(?:pass|pwd?)(?![a-z])|口令|密[码碼]|パスワード|合言葉|비밀번호)"
        r"|(?P<pin>(?<![a-z])pin(?: code| number)?(?![a-z]))"
        r"|(?P<key>secret(?!ar)|token"
        r"|(?:api|access|account|auth|private|encryption|signing|service|licen[cs]e|master|client|db|database"
        r"|app|bot|storage|shared|subscription|webhook)[ _-]?key"
        r"|(?<![a-z])(?:authorization|auth|credentials?)(?![a-z])|密[钥鑰]|令牌|凭证|私钥|トークン|シークレット)",
        re.IGNORECASE,
    )


@cache
def _said() -> re.Pattern[str]:
    """Match what stands between a name and its value, closing marks before and opening marks behind it."""
    return re.compile(
        r"[\"'`*_»”’」』\])}]*\s{0,3}"
        r"(?::=|=>|->|→|={1,3}|[:：＝]|\b(?:is|was|ist|to|are|es|est)\b:?|は|是|为|為|成|[(（「])"
        r"[\s\"'`*«“‘「『(\[{<]*(?:Bearer\s+|Basic\s+)?",
        re.IGNORECASE,
    )


@cache
def _clause_end() -> re.Pattern[str]:
    return re.compile(r"[;；。，]|[.,](?=\s|$)")


@cache
def _value() -> re.Pattern[str]:
    return re.compile(r"[^\s\"'`，。；、！）「」『』“”‘’]{4,300}")


@cache
def _address() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@\"'`]*:([^\s/@\"'`]{3,})@[\w\[-]", re.ASCII)


@cache
def _header() -> re.Pattern[str]:
    return re.compile(r"\b(?:Bearer|Basic|Token)\s+([\w.~+/-]{16,}=*)", re.ASCII | re.IGNORECASE)


@cache
def _login() -> re.Pattern[str]:
    return re.compile(r"\s(?:-u|--user)[ =]+[\"']?[^\s:\"']+:([^\s\"']{4,})")


@cache
def _seed() -> re.Pattern[str]:
    names = r"(?:(?:seed|recovery|mnemonic|secret) (?:phrase|words)|mnemonic|seed|助记词)"
    return re.compile(rf"{names}[^\n:：=]{{0,30}}[:：=]\s*((?:[a-z]{{3,8}}[ ,]+){{11,23}}[a-z]{{3,8}})", re.I)


def find_named(text: str, lowered: str) -> Iterator[Named]:
    """Yield the secrets of ``text`` that are called so; ``lowered`` is the text in lower case."""
    if "://" in lowered and "@" in lowered:
        for match in _address().finditer(text):
            if is_password(match[1], least=3, plain=True):
                yield Named(ADDRESS, match.start(1), match[1])
    if "bearer" in lowered or "basic" in lowered or "token" in lowered:
        for match in _header().finditer(text):
            if is_made_up(match[1]):
                yield Named(KEY, match.start(1), match[1])
    if " -u" in lowered or " --user" in lowered:
        for match in _login().finditer(text):
            if is_password(match[1]):
                yield Named(PASSWORD, match.start(1), match[1])
    if any(mark in lowered for mark in ("seed", "phrase", "recovery", "mnemonic", "助记词")):
        for match in _seed().finditer(text):
            yield Named("recovery phrase", match.start(1), match[1])
    for word in _words().finditer(text):
        found = _behind(text, word)
        if found is not None:
            yield found


def _behind(text: str, word: re.Match[str]) -> Named | None:
    """Return the secret that stands behind its name on the same line, or None."""
    end = text.find("\n", word.end())
    line_end = len(text) if end < 0 else end
    stop = _clause_end().search(text, word.end(), line_end)
    reach = min(stop.start() if stop else line_end, word.end() + _REACH)
    for said in _said().finditer(text, word.end(), reach):
        value = _value().match(text, said.end(), line_end)
        if value is not None and _is_secret(str(word.lastgroup), trimmed(value[0])):
            return Named(PASSWORD if word["key"] is None else KEY, value.start(), trimmed(value[0]))
    gap = re.compile(r"\w{0,16}[ \t]+[\"'`]?").match(text, word.end(), line_end)
    value = _value().match(text, gap.end(), line_end) if gap else None
    if value is None or word["pin"] is not None:
        return None
    bare = trimmed(value[0])
    if is_strong_password(bare) or (word["key"] is not None and len(bare) >= 20 and is_made_up(bare)):
        return Named(PASSWORD if word["key"] is None else KEY, value.start(), bare)
    return None


def _is_secret(group: str, value: str) -> bool:
    if group == "pass":
        return is_password(value)
    if group == "pin":
        return value.isascii() and value.isdigit() and 4 <= len(value) <= 8
    return is_made_up(value)
