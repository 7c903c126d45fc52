"""Tables of one board: a maze's walls, a point set's crossings, a tree read from a file.

A state may hold one int, the *handle* of a `Table`: the address of a block of words that rules read with
`table(handle)[i]`. So every maze has the same state type (another size needs no compilation), a state stays a tuple of
ints that can be compared and hashed, and hot loops count no references.

            handle
               |
    [ length | word 0 | word 1 | ... ]

The creator of a state keeps the `Table` alive: a `Game` owns the tables of its board, and every `Position` holds its
tables. Equal tables share one block while any of them lives, so equal boards have equal states.
docs/lab/core_contract.md compares this with alternatives.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from hansu.core.bits import compiled_as
from hansu.core.errors import HansuError
from hansu.core.types import Int64Array

_by_handle: weakref.WeakValueDictionary[int, Table] = weakref.WeakValueDictionary()
_by_content: weakref.WeakValueDictionary[tuple[bytes, tuple[str, ...]], Table] = weakref.WeakValueDictionary()


class Table:
    """A read-only block of 64-bit words at a fixed address."""

    handle: int
    labels: tuple[str, ...]  # names on the board, for notation and pictures
    words: tuple[int, ...]  # read by interpreted rules; plain ints, because NumPy's would overflow
    _block: Int64Array  # int64[1 + length], read by compiled rules

    def __new__(cls, words: Iterable[int], labels: Iterable[str] = ()) -> Table:
        import numpy as np

        content = np.array(list(words), dtype=np.int64)
        identity = (content.tobytes(), tuple(labels))
        known = _by_content.get(identity)
        if known is not None:
            return known
        table = super().__new__(cls)
        table._block = np.concatenate([np.array([len(content)], dtype=np.int64), content])
        table._block.setflags(write=False)
        table.labels = identity[1]
        table.words = tuple(content.tolist())
        table.handle = int(table._block.ctypes.data) + 8
        _by_handle[table.handle] = table
        _by_content[identity] = table
        return table

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.words, self.labels)


Tables: TypeAlias = "Table | Sequence[Table] | None"
"""The tables of one board."""


@compiled_as("hansu.compile.intrinsics:table")
def table(handle: int) -> tuple[int, ...]:
    """The words of the table with this handle.

    >>> squares = Table([0, 1, 4, 9])
    >>> table(squares.handle)[3]
    9
    """
    return _table_at(handle).words


def labels(handle: int) -> tuple[str, ...]:
    """The labels of the table with this handle (interpreted only)."""
    return _table_at(handle).labels


def is_handle(word: int) -> bool:
    """Is there a table with this handle?"""
    return word in _by_handle


def _table_at(handle: int) -> Table:
    owner = _by_handle.get(handle)
    if owner is None:
        raise HansuError(
            "the tables of this state's board no longer exist",
            "keep its Game (or one of its Positions) as long as you use its states",
        )
    return owner
