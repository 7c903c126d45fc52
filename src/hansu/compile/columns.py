"""Columns: arrays that compiled code reaches through one int.

A kernel with twenty array arguments takes longer to call than to run, takes longer to compile, and counts a reference
for every slice. So the owner of the arrays stores their addresses in a row of words and passes the row's address:

    columns -> [ 910 | address of int32[...] | address of float32[...] | ... ]

`word(columns, 0)` is 910. `whole(columns, 1, i)` is element i of the second column, `real(columns, 2, i)` of the third.
Nothing is checked. The owner must keep the arrays alive while a kernel runs. Interpreted calls read the same memory.

Memory is loaded in cache lines of 64 bytes, so numbers that are used together should be adjacent: a column may be a
field of a structured array. The column number then contains the stride. `apart(3, 8)` is column 3 with a stride of
eight numbers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from hansu.core.bits import compiled_as
from hansu.core.types import Int64Array

APART = 256  # column numbers are below this; the bits above it are the logarithm of the stride
LINE = 64  # bytes of a cache line


def apart(column: int, numbers: int) -> int:
    """The number of a column with a stride of 1, 2, 4, 8, ... numbers."""
    return column + APART * (numbers.bit_length() - 1)


def aligned(rows: int, room: int, fields: Mapping[str, str]) -> Any:
    """Zeros of a structured dtype, shape [rows, room], aligned to a cache line. `fields` maps names to dtypes."""
    import numpy as np

    kind = np.dtype(list(fields.items()))
    size = rows * room * kind.itemsize
    store = np.zeros(size + LINE, np.uint8)
    start = -store.ctypes.data % LINE
    return store[start : start + size].view(kind).reshape(rows, room)


def _int64_at(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _address(columns: int, column: int, i: int) -> int:
    """The address of element `i` of a column of 4-byte numbers."""
    return _int64_at(columns + 8 * (column % APART)) + 4 * (i << column // APART)


@compiled_as("hansu.compile.intrinsics:word")
def word(columns: int, column: int) -> int:
    """Word `column` of the row itself."""
    return _int64_at(columns + 8 * column)


@compiled_as("hansu.compile.intrinsics:whole")
def whole(columns: int, column: int, i: int) -> int:
    """Element `i` of a column of int32."""
    return ctypes.c_int32.from_address(_address(columns, column, i)).value


@compiled_as("hansu.compile.intrinsics:set_whole")
def set_whole(columns: int, column: int, i: int, value: int) -> None:
    """Set element `i` of a column of int32."""
    ctypes.c_int32.from_address(_address(columns, column, i)).value = value


@compiled_as("hansu.compile.intrinsics:real")
def real(columns: int, column: int, i: int) -> float:
    """Element `i` of a column of float32."""
    return ctypes.c_float.from_address(_address(columns, column, i)).value


@compiled_as("hansu.compile.intrinsics:set_real")
def set_real(columns: int, column: int, i: int, value: float) -> None:
    """Set element `i` of a column of float32."""
    ctypes.c_float.from_address(_address(columns, column, i)).value = value


@compiled_as("hansu.compile.intrinsics:double")
def double(columns: int, column: int, i: int) -> float:
    """Element `i` of a column of float64."""
    return ctypes.c_double.from_address(_int64_at(columns + 8 * column) + 8 * i).value


@compiled_as("hansu.compile.intrinsics:fetch")
def fetch(columns: int, column: int, i: int) -> None:
    """Prefetch element `i` of a column of 4-byte numbers (compiled code only)."""


@compiled_as("hansu.compile.intrinsics:words_at")
def words_at(address: int, length: int) -> Int64Array:
    """int64[length] at an address: a packed state or a seed."""
    import numpy as np

    return np.ctypeslib.as_array((ctypes.c_int64 * length).from_address(address))
