"""How many cores and how much memory this process may have: the machine's, or less where a container (a control group)
allows less; and how much it takes. Of memory:

    /proc/self/cgroup     "0::/PATH" (version 2), "4:memory:/PATH" (version 1)
    /sys/fs/cgroup/PATH/memory.max, /sys/fs/cgroup/memory/PATH/memory.limit_in_bytes

A group is bound by all groups above it. Inside a container the path may be that of the machine outside, which is not
there; the container's own group then lies at the top.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

UNKNOWN = 4 << 30  # bytes, where nobody tells


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_bytes(root: Path = Path("/")) -> int:
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        machine = UNKNOWN
    return min([machine, *_group_limits(root)])


def resident() -> int:
    """The bytes that this process takes now (where the system tells only the most it ever took, that)."""
    try:
        import resource
    except ImportError:  # Windows
        return 200 << 20
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most << 10


def _group_limits(root: Path) -> Iterator[int]:
    groups = root / "sys" / "fs" / "cgroup"
    for version, path in _own_groups(root):
        folder, name = (groups, "memory.max") if version == 2 else (groups / "memory", "memory.limit_in_bytes")
        for above in (path, *path.parents):
            limit = _number(folder / above.relative_to("/") / name)
            if limit is not None:
                yield limit


def _own_groups(root: Path) -> Iterator[tuple[int, PurePosixPath]]:
    try:
        lines = (root / "proc" / "self" / "cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if path.startswith("/") and ".." not in path.split("/"):
            if number == "0" and not controllers:
                yield 2, PurePosixPath(path)
            elif "memory" in controllers.split(","):
                yield 1, PurePosixPath(path)


def _number(file: Path) -> int | None:
    """Bytes; None where there is no limit (`max`) or no such file."""
    try:
        found = int(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if found > 0 else None
