"""What systemd, launchd and Windows are given so that a clone syncs by itself."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nutsync.core.errors import ErrUsage
from nutsync.core.schedule import MARK, Job, System, job_name, plan, system_of

CELL = "/home/ana/my 100% memory"
WORDS = ("/usr/bin/python3", "-P", "-m", "nutsync", "-C", CELL, "sync")
JOB = Job(WORDS, CELL, 10, "/usr/bin:/bin", "/home/ana/.config/systemd/user", 1000)
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


def text_of(system: System, job: Job, ending: str) -> bytes:
    return next(file.content for file in plan(system, job).files if file.name.endswith(ending))


@pytest.mark.parametrize(
    ("platform", "systemd", "system"),
    [
        ("linux", True, System.SYSTEMD),
        ("linux", False, None),
        ("darwin", False, System.LAUNCHD),
        ("win32", False, System.TASKS),
    ],
)
def test_each_platform_has_its_scheduler(platform: str, systemd: bool, system: System | None) -> None:
    assert system_of(platform, systemd=systemd) is system


@pytest.mark.parametrize("system", System)
def test_every_file_says_who_made_it_and_bears_the_name_of_its_cell(system: System) -> None:
    for file in plan(system, JOB).files:
        content = file.content.decode("utf-16" if system is System.TASKS else "utf-8")
        assert MARK in content
        assert job_name(CELL) in file.name


def test_two_cells_of_one_folder_name_have_jobs_of_their_own() -> None:
    assert job_name("/a/memory") != job_name("/b/memory")
    assert job_name("C:\\Users\\ana\\Memory").startswith("nutsync-Memory-")
    assert job_name("/home/ana/记忆").startswith("nutsync-cell-")


def test_a_systemd_timer_repeats_and_an_offline_sync_is_no_failure_of_the_unit() -> None:
    timer = text_of(System.SYSTEMD, JOB, ".timer").decode()
    service = text_of(System.SYSTEMD, JOB, ".service").decode()
    assert "OnUnitInactiveSec=10min" in timer and "OnActiveSec=1min" in timer
    assert "WantedBy=timers.target" in timer
    assert "Type=oneshot" in service and "SuccessExitStatus=5" in service
    (command,) = [line for line in service.splitlines() if line.startswith("ExecStart=")]
    words = shlex.split(command.removeprefix("ExecStart=").replace("%%", "%"))
    assert tuple(words) == WORDS


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_itself_accepts_the_units(tmp_path: Path) -> None:
    for file in plan(System.SYSTEMD, JOB._replace(words=("/bin/true", *WORDS[1:]))).files:
        (tmp_path / file.name).write_bytes(file.content)
    units = [str(path) for path in tmp_path.iterdir()]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--recursive-errors=no", *units],
        capture_output=True,
        text=True,
        check=False,
    )
    assert job_name(CELL) not in done.stderr, done.stderr


def test_a_launchd_agent_runs_at_login_and_every_so_many_seconds() -> None:
    values = plistlib.loads(text_of(System.LAUNCHD, JOB, ".plist"))
    assert values["ProgramArguments"] == list(WORDS)
    assert (values["StartInterval"], values["RunAtLoad"]) == (600, True)
    assert values["EnvironmentVariables"] == {"PATH": "/usr/bin:/bin"}
    made = plan(System.LAUNCHD, JOB)
    assert made.start == (("launchctl", "bootstrap", "gui/1000", f"{JOB.folder}/{made.files[0].name}"),)
    assert made.stop == (("launchctl", "bootout", f"gui/1000/{values['Label']}"),)


def test_a_task_of_windows_repeats_and_quotes_paths_with_spaces() -> None:
    job = JOB._replace(
        words=("C:\\Program Files\\Py\\pythonw.exe", "-m", "nutsync", "-C", "C:\\a & b\\", "sync"),
        cell="C:\\a & b\\",
        folder="C:\\Users\\ana\\tasks",
    )
    content = text_of(System.TASKS, job, ".xml")
    root = ElementTree.fromstring(content)  # as UTF-16, with the mark that schtasks wants
    assert content[:2] == b"\xff\xfe"
    assert root.findtext(f".//{TASK}Interval") == "PT10M"
    assert root.findtext(f".//{TASK}Command") == "C:\\Program Files\\Py\\pythonw.exe"
    assert root.findtext(f".//{TASK}Arguments") == '-m nutsync -C "C:\\a & b\\\\" sync'
    (start,) = plan(System.TASKS, job).start
    assert start[:3] == ("schtasks", "/Create", "/F") and start[-1].startswith(
        "C:\\Users\\ana\\tasks\\nutsync-"
    )


@pytest.mark.parametrize("character", ["\n", '"', "\x07"])
@pytest.mark.parametrize("system", System)
def test_a_path_that_could_forge_a_line_is_refused(system: System, character: str) -> None:
    with pytest.raises(ErrUsage):
        plan(system, JOB._replace(cell=f"/home/ana/{character}ExecStart=x"))
