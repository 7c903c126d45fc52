"""Identify a process of this machine, and check whether it is still alive."""

from __future__ import annotations

import os


def own_name() -> str:
    """This process: its id and its start time, since ids are reused."""
    return f"{os.getpid()} {_start_time(os.getpid())}"


def is_alive(owner: str) -> bool:
    """Whether the process of this name is alive; False if the system cannot tell."""
    if os.name != "posix":
        return False
    pid, _, started = owner.partition(" ")
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        pass  # it is alive, and belongs to another user
    except (OSError, ValueError):
        return False
    return _start_time(int(pid)) == started


def _start_time(pid: int) -> str:
    """The start time of a process in system ticks; empty if unknown, or if the process has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
