"""Numba's files of compiled code, of which a damaged one does no harm.

A file that was cut short, emptied or changed is noticed by the checksum at its end, before anything of it is read. It
is said once, the entry is dropped, and the code is compiled anew; where it cannot be written (a full disk), it is
compiled in each process.
"""

from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

log = logging.getLogger("hansu.cache")
_said: set[str] = set()

CHECKSUM = 32  # bytes


class Damaged(Exception):
    """A file whose checksum is wrong."""


class CodeFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The index and the data of one function. A file's last bytes are the checksum of the others; whoever reads the
    others never gets there."""

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + _checksum(content.getvalue()))

    def _load_index(self) -> Any:
        with suppress(FileNotFoundError):
            _check(Path(self._index_path))
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check(Path(self._data_path(name)))
        return super()._load_data(name)

    def drop(self) -> None:
        """Remove them all."""
        index = Path(self._index_path)
        for file in (index, *index.parent.glob(f"{index.stem}.*.nbc")):
            with suppress(OSError):
                file.unlink()


class CodeCache(FunctionCache):  # type: ignore[misc]
    """What a Numba dispatcher asks for code it compiled before."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CodeFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever unpickling may raise
            _say(f"a file of compiled code is damaged ({_gist(error)}): it is compiled anew")
            self._cache_file.drop()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            _say(f"compiled code cannot be kept ({_gist(error)}): it is compiled anew in each process")
            self.disable()


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM).digest()


def _check(path: Path) -> None:
    content = path.read_bytes()
    if _checksum(content[:-CHECKSUM]) != content[-CHECKSUM:]:
        raise Damaged(f"{path.name} in {path.parent}")


def _gist(error: Exception) -> str:
    return str(error) if isinstance(error, Damaged) else f"{type(error).__name__}: {error}"


def _say(text: str) -> None:
    """Once: there may be many such files."""
    kind = text.partition("(")[0]
    if kind not in _said:
        _said.add(kind)
        log.warning("%s", text)
