"""The memory that this process takes, and that there is."""

from __future__ import annotations

import os
import sys

UNKNOWN = 4 << 30  # bytes, where nobody tells


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


def machine_bytes() -> int:
    """The memory of this machine."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN
