"""Reads untrusted files within bounds: zip bombs, endless lines and huge numbers raise errors."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, AnyStr, BinaryIO, cast

from hansu.core.errors import HansuError
from hansu.core.file_errors import not_read
from hansu.core.types import Array

if TYPE_CHECKING:
    from typing_extensions import Buffer

MOST_BYTES = 64 << 20  # of a file that is read at once
MOST_ARRAYS = 1 << 30  # bytes of all arrays in a file
LONGEST_LINE = 8 << 20  # characters
PACKED_FREELY = 256 << 20  # bytes that a file may always unpack to ...
MOST_TIMES = 100  # ... beyond that, at most this many times its size; zlib can reach a factor of 1000
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


class TooLarge(HansuError):
    """A file exceeds a bound."""


def whole_number(text: str) -> int | None:
    """The integer that a text spells in at most 18 digits, else None.

    >>> whole_number(" 42 "), whole_number("4.2")
    (42, None)
    """
    text = text.strip()
    return int(text) if _NUMBER.fullmatch(text) else None


def read_whole(path: Path, encoding: str = "utf-8") -> str:
    """The text of a file. Raises HansuError if it cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null byte in its name
        raise not_read(path, error) from None
    if len(content) > MOST_BYTES:
        raise TooLarge(
            "cannot read {path}: it is larger than {most} MiB", "name a smaller file", path=path, most=MOST_BYTES >> 20
        )
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.removesuffix("-sig").upper()
        raise HansuError(
            "cannot read {path} as {name} text: {error}", "save it in {name}", path=path, name=name, error=error
        ) from None


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The raw file and its content, which is unpacked if the file is gzipped."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            yield raw, (cast(BinaryIO, io.BufferedReader(_Unpacked(raw))) if packed else raw)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise not_read(path, error) from None


class _Unpacked(io.RawIOBase):
    """The content of a gzip file, as long as the ratio to its size is plausible."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._file = gzip.GzipFile(fileobj=raw)
        self._count = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._count = self._file.seek(offset, whence)
        return self._count

    def readinto(self, buffer: Buffer) -> int:
        count = self._file.readinto(buffer)
        self._count += count
        if self._count > PACKED_FREELY and self._count > MOST_TIMES * self._raw.tell():
            raise TooLarge(
                "the file unpacks to more than {times} times its size",
                "unpack it yourself if you trust it",
                times=MOST_TIMES,
            )
        return count


def arrays_of(path: Path, *names: str) -> tuple[Array, ...]:
    """The named arrays of an .npz file, without pickle. Raises ValueError if one is missing or damaged."""
    arrays = all_arrays_of(path, names)
    return tuple(arrays[name] for name in names)


def all_arrays_of(path: Path, names: Collection[str] | None = None) -> dict[str, Array]:
    """The arrays of an .npz file by name: those of `names`, or all. Raises ValueError like `arrays_of`."""
    import numpy as np

    try:
        with zipfile.ZipFile(path) as packed:
            if sum(part.file_size for part in packed.infolist()) > MOST_ARRAYS:
                raise ValueError(f"it holds more than {MOST_ARRAYS >> 20} MiB")
        with np.load(path, allow_pickle=False) as file:
            requested = file.files if names is None else names
            missing = next((name for name in requested if name not in file.files), None)
            if missing is not None:
                raise ValueError(f"it has no array {missing!r}")
            return {name: _array(file[name]) for name in requested}
    except Exception as error:  # NumPy's reader of a damaged header may even raise SyntaxError
        raise ValueError(getattr(error, "strerror", None) or str(error)) from None


def _array(part: Array | bytes) -> Array:
    """A part of an .npz file; NumPy returns bytes for parts that are not arrays."""
    if isinstance(part, bytes):
        raise ValueError("a part of it is not an array")
    return part


def lines_of(stream: IO[AnyStr], longest: int = LONGEST_LINE) -> Iterator[AnyStr]:
    """The lines of a text or binary stream. Raises TooLarge for a line of more than `longest` characters."""
    number = 0
    while line := stream.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise TooLarge(
                "line {number} is longer than {longest:,} characters", "break it up", number=number, longest=longest
            )
        yield line
