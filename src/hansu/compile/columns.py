"""Columns: arrays that compiled code reaches through one number.

A kernel that is handed twenty arrays takes longer to call than to run, and longer to compile; every slice counts a
reference. So the owner of the arrays lays their addresses into a row of words, and hands over the address of that row:

    columns -> [ 910 | address of int32[...] | address of float32[...] | ... ]

`word(columns, 0)` is 910, `whole(columns, 1, i)` the i-th number of the second column, `real(columns, 2, i)` of the
third. Nothing is checked; the owner keeps the arrays alive while a kernel runs. Interpreted, the same calls read the
same memory.

Numbers that are read together should lie together, since memory is fetched in lines of 64 bytes: a column may be a
field of records, and its number then says how far apart they are. `apart(3, 8)` is column 3, in which the next number
comes after seven of other columns.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from hansu.core.bits import compiled_as

APART = 256  # columns are numbered below this; above it a column's number tells how far apart its numbers are
LINE = 64  # bytes of memory that are fetched together


def apart(column: int, numbers: int) -> int:
    """The column's number, its numbers being so many (1, 2, 4, 8, ...) apart."""
    return column + APART * (numbers.bit_length() - 1)


def aligned(rows: int, room: int, fields: Mapping[str, str]) -> Any:
    """Records in `rows` rows of `room`, all zero, the first at the beginning of a line."""
    import numpy as np

    kind = np.dtype(list(fields.items()))
    size = rows * room * kind.itemsize
    store = np.zeros(size + LINE, np.uint8)
    start = -store.ctypes.data % LINE
    return store[start : start + size].view(kind).reshape(rows, room)


def _long(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _at(columns: int, column: int, i: int) -> int:
    """Where number `i` of a column of four bytes each lies."""
    return _long(columns + 8 * (column % APART)) + 4 * (i << column // APART)


@compiled_as("hansu.compile.intrinsics:word")
def word(columns: int, column: int) -> int:
    """A word of the row itself."""
    return _long(columns + 8 * column)


@compiled_as("hansu.compile.intrinsics:whole")
def whole(columns: int, column: int, i: int) -> int:
    """Number `i` of a column of int32."""
    return ctypes.c_int32.from_address(_at(columns, column, i)).value


@compiled_as("hansu.compile.intrinsics:set_whole")
def set_whole(columns: int, column: int, i: int, value: int) -> None:
    ctypes.c_int32.from_address(_at(columns, column, i)).value = value


@compiled_as("hansu.compile.intrinsics:real")
def real(columns: int, column: int, i: int) -> float:
    """Number `i` of a column of float32."""
    return ctypes.c_float.from_address(_at(columns, column, i)).value


@compiled_as("hansu.compile.intrinsics:set_real")
def set_real(columns: int, column: int, i: int, value: float) -> None:
    ctypes.c_float.from_address(_at(columns, column, i)).value = value


@compiled_as("hansu.compile.intrinsics:double")
def double(columns: int, column: int, i: int) -> float:
    """Number `i` of a column of float64."""
    return ctypes.c_double.from_address(_long(columns + 8 * column) + 8 * i).value


@compiled_as("hansu.compile.intrinsics:fetch")
def fetch(columns: int, column: int, i: int) -> None:
    """Number `i` of a column (of four bytes each) will be wanted soon: compiled code asks memory for it and goes on."""


@compiled_as("hansu.compile.intrinsics:words_at")
def words_at(address: int, length: int) -> Any:
    """int64[length] at an address: a packed state, a seed."""
    import numpy as np

    return np.ctypeslib.as_array((ctypes.c_int64 * length).from_address(address))
