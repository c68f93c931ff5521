"""How many credentials are caught, and how often an honest text is refused.

    python -m bench.secrets [FILE...] [--show]

Caught is measured on a made corpus: 200 credentials of 20 kinds, drawn by a fixed seed in the shape
their issuers use, each in a sentence as people and agents write them. False alarms are measured on
every text of every FILE (JSON lines); each such text is an entry. ``--show`` prints what was missed.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import string
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from nutsync.operations.secrets import find_secret

LETTERS = string.ascii_letters + string.digits
EACH = 10
SEED = 20261130

Make = Callable[[random.Random], str]


def draw(chance: random.Random, length: int, alphabet: str = LETTERS) -> str:
    """Return ``length`` random characters."""
    return "".join(chance.choice(alphabet) for _ in range(length))


def _hex(chance: random.Random, length: int) -> str:
    return draw(chance, length, "0123456789abcdef")


def _jwt(chance: random.Random) -> str:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head, body = part({"alg": "HS256", "typ": "JWT"}), part({"sub": _hex(chance, 8), "iat": 1800000000})
    return f"{head}.{body}.{draw(chance, 43, LETTERS + '-_')}"


def _private_key(chance: random.Random) -> str:
    name = chance.choice(["RSA ", "EC ", "OPENSSH ", ""])
    body = "\n".join(draw(chance, 64, LETTERS + "+/") for _ in range(4))
    return f"-----BEGIN {name}PRIVATE KEY-----\n{body}\n-----END {name}PRIVATE KEY-----"


def _password(chance: random.Random) -> str:
    """Return a password as people make them: words with numbers and symbols, or drawn by a manager."""
    words = ["maple", "harbour", "Saturn", "violet", "copper", "Drachen", "otter", "meadow"]
    return chance.choice(
        [
            chance.choice(words).capitalize() + str(chance.randrange(10, 9999)) + chance.choice("!?#$"),
            chance.choice("-_.").join(
                [chance.choice(words), f"{chance.choice(words)}{chance.randrange(10, 99)}"]
            ),
            draw(chance, chance.randrange(10, 20), LETTERS + "!@#%^&*"),
            chance.choice(words) + str(chance.randrange(10, 9999)),
        ]
    )


def _address(chance: random.Random) -> str:
    scheme = chance.choice(["postgresql", "mysql", "mongodb+srv", "redis", "https", "amqp"])
    user = chance.choice(["app", "admin", "svc-report", ""])
    return (
        f"{scheme}://{user}:{draw(chance, chance.randrange(8, 20))}@db{chance.randrange(9)}.example.net/main"
    )


KEY_NAMES = ("API_KEY=", "api key: ", "token: ", "client_secret = ", "密钥：")
PASSWORD_NAMES = ("password: ", "the wifi password is ", "DB_PASSWORD=", "密码是 ", "pwd=")

KINDS: dict[str, Make] = {
    "AWS access key": lambda c: chance_of(c, "AKIA", "ASIA") + draw(c, 16, string.ascii_uppercase + "234567"),
    "AWS secret key": lambda c: f"aws_secret_access_key = {draw(c, 40, LETTERS + '+/')}",
    "GitHub token": lambda c: chance_of(c, "ghp_", "gho_", "ghs_") + draw(c, 36),
    "GitHub fine-grained": lambda c: f"github_pat_{draw(c, 22)}_{draw(c, 59)}",
    "GitLab token": lambda c: "glpat-" + draw(c, 20, LETTERS + "-_"),
    "Slack token": lambda c: f"xoxb-{draw(c, 12, string.digits)}-{draw(c, 12, string.digits)}-{draw(c, 24)}",
    "Slack webhook": lambda c: f"https://hooks.slack.com/services/T{draw(c, 8)}/B{draw(c, 10)}/{draw(c, 24)}",
    "Stripe key": lambda c: chance_of(c, "sk_live_", "rk_live_", "sk_test_") + draw(c, 24),
    "Google API key": lambda c: "AIza" + draw(c, 35, LETTERS + "-_"),
    "OpenAI key": lambda c: chance_of(c, "sk-", "sk-proj-") + draw(c, 48),
    "Anthropic key": lambda c: "sk-ant-api03-" + draw(c, 93, LETTERS + "-_") + "AA",
    "JSON web token": _jwt,
    "private key": _private_key,
    "SendGrid key": lambda c: f"SG.{draw(c, 22, LETTERS + '-_')}.{draw(c, 43, LETTERS + '-_')}",
    "npm or PyPI token": lambda c: chance_of(c, "npm_" + draw(c, 36), "pypi-AgEIcHlwaS5vcmc" + draw(c, 100)),
    "Telegram bot token": lambda c: f"{c.randrange(10**8, 10**10)}:AA{draw(c, 33, LETTERS + '-_')}",
    "Azure storage key": lambda c: f"AccountName=memo;AccountKey={draw(c, 86, LETTERS + '+/')}==",
    "address with a password": _address,
    "API key by name": lambda c: c.choice(KEY_NAMES) + chance_of(c, _hex(c, 32), draw(c, 32), draw(c, 24)),
    "password": lambda c: c.choice(PASSWORD_NAMES) + _password(c),
}  # fmt: skip
SENTENCES = (
    "{}",
    "Ana put {} into the deploy settings.",
    "Use {} for staging until Friday",
    "生产环境用的是 {}，周五更换。",
    "- env: `{}`",
    'config: "{}"',
    "Rotated today. Old one was\n{}\nand the ticket is closed.",
)


def chance_of(chance: random.Random, *choices: str) -> str:
    """Return one of ``choices``."""
    return chance.choice(choices)


def corpus() -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of the made credentials, the same at every run."""
    chance = random.Random(SEED)
    for kind, make in KINDS.items():
        for number in range(EACH):
            yield kind, SENTENCES[number % len(SENTENCES)].format(make(chance))


def texts(paths: Iterable[Path]) -> Iterator[str]:
    """Yield every text of every row of JSON lines."""
    for path in paths:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield from (value for value in json.loads(line).values() if isinstance(value, str))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    made = list(corpus())
    caught: Counter[str] = Counter()
    for kind, text in made:
        found = find_secret(text)
        caught[kind] += found is not None
        if found is None and asked.show:
            print(f"missed {kind}: {text}")
    print(f"caught: {caught.total()} of {len(made)} ({caught.total() / len(made):.1%})")
    print("  " + ", ".join(f"{kind} {caught[kind]}" for kind in KINDS))
    start, entries, alarms = time.perf_counter(), 0, 0
    for text in texts(asked.files):
        entries += 1
        found = find_secret(text)
        alarms += found is not None
        if found is not None and asked.show:
            print(f"alarm: {found.kind} in {text[:60]!r}…")
    if entries:
        spent = (time.perf_counter() - start) / entries * 1e6
        rate = alarms / entries * 10_000
        print(f"false alarms: {alarms} of {entries:,} ({rate:.2f} in 10,000), {spent:.0f} µs each")


if __name__ == "__main__":
    main()
