"""Tables that belong to one board: a maze's walls, a point set's crossings, a tree read from a file.

A state may hold one int, the *handle* of a `Table`: the address of a block of words that the rules read with
`table(handle)[i]`. So every maze has the same state type (nothing is compiled anew for another size), a state stays
a tuple of plain ints that can be compared and hashed, and no reference is counted in hot loops.

            handle
               |
    [ length | word 0 | word 1 | ... ]

Whoever makes the state keeps the `Table` alive: a `Game` owns the tables of its board, and every `Position` holds
its game. Equal tables share one block for as long as any of them lives, so that equal boards give equal states.
docs/lab/core_contract.md compares this with the other ways.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from hansu.core.bits import compiled_as
from hansu.core.errors import HansuError

_by_handle: weakref.WeakValueDictionary[int, Table] = weakref.WeakValueDictionary()
_by_content: weakref.WeakValueDictionary[tuple[bytes, tuple[str, ...]], Table] = weakref.WeakValueDictionary()


class Table:
    """A read-only block of 64-bit words with a stable address."""

    handle: int
    labels: tuple[str, ...]  # names that belong to the board, for notation and pictures
    words: tuple[int, ...]  # what interpreted rules read: plain ints, not NumPy's, which would overflow
    _block: Any  # int64[1 + length], what compiled rules read

    def __new__(cls, words: Iterable[int], labels: Iterable[str] = ()) -> Table:
        import numpy as np

        content = np.array(list(words), dtype=np.int64)
        identity = (content.tobytes(), tuple(labels))
        known = _by_content.get(identity)
        if known is not None:
            return known
        made = super().__new__(cls)
        made._block = np.concatenate([np.array([len(content)], dtype=np.int64), content])
        made._block.setflags(write=False)
        made.labels = identity[1]
        made.words = tuple(content.tolist())
        made.handle = int(made._block.ctypes.data) + 8
        _by_handle[made.handle] = made
        _by_content[identity] = made
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.words, self.labels)


@compiled_as("hansu.compile.intrinsics:table")
def table(handle: int) -> tuple[int, ...]:
    """The words of the table with this handle."""
    return _owner(handle).words


def labels(handle: int) -> tuple[str, ...]:
    """The names kept with the table of this handle (interpreted only)."""
    return _owner(handle).labels


def is_handle(word: int) -> bool:
    """Is there a table with this handle?"""
    return word in _by_handle


def _owner(handle: int) -> Table:
    found = _by_handle.get(handle)
    if found is None:
        raise HansuError("this state's board is gone", "keep its Game (or a Position of it) while you use its states")
    return found
