"""This process as a server of a protocol: its standard input, line by line, and the memory it takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import RawIOBase
from typing import BinaryIO

LONGEST_LINE = 4096  # characters; what is longer is cut, as the Gomocup protocol allows


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


def lines_of(stream: RawIOBase | BinaryIO) -> Iterator[str]:
    """The lines of a stream of bytes. Of a line that is too long only the beginning is kept in memory."""
    line = b""
    while piece := stream.read(1 << 16):
        *ends, rest = piece.split(b"\n")
        for end in ends:
            yield (line + end)[:LONGEST_LINE].decode("ascii", "replace")
            line = b""
        line = (line + rest)[:LONGEST_LINE]
    if line:
        yield line.decode("ascii", "replace")
