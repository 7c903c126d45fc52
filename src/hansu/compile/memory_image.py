"""Arrays, trees and boards of this process as the memory of a WebAssembly module.

Compiled code reaches arrays through addresses (`columns`, `core.tables`). `MemoryImage` copies such arrays to addresses
of its own and translates the words that hold native addresses, so that the same functions find them there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hansu.core.bits import flat
from hansu.core.position import Position
from hansu.core.tables import Table

ALIGNMENT = 64  # bytes; a line of memory
BLOCK = 256  # bytes


class MemoryImage:
    """Memory that begins at an address: what is placed in it, one after the other."""

    def __init__(self, start: int) -> None:
        self.end = start
        self._parts: list[tuple[int, bytes]] = []
        self._placed: dict[int, tuple[int, int, Any]] = {}  # native address -> address here, bytes, the array

    def place(self, array: Any) -> int:
        """Copy an array; its address here. The same memory is copied once."""
        base = array
        while isinstance(base.base, np.ndarray):
            base = base.base
        native = int(base.ctypes.data)
        if native not in self._placed:
            content = np.ascontiguousarray(base).tobytes()
            self.end += -self.end % ALIGNMENT
            # Arrays that begin a line here do so there, too: columns rely on it.
            self.end += native % ALIGNMENT
            self._placed[native] = (self.end, len(content), base)
            self._parts.append((self.end, content))
            self.end += len(content)
        return self._placed[native][0] + int(array.ctypes.data) - native

    def row(self, words: Any, arrays: Iterable[Any]) -> int:
        """Copy a row of `columns` (int64 words, some of them addresses into `arrays`) with its addresses translated."""
        for array in arrays:
            self.place(array)
        return self.place(np.array([self._translated(int(word)) for word in words], np.int64))

    def state(self, position: Position) -> int:
        """Copy the words of a position's state; a board's table comes with it."""
        tables = {table.handle: table for table in _tables(position.tables)}
        words = [int(word) for word in flat(position.state)]
        return self.place(np.array([self._handle(tables[w]) if w in tables else w for w in words], np.int64))

    def words_of(self, address: int) -> list[int]:
        """The int64 words that were placed at an address."""
        return next(np.frombuffer(content, np.int64).tolist() for at, content in self._parts if at == address)

    def parts(self) -> list[tuple[int, bytes]]:
        """What to write where. Memory is zero at first, so blocks of zeros are left out."""
        blocks = []
        for at, content in self._parts:
            for start in range(0, len(content), BLOCK):
                block = content[start : start + BLOCK]
                if any(block):
                    blocks.append((at + start, block))
        return blocks

    def address_of(self, array: Any) -> int:
        """Where an array that was placed lies here."""
        return self._translated(int(array.ctypes.data))

    def _handle(self, table: Table) -> int:
        return self.place(table._block) + 8

    def _translated(self, word: int) -> int:
        for native, (address, size, _) in self._placed.items():
            if native <= word < native + max(size, 1):
                return address + word - native
        return word


def _tables(owned: Any) -> list[Table]:
    """The tables that a position keeps alive."""
    if owned is None:
        return []
    return [owned] if isinstance(owned, Table) else [table for part in owned for table in _tables(part)]
