"""Arrays by address, for compiled code that works on many of them.

A kernel that is handed an array counts a reference, and so does every slice of it; handed twenty, the call takes
longer than the work. So whoever owns the arrays hands over one address, of a row of words with the addresses of them
all, and the kernel makes arrays of these without any count. The owner keeps them alive while the kernel runs.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

from hansu.core.bits import compiled_as


@lru_cache(maxsize=4096)
def _view(kind: Any, address: int, length: int) -> Any:
    import numpy as np

    return np.ctypeslib.as_array((kind * length).from_address(address))


@compiled_as("hansu.core.intrinsics:ints")
def ints(address: int, length: int) -> Any:
    """int32[length] at an address."""
    return _view(ctypes.c_int32, int(address), int(length))


@compiled_as("hansu.core.intrinsics:longs")
def longs(address: int, length: int) -> Any:
    """int64[length] at an address."""
    return _view(ctypes.c_int64, int(address), int(length))


@compiled_as("hansu.core.intrinsics:floats")
def floats(address: int, length: int) -> Any:
    """float32[length] at an address."""
    return _view(ctypes.c_float, int(address), int(length))


@compiled_as("hansu.core.intrinsics:doubles")
def doubles(address: int, length: int) -> Any:
    """float64[length] at an address."""
    return _view(ctypes.c_double, int(address), int(length))
