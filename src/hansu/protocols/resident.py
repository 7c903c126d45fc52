"""The memory that this process takes."""

from __future__ import annotations

import sys


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
