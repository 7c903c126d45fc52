"""Bitboards of more than 63 cells: several words with the operators of one.

`wide(64)` is an empty board for 64 cells: the int 0 if one word is enough, else a `Bits`. A `Bits` has the operators of
an int (`& | ^ ~ << >> -`, and `if board:`). `popcount`, `lowest`, `next_bit`, `random_bit` and the functions below
accept both, so the same rules work for small and large boards.

    word   0: bits 0 .. 62    1: bits 63 .. 125    2: bits 126 .. 188    ...

In a state, a `Bits` is a tuple of ints like any other. Bits shifted beyond the last word are lost. In compiled code, an
operator takes a few instructions per word (`wide_intrinsics`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import ClassVar, Self

from hansu.core.bits import MASK, compiled_as, next_bit
from hansu.core.errors import HansuError
from hansu.core.types import Board

WORD = 63  # bits per word
MOST_WORDS = 8


class Bits(tuple[int, ...]):
    """A set of cell numbers in several words, created by `wide`.

    There is one subclass per length, with `_fields` and `_asdict` like a NamedTuple's, so that Numba accepts it.
    """

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
        """The set of an int's bits; those beyond the last word are lost."""
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
        """The number of set bits, like an int's; `popcount` calls this."""
        return int(self).bit_count()

    def bit_length(self) -> int:
        """The index of the highest set bit plus one, like an int's."""
        return int(self).bit_length()


def _subclass(count: int) -> type[Bits]:
    """The subclass of `Bits` with this many words."""
    fields = tuple(f"word{i}" for i in range(count))
    return type(f"Bits{count}", (Bits,), {"__slots__": (), "__module__": __name__, "_fields": fields})


Bits2, Bits3, Bits4, Bits5, Bits6, Bits7, Bits8 = (_subclass(count) for count in range(2, MOST_WORDS + 1))
BY_WORDS = (Bits2, Bits3, Bits4, Bits5, Bits6, Bits7, Bits8)


def wide(cells: int, number: int = 0) -> Board:
    """A board for this many cells with the bits of `number` set: an int for up to 63 cells, else a `Bits`.

    >>> from hansu.core import popcount, wide
    >>> wide(63, 5), popcount(wide(64, 5 << 60))
    (5, 2)
    """
    words = max(-(-cells // WORD), 1)
    if words > MOST_WORDS:
        raise HansuError("a board of {cells} cells is too large", "at most {most}", cells=cells, most=MOST_WORDS * WORD)
    return number if words == 1 else BY_WORDS[words - 2].of(number)


@compiled_as("hansu.compile.wide_intrinsics:bit")
def bit(like: Board, i: int) -> Board:
    """The board on which only cell `i` is set, of the same type as `like`: `1 << i` for any number of cells."""
    return like.of(1 << i) if isinstance(like, Bits) else 1 << i


def has_bit(board: Board, i: int) -> bool:
    """Is cell `i` set?"""
    return bool(board & bit(board, i))


def shifted(board: Board, count: int) -> Board:
    """`board << count`, or `board >> -count` for a negative count: a step in any direction.

    >>> shifted(0b100, 1), shifted(0b100, -2)
    (8, 1)
    """
    return board << count if count >= 0 else board >> -count


def bits_in(board: Board) -> Iterator[int]:
    """The cells that are set, in order.

    >>> list(bits_in(0b10110))
    [1, 2, 4]
    """
    i = next_bit(board, -1)
    while i >= 0:
        yield i
        i = next_bit(board, i)


def turned_cell(cell: int, rows: int, columns: int, k: int) -> int:
    """The cell that `cell` (row * columns + column) becomes under the board's k-th symmetry.

    k & 1 mirrors left and right, then k & 2 top and bottom, then k & 4 swaps rows and columns (of a square board).
    """
    row, column = cell // columns, cell % columns
    if k & 1:
        column = columns - 1 - column
    if k & 2:
        row = rows - 1 - row
    return column * rows + row if k & 4 else row * columns + column


def turned_board(board: Board, rows: int, columns: int, k: int) -> Board:
    """A board under its k-th symmetry."""
    turned = board & ~board
    for i in bits_in(board):
        turned |= bit(board, turned_cell(i, rows, columns, k))
    return turned
