"""Which process of this machine something belongs to, and whether that one is still there."""

from __future__ import annotations

import os


def own_name() -> str:
    """This process: its number and when it began, because numbers are used again."""
    return f"{os.getpid()} {_began(os.getpid())}"


def is_alive(owner: str) -> bool:
    """Is the process of this name still there? Where the system cannot tell, no."""
    if os.name != "posix":
        return False
    pid, _, began = owner.partition(" ")
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        pass  # it is there, and somebody else's
    except (OSError, ValueError):
        return False
    return _began(int(pid)) == began


def _began(pid: int) -> str:
    """When a process began, in the system's ticks; nothing where the system does not say, or of one that has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
