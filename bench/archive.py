"""Makes an archive to measure on: years of days in the canonical format, as a real Git repository.

    python -m bench.archive DIRECTORY --years 10 [--until DATE] [--seed 1] [--a-day 8]

One commit a day, through `git fast-import`. The same seed, years and last day give the same commit
ids on every machine. Commits cannot lie before 1970: earlier days are imports made, one commit
each, on 2 January 1970.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

from bench.words import sentence
from nutsync.core.audit import Audit, render_message

ARCHIVE = ".agents/nutstore-sync/memory/archive"
FIRST_COMMIT_DAY = date(1970, 1, 2)
ZONE = timezone(timedelta(hours=8))
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_KINDS = ("fact", "fact", "fact", "decision", "event", "task", "preference")


@dataclass(frozen=True)
class Founding:
    """A commit before the first day: a birth, or a device that joins. ``files`` are those it changes."""

    files: Mapping[str, bytes]
    message: str = "birth\n"
    who: str = "ana@desk"


@dataclass(frozen=True)
class Plan:
    """What archive to make. With ``onto`` the days continue that commit instead of the foundings."""

    years: int = 10
    until: date = date(2026, 11, 29)
    seed: int = 1
    a_day: int = 8
    actor: str = "ana"
    device: str = "desk"
    foundings: Sequence[Founding] = ()
    onto: str | None = None
    days_only: int | None = None

    def days(self) -> Iterator[date]:
        """Yield the days from the first to ``until``; a year is 365 of them, ``days_only`` overrides."""
        count = self.years * 365 if self.days_only is None else self.days_only
        for back in range(count - 1, -1, -1):
            yield self.until - timedelta(days=back)


@dataclass(frozen=True)
class DayCommit:
    """One day file and the commit that brings it."""

    path: str
    content: bytes
    message: str
    seconds: int


def day_path(day: date) -> str:
    """Return where the file of ``day`` lies in its repository."""
    return f"{ARCHIVE}/{day:%Y}/{day.isoformat()}.md"


def day_commits(plan: Plan) -> Iterator[DayCommit]:
    """Yield every day of the plan, oldest first."""
    rng = random.Random(plan.seed)
    import_second = _seconds(FIRST_COMMIT_DAY, 1)
    for day in plan.days():
        imported = day < FIRST_COMMIT_DAY
        refs, content, last_second = _day(rng, plan, day, imported)
        if imported:
            import_second += 1
        yield DayCommit(
            day_path(day),
            content,
            _message(plan, refs, "import" if imported else "append"),
            import_second if imported else last_second,
        )


def _day(rng: random.Random, plan: Plan, day: date, imported: bool) -> tuple[list[str], bytes, int]:
    """Return the refs, the file and the instant of the last entry of one day."""
    name = day.isoformat()
    seconds = sorted(rng.sample(range(7 * 3600, 23 * 3600), plan.a_day))
    lines, clauses, refs = [], [], []
    for second in seconds:
        text, clause = sentence(rng, name)
        entry_id = "".join(rng.choices(_CROCKFORD, k=8))
        at = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{rng.randrange(1000):03d}+08:00"
        attributes = f"id={entry_id} at={at} dev={plan.device} kind={rng.choice(_KINDS)} scope=global"
        attributes += f" actor={plan.actor}" + (" formation=imported" if imported else "")
        first, *rest = text.split("\n")
        lines.append(f"- {first} <!-- nut {attributes} -->")
        lines.extend(f"  {line}" for line in rest)
        clauses.append(clause)
        refs.append(f"{name}#{entry_id}")
    index = "; ".join(clauses).replace("'", "''")
    head = f"---\ndate: {name}\nindex: '{index}'\n---\n## {name}\n"
    return refs, (head + "\n".join(lines) + "\n").encode(), _seconds(day, seconds[-1] + 1)


def _seconds(day: date, second: int) -> int:
    midnight = datetime(day.year, day.month, day.day, tzinfo=ZONE)
    return (midnight - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1) + second


def _message(plan: Plan, refs: list[str], operation: str) -> str:
    return render_message(
        Audit(
            op=operation,
            entries=tuple(refs),
            layers=("about_me",),
            actor=plan.actor,
            device=plan.device,
            version="0.1.0",
        )
    )


def build(directory: Path, plan: Plan, *, branch: str = "main") -> str:
    """Make the archive in ``directory``, a new or existing repository, and return its newest commit.

    The branch is replaced, and no hook runs: this is a workshop, not a cell in use.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if not (directory / ".git").exists():
        _git(directory, "init", "--quiet", f"--initial-branch={branch}")
    importer = subprocess.Popen(
        [*_GIT, "-C", str(directory), "fast-import", "--quiet", "--force", "--done"], stdin=subprocess.PIPE
    )
    assert importer.stdin is not None
    with importer.stdin as stream:
        for piece in _stream(plan, f"refs/heads/{branch}"):
            stream.write(piece)
    if importer.wait() != 0:
        raise SystemExit("git fast-import failed")
    _git(directory, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    _git(directory, "repack", "--quiet", "-a", "-d")
    _git(directory, "reset", "--quiet", "--hard", branch)
    return _git(directory, "rev-parse", "HEAD").strip()


def _stream(plan: Plan, ref: str) -> Iterator[bytes]:
    """Yield what `git fast-import` reads."""
    yield b"feature done\nreset " + ref.encode() + b"\n"
    yield f"from {plan.onto}\n\n".encode() if plan.onto else b"\n"
    first = _seconds(max(next(plan.days()), FIRST_COMMIT_DAY), 0)
    for founding in () if plan.onto else plan.foundings:
        yield _commit(founding.who, ref, founding.message, first, founding.files)
    for commit in day_commits(plan):
        who = f"{plan.actor}@{plan.device}"
        yield _commit(who, ref, commit.message, commit.seconds, {commit.path: commit.content})
    yield b"done\n"


def _commit(who: str, ref: str, message: str, seconds: int, files: Mapping[str, bytes]) -> bytes:
    who = f"{who.partition('@')[0]} <{who}> {seconds} +0800"
    said = message.encode()
    parts = [f"commit {ref}\nauthor {who}\ncommitter {who}\ndata {len(said)}\n".encode(), said]
    for path, content in files.items():
        parts += [f"M 100644 inline {path}\ndata {len(content)}\n".encode(), content, b"\n"]
    return b"".join(parts)


_GIT = ["git", "-c", f"core.hooksPath={os.devnull}"]


def _git(directory: Path, *args: str) -> str:
    done = subprocess.run([*_GIT, "-C", str(directory), *args], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def main() -> None:
    """Read the command line and make one archive."""
    parser = argparse.ArgumentParser(description="Make an archive to measure on.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--years", type=int, default=10)
    parser.add_argument("--until", type=date.fromisoformat, default=Plan.until, metavar="DATE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--a-day", type=int, default=8)
    args = parser.parse_args()
    plan = Plan(years=args.years, until=args.until, seed=args.seed, a_day=args.a_day)
    print(build(args.directory, plan))


if __name__ == "__main__":
    main()
