"""The cores and memory that this process may use, and the memory that it uses.

A container (a control group) may allow less memory than the machine has:

    /proc/self/cgroup     "0::/PATH" (version 2), "4:memory:/PATH" (version 1)
    /sys/fs/cgroup/PATH/memory.max, /sys/fs/cgroup/memory/PATH/memory.limit_in_bytes

The limits of all parent groups apply, too. Inside a container, PATH may be the path outside, which does not exist; the
container's own group is then at the top.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

UNKNOWN = 4 << 30  # bytes, if the system does not report its memory


def cores() -> int:
    """The number of CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_bytes(root: Path = Path("/")) -> int:
    """The bytes of memory that this process may use."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        machine = UNKNOWN
    return min([machine, *_group_limits(root)])


def resident() -> int:
    """The resident memory of this process in bytes; its peak where the system reports nothing else."""
    try:
        import resource
    except ImportError:  # Windows
        return 200 << 20
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak << 10


def _group_limits(root: Path) -> Iterator[int]:
    groups = root / "sys" / "fs" / "cgroup"
    for version, path in _own_groups(root):
        folder, name = (groups, "memory.max") if version == 2 else (groups / "memory", "memory.limit_in_bytes")
        for group in (path, *path.parents):
            limit = _bytes_in(folder / group.relative_to("/") / name)
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


def _bytes_in(file: Path) -> int | None:
    """The number in a file, or None if there is no limit (`max`) or no such file."""
    try:
        limit = int(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return limit if limit > 0 else None
