"""Boards of more than 63 bits: a set of cells in several words, written like one.

`wide(64)` gives an empty board with room for 64 cells: 0 where a word has room enough, else a `Bits`, which knows the
operators of a word (`& | ^ ~ << >> -`, and `if board:`). `popcount`, `lowest`, `next_bit`, `random_bit` and what is
below take either, so that the same rules serve small and large boards.

    word   0: bits 0 .. 62    1: bits 63 .. 125    2: bits 126 .. 188    ...

To a state it is a tuple of ints like any other. What is shifted beyond the last word is lost. Compiled, the
operators are a few instructions a word (`wide_intrinsics`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, ClassVar, Self

from hansu.core.bits import MASK, compiled_as, next_bit
from hansu.core.errors import HansuError

WORD = 63  # bits of a word
MOST_WORDS = 8


class Bits(tuple[int, ...]):
    """A set of numbers from 0 on, in as many words as its class has; `wide` makes one. (A class for each length, with
    `_fields` and `_asdict` like a NamedTuple's: so Numba knows it.)"""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    def __new__(cls, *words: int) -> Self:
        return super().__new__(cls, words)

    def __getnewargs__(self) -> tuple[int, ...]:
        return tuple(self)

    def _asdict(self) -> dict[str, int]:
        return dict(zip(self._fields, self, strict=True))

    @classmethod
    def of(cls, number: int) -> Self:
        """The set whose bits these are; those beyond the last word are lost."""
        return tuple.__new__(cls, [number >> WORD * i & MASK for i in range(len(cls._fields))])

    def __int__(self) -> int:
        number = 0
        for word in self[::-1]:
            number = number << WORD | word
        return number

    def __repr__(self) -> str:
        return f"Bits({int(self):#x})"

    def __and__(self, other: Self) -> Self:
        return tuple.__new__(type(self), map(operator.and_, self, other))

    def __or__(self, other: Self) -> Self:
        return tuple.__new__(type(self), map(operator.or_, self, other))

    def __xor__(self, other: Self) -> Self:
        return tuple.__new__(type(self), map(operator.xor, self, other))

    def __invert__(self) -> Self:
        return tuple.__new__(type(self), [word ^ MASK for word in self])

    def __lshift__(self, count: int) -> Self:
        return self.of(int(self) << count)

    def __rshift__(self, count: int) -> Self:
        return self.of(int(self) >> count)

    def __sub__(self, other: Self | int) -> Self:
        return self.of(int(self) - int(other))

    def __neg__(self) -> Self:
        return self.of(-int(self))

    def __bool__(self) -> bool:
        return any(self)

    def bit_count(self) -> int:
        """How many bits are set, as of an int: `popcount` asks this."""
        return int(self).bit_count()

    def bit_length(self) -> int:
        """The number of the highest bit, plus one, as of an int."""
        return int(self).bit_length()


def _of_words(count: int) -> type[Bits]:
    fields = tuple(f"word{i}" for i in range(count))
    return type(f"Bits{count}", (Bits,), {"__slots__": (), "__module__": __name__, "_fields": fields})


Bits2, Bits3, Bits4, Bits5, Bits6, Bits7, Bits8 = (_of_words(count) for count in range(2, MOST_WORDS + 1))
BY_WORDS = (Bits2, Bits3, Bits4, Bits5, Bits6, Bits7, Bits8)


def wide(room: int, number: int = 0) -> Any:
    """A board with room for so many cells, where these bits are set: an int up to 63 cells, a `Bits` beyond.

    >>> from hansu.core import popcount, wide
    >>> wide(63, 5), popcount(wide(64, 5 << 60))
    (5, 2)
    """
    words = max(-(-room // WORD), 1)
    if words > MOST_WORDS:
        raise HansuError(f"a board of {room} cells is too large", f"{MOST_WORDS} words hold {MOST_WORDS * WORD} bits")
    return number if words == 1 else BY_WORDS[words - 2].of(number)


@compiled_as("hansu.compile.wide_intrinsics:bit")
def bit(like: Any, i: int) -> Any:
    """The board on which only cell `i` is set, of the kind of `like`: `1 << i` for any number of cells."""
    return like.of(1 << i) if isinstance(like, Bits) else 1 << i


def has_bit(board: Any, i: int) -> bool:
    """Is cell `i` set?"""
    return bool(board & bit(board, i))


def shifted(board: Any, count: int) -> Any:
    """`board << count`, and `board >> -count` where the count is below zero: a step in any direction."""
    return board << count if count >= 0 else board >> -count


def bits_in(board: Any) -> Iterator[int]:
    """The numbers of the cells that are set, in order."""
    i = next_bit(board, -1)
    while i >= 0:
        yield i
        i = next_bit(board, i)


def turned_cell(cell: int, rows: int, columns: int, k: int) -> int:
    """What cell `row * columns + column` of a board becomes under its k-th symmetry: k & 1 mirrors left and right, then
    k & 2 top and bottom, then k & 4 swaps rows and columns (of a square)."""
    row, column = cell // columns, cell % columns
    if k & 1:
        column = columns - 1 - column
    if k & 2:
        row = rows - 1 - row
    return column * rows + row if k & 4 else row * columns + column


def turned_board(board: Any, rows: int, columns: int, k: int) -> Any:
    """A board under its k-th symmetry."""
    made = board & ~board
    for i in bits_in(board):
        made |= bit(board, turned_cell(i, rows, columns, k))
    return made
