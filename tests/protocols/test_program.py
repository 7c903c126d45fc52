"""External programs: bounded output, and no process survives hansu, however hansu ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hansu.core.errors import PlayerFault
from hansu.protocols.program import LONGEST_LINE, Program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sessions and signals")
PATIENCE = 600.0

FAMILY = """
import os, subprocess, sys, time
own = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(10_000)"])
away = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(10_000)"], start_new_session=True)
daemon = os.fork()  # its parent exits at once, so it is orphaned
if daemon == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    with open(sys.argv[1] + ".daemon", "w") as file:
        file.write(str(os.getpid()))
    os.rename(sys.argv[1] + ".daemon", sys.argv[1] + ".lost")
    time.sleep(10_000)
os.waitpid(daemon, 0)
while not os.path.exists(sys.argv[1] + ".lost"):
    time.sleep(0.01)
with open(sys.argv[1] + ".part", "w") as file:
    file.write(f"{os.getpid()} {own.pid} {away.pid} {open(sys.argv[1] + '.lost').read()}")
os.rename(sys.argv[1] + ".part", sys.argv[1])
print("ready", flush=True)
time.sleep(10_000)
"""


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        threading.Event().wait(0.02)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def reaches_all(pids: list[int]) -> list[int]:
    """The processes that can be killed: those in other sessions only on systems with subreapers."""
    return pids if sys.platform.startswith("linux") else pids[:2]


def test_killing_reaches_the_whole_family(tmp_path: Path) -> None:
    program = Program([sys.executable, "-c", FAMILY, str(tmp_path / "pids")], "family")
    assert program.read(PATIENCE) == "ready"
    pids = reaches_all([int(word) for word in (tmp_path / "pids").read_text().split()])
    assert len(pids) == 4 and all(map(lives, pids))
    program.kill()
    until(lambda: not any(map(lives, pids)))


def test_a_program_that_ends_takes_its_family_along(tmp_path: Path) -> None:
    program = Program([sys.executable, "-c", FAMILY, str(tmp_path / "pids")], "family")
    assert program.read(PATIENCE) == "ready"
    pids = reaches_all([int(word) for word in (tmp_path / "pids").read_text().split()])
    os.kill(pids[0], signal.SIGTERM)
    with pytest.raises(PlayerFault, match=r"has ended \(exit code -15\)"):
        program.read(PATIENCE)
    until(lambda: not any(map(lives, pids)))
    program.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGQUIT])
def test_programs_end_with_hansu(tmp_path: Path, number: signal.Signals) -> None:
    agent = tmp_path / "agent.py"
    family = FAMILY.replace("sys.argv[1]", repr(str(tmp_path / "pids")))
    agent.write_text("def agent(position):\n" + "".join(f"    {line}\n" for line in family.splitlines()))
    words = [sys.executable, "-m", "hansu", "match", "tictactoe", f"{agent}:agent", "random", "--limit", "time=600"]
    shell = ["env", "--default-signal", *words]  # the test runner may ignore some signals
    hansu = subprocess.Popen(shell, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: (tmp_path / "pids").exists())
        pids = reaches_all([int(word) for word in (tmp_path / "pids").read_text().split()])
        hansu.send_signal(number)
        hansu.wait(PATIENCE)
        until(lambda: not any(map(lives, pids)))
    finally:
        hansu.kill()
        hansu.wait()


def test_a_failed_start_is_explained(tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("not a program")
    before = len(os.listdir("/dev/fd"))
    for command in (["/no/such/program"], [str(plain)], [str(tmp_path)], ["a\0b"], [""]):
        with pytest.raises(PlayerFault, match=r"x cannot be started: .+") as fault:
            Program(command, "x")
        assert "Errno" not in fault.value.what and command[0] in fault.value.hint
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize(("code", "message"), [("sys.exit(3)", "exit code 3"), ("os.abort()", "exit code -6")])
def test_the_exit_status_is_reported(code: str, message: str) -> None:
    program = Program([sys.executable, "-c", f"import os, sys; {code}"], "x")
    with pytest.raises(PlayerFault, match=message):
        program.read(PATIENCE)
    program.kill()


def test_long_lines_are_truncated() -> None:
    program = Program([sys.executable, "-c", "print('x' * 10_000_000); print('next')"], "x")
    assert program.read(PATIENCE) == "x" * LONGEST_LINE
    assert program.read(PATIENCE) == "next"
    program.kill()


def test_control_characters_are_removed() -> None:
    code = r"import sys; print('a\x1b[2Jb\x9b1mc\td\u202eE'); sys.exit('\x1b]0;mine\x07')"
    program = Program([sys.executable, "-X", "utf8", "-c", code], "x")
    assert program.read(PATIENCE) == "a\ufffd[2Jb\ufffd1mc\td\ufffdE"
    with pytest.raises(PlayerFault) as fault:
        program.read(PATIENCE)
    assert "mine" in fault.value.what and "\x1b" not in fault.value.what
    program.kill()


def test_memory_is_bounded() -> None:
    program = Program([sys.executable, "-c", "x = bytearray(1 << 30); print('had it')"], "x", memory_limit=1 << 29)
    with pytest.raises(PlayerFault, match="MemoryError"):
        program.read(PATIENCE)
    program.kill()


def test_nothing_is_left_open() -> None:
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        program = Program([sys.executable, "-c", "print(input())"], "x")
        program.send("hello")
        assert program.read(PATIENCE) == "hello"
        program.kill()
    del program
    until(lambda: len(os.listdir("/dev/fd")) <= before)
