"""Files from anywhere, read within bounds: a small file that unpacks to an enormous one, a line without an end or a
number of a million digits is told, and fills no memory."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from hansu.core.errors import HansuError
from hansu.core.file_errors import not_read
from hansu.core.message import Message

MOST_BYTES = 64 << 20  # of a file that is read as a whole
MOST_ARRAYS = 1 << 30  # bytes of all arrays in a file
LONGEST_LINE = 8 << 20  # characters
PACKED_FREELY = 256 << 20  # bytes up to which a file may unpack to any multiple of its size ...
MOST_TIMES = 100  # ... beyond that, to so many times; zlib can make a thousand of one
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


class TooLarge(HansuError):
    """More than anybody would want to read."""


def whole_number(text: str) -> int | None:
    """The number that a text is, in plain digits; None where it is none, or one of more than 18 digits."""
    text = text.strip()
    return int(text) if _NUMBER.fullmatch(text) else None


def read_whole(path: Path, encoding: str = "utf-8") -> str:
    """The text of a file that is read as a whole. Raises HansuError that says why it cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null byte in its name
        raise not_read(path, error) from None
    if len(content) > MOST_BYTES:
        raise TooLarge(Message("cannot read {path}: it is larger than {most} MiB", path=path, most=MOST_BYTES >> 20))
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.removesuffix("-sig").upper()
        raise HansuError(
            "cannot read {path}: not a text in {name}: {error}", path=path, name=name, error=error
        ) from None


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The file, and the bytes in it: what gzip has packed is unpacked."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            yield raw, (cast(BinaryIO, io.BufferedReader(_Unpacked(raw))) if packed else raw)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise not_read(path, error) from None


class _Unpacked(io.RawIOBase):
    """What a gzip file holds, as long as that is in proportion to its size."""

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

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._count += count
        if self._count > PACKED_FREELY and self._count > MOST_TIMES * self._raw.tell():
            raise TooLarge(f"it unpacks to more than {MOST_TIMES} times its size", "unpack it yourself if it is sound")
        return count


def arrays_of(path: Path, *names: str) -> tuple[Any, ...]:
    """The arrays of these names in an .npz file, without pickle. Raises ValueError that says what is wrong with it."""
    found = all_arrays_of(path, names)
    return tuple(found[name] for name in names)


def all_arrays_of(path: Path, names: Collection[str] | None = None) -> dict[str, Any]:
    """The arrays of an .npz file, all of them or those of these names."""
    import numpy as np

    try:
        with zipfile.ZipFile(path) as packed:
            if sum(part.file_size for part in packed.infolist()) > MOST_ARRAYS:
                raise ValueError(f"it holds more than {MOST_ARRAYS >> 20} MiB")
        with np.load(path, allow_pickle=False) as file:
            wanted = file.files if names is None else names
            missing = next((name for name in wanted if name not in file.files), None)
            if missing is not None:
                raise ValueError(f"it has no array {missing!r}")
            return {name: _array(file[name]) for name in wanted}
    except Exception as error:  # NumPy's reader of a damaged header may even raise SyntaxError
        raise ValueError(getattr(error, "strerror", None) or str(error)) from None


def _array(found: Any) -> Any:
    """NumPy gives what is no array as it lies there."""
    if isinstance(found, bytes):
        raise ValueError("a part of it is no array")
    return found


def lines_of(stream: Any, longest: int = LONGEST_LINE) -> Iterator[Any]:
    """The lines of a text or binary stream, none of which may be longer than that."""
    number = 0
    while line := stream.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise TooLarge(f"line {number} is longer than {longest:,} characters")
        yield line
