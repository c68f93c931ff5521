"""Uses an installed nutsync as people and agents do; run by `.ci/package` with that environment's Python.

    PYTHON -I try_package.py CHECKOUT WORK     everything, with all extras installed
    PYTHON -I try_package.py --bare WORK       without extras: what is missing is said with its cure

Anything that does not behave as in the checkout ends it with a message and exit 1.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import nutsync

NUTSYNC = str(Path(sys.executable).with_name("nutsync"))
PERSON = ("-c", "user.name=ana", "-c", "user.email=ana@example.org")
ARCHIVE = ".agents/nutstore-sync/memory/archive"
HOOKS = ("pre-commit", "commit-msg", "reference-transaction", "pre-push", "pre-merge-commit")
PATIENCE = 120


def fail(what: str) -> None:
    raise SystemExit(f"package: {what}")


def run(argv: list[str], where: Path, code: int | None = 0, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command that must end with ``code``; None takes any failure."""
    done = subprocess.run(
        argv,
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, **env},
    )
    if done.returncode != code and not (code is None and done.returncode):
        fail(f"{argv} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def said(where: Path, *words: str, code: int = 0) -> dict:
    """Return the document that a nutsync command prints, an error's included."""
    done = run([NUTSYNC, "--json", *words], where, code)
    return json.loads(done.stdout or done.stderr.splitlines()[-1])


def git(where: Path, *words: str, code: int | None = 0) -> str:
    done = run(["git", *PERSON, *words], where, code)
    return done.stdout + done.stderr


def same_files(checkout: Path) -> None:
    """Every file of the checkout's package is installed, byte for byte, and the hooks beside them."""
    package = Path(nutsync.__file__).parent
    if checkout in package.parents or not package.is_relative_to(sys.prefix):
        fail(f"{package} is not the installed copy")
    listed = run(["git", "ls-files", "nutsync", "hooks"], checkout).stdout.split()
    for name in listed:
        room, _, rest = name.partition("/")
        copy = package / rest if room == "nutsync" else package / "_hooks" / rest
        if not copy.is_file() or copy.read_bytes() != (checkout / name).read_bytes():
            fail(f"{name} is missing in the package, or another one")


def hooks_and_verify(cell: Path) -> None:
    """The hooks stop a rewrite of a remembered line, also past `--no-verify`; verify passes the rest."""
    there = said(cell, "hooks", "status")
    if there["armed"] is not True:
        fail(f"a new cell is not armed: {there}")
    for name in HOOKS:
        path = Path(git(cell, "rev-parse", "--git-path", f"hooks/{name}").strip())
        if not os.access(cell / path, os.X_OK):
            fail(f"the hook {name} was not installed")
    before = git(cell, "rev-parse", "HEAD")
    (day,) = (cell / ARCHIVE).rglob("*.md")
    honest = day.read_bytes()
    day.write_bytes(honest.replace(b"1240", b"1300"))
    veto = git(cell, "commit", "--quiet", "--all", "--message", "no", code=1)
    if "nutsync" not in veto or git(cell, "rev-parse", "HEAD") != before:
        fail(f"a veto that says nothing of nutsync, or none: {veto}")
    git(cell, "commit", "--quiet", "--all", "--no-verify", "--message", "no", code=None)
    if git(cell, "rev-parse", "HEAD") != before:
        fail("--no-verify went past the gate")
    if said(cell, "verify")["ok"] is not True:
        fail("verify finds fault with an honest history")
    git(cell, "checkout", "--quiet", "--", ".")
    if day.read_bytes() != honest:
        fail("the day is not as it was")


def forged(cell: Path) -> None:
    """What no hook saw is found by verify."""
    (day,) = (cell / ARCHIVE).rglob("*.md")
    day.write_bytes(day.read_bytes().replace(b"1240", b"1300"))
    git(cell, "-c", f"core.hooksPath={os.devnull}", "commit", "--quiet", "--all", "--message", "no")
    found = said(cell, "verify", code=1)
    if not any(one["severity"] == "violation" for one in found["findings"]):
        fail(f"verify does not find a rewrite that no hook saw: {found}")


def driver(cell: Path, work: Path) -> None:
    """Two devices write on one day, and a plain `git pull` merges them by nutsync's driver."""
    if sys.prefix not in git(cell, "config", "merge.union.driver"):
        fail("the merge driver is not this installation's")
    git(work, "init", "--quiet", "--bare", "remote.git")
    said(cell, "init", "--remote", str(work / "remote.git"))
    said(cell, "sync")
    other = work / "laptop"
    said(work, "clone", str(work / "remote.git"), str(other), "--actor", "ana", "--device", "laptop")
    said(other, "append", "the glaze is celadon")
    said(other, "sync")
    said(cell, "append", "the clay is stoneware")
    git(cell, "pull", "--quiet", "--no-rebase", "--no-edit")
    (day,) = (cell / ARCHIVE).rglob("*.md")
    text = day.read_text(encoding="utf-8")
    if "<<<<" in text or not all(word in text for word in ("kiln", "celadon", "stoneware")):
        fail(f"a plain pull did not keep both sides:\n{text}")
    if text.count("index:") != 1 or said(cell, "verify")["ok"] is not True:
        fail("the merged day is blurred: the driver did not merge it")


async def conversation(cell: Path) -> None:
    """The SDK's own client starts the server as an agent does, remembers something and finds it."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=NUTSYNC, args=["-C", str(cell), "mcp"], env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        for name in ("context", "recall", "show", "append", "correct", "forget", "counts"):
            if f"memory_{name}" not in names:
                fail(f"the MCP server has no tool memory_{name}")
        kept = await client.call_tool(
            "memory_append", {"text": "cones melt at 1222", "kind": "fact", "layer": "about_me"}
        )
        found = await client.call_tool("memory_recall", {"terms": ["cones"]})
        if kept.is_error or found.is_error or "1222" not in json.dumps(found.structured_content):
            fail(f"the MCP server did not remember: {kept.content} {found.content}")
        refused = await client.call_tool("memory_append", {"text": "x", "kind": "", "layer": "about_me"})
        if not refused.is_error or "ErrKindRequired" not in str(refused.content):
            fail("the MCP server refuses without a name")


@contextmanager
def serving(cell: Path):
    """Serve the cell on a free port and yield the address."""
    argv = [NUTSYNC, "-C", str(cell), "--json", "serve", "--port", "0", "--quiet"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline() or "{}").get("url") or fail("serve did not start")
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read()


def page(cell: Path) -> None:
    """The page and each of its files are served, and counts beside them."""
    with serving(cell) as url:
        first = get(f"{url}/").decode()
        if "<script" not in first or "/assets/app.js" not in first:
            fail("the page is not the page")
        web = Path(nutsync.__file__).parent / "frontends" / "web"
        for file in web.iterdir():
            if (
                file.suffix in (".js", ".css", ".svg")
                and get(f"{url}/assets/{file.name}") != file.read_bytes()
            ):
                fail(f"{file.name} is not served")
        counts = json.loads(get(f"{url}/cells/main/memory/counts"))
        if len(counts) != 7 or counts["about_me"] != 4:
            fail(f"counts are {counts}")
        if "/cells/{id}/memory" not in json.loads(get(f"{url}/openapi.json"))["paths"]:
            fail("there is no description of the paths")


def help_and_completion(where: Path) -> None:
    """Help has examples, and a shell that takes the completion in completes words."""
    for words in (["append"], ["recall"], ["serve"], ["agent", "install"], ["import"]):
        if "Example:" not in run([NUTSYNC, *words, "--help"], where).stdout:
            fail(f"no example in the help of {words}")
    asked = {"_NUTSYNC_COMPLETE": "bash_complete", "COMP_WORDS": "nutsync rec", "COMP_CWORD": "1"}
    if "recall" not in run([NUTSYNC], where, **asked).stdout:
        fail("words are not completed")
    for shell in ("bash", "zsh", "fish"):
        if "_NUTSYNC_COMPLETE" not in run([NUTSYNC, "completion", shell], where).stdout:
            fail(f"no completion for {shell}")
    script = run([NUTSYNC, "completion", "bash"], where).stdout
    run(["bash", "-euc", 'eval "$1" && complete -p nutsync', "bash", script], where)


def memory(work: Path) -> Path:
    """Make a cell, remember something and find it."""
    cell = work / "cell"
    said(work, "init", str(cell), "--actor", "ana", "--device", "desk")
    said(cell, "append", "the kiln is fired at 1240 degrees")
    if "1240" not in json.dumps(said(cell, "recall", "kiln")):
        fail("recall does not find what was appended")
    return cell


def main() -> None:
    checkout, work = sys.argv[1], Path(sys.argv[2])
    cell = memory(work)
    help_and_completion(work)
    if checkout == "--bare":
        for command, extra in (("serve", "serve"), ("mcp", "mcp")):
            refused = said(cell, command, code=2)["error"]
            if f"nutsync[{extra}]" not in refused["hint"]:
                fail(f"{command} without its extra says {refused}")
        return
    same_files(Path(checkout))
    hooks_and_verify(cell)
    driver(cell, work)
    asyncio.run(asyncio.wait_for(conversation(cell), PATIENCE))
    page(cell)
    forged(cell)


main()
