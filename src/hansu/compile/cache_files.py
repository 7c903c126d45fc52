"""Numba's cache files with a checksum, so that damaged files are harmless.

The checksum at the end of a file is verified before the file is read. If it is wrong, a warning is logged once, the
entry is removed, and the code is compiled again. If a file cannot be written (a full disk), every process compiles.
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
_logged: set[str] = set()

CHECKSUM = 32  # bytes


class Damaged(Exception):
    """The checksum of a file is wrong."""


class CodeFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The index and data files of one function. A checksum follows the content; readers of the content ignore it."""

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
        """Remove all files of the function."""
        index = Path(self._index_path)
        for file in (index, *index.parent.glob(f"{index.stem}.*.nbc")):
            with suppress(OSError):
                file.unlink()


class CodeCache(FunctionCache):  # type: ignore[misc]
    """The cache of one Numba dispatcher."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CodeFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # unpickling may raise anything
            _warn_once(f"a cache file is damaged ({_description(error)}): compiling again")
            self._cache_file.drop()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            _warn_once(f"compiled code cannot be cached ({_description(error)}): every process compiles it again")
            self.disable()


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM).digest()


def _check(path: Path) -> None:
    content = path.read_bytes()
    if _checksum(content[:-CHECKSUM]) != content[-CHECKSUM:]:
        raise Damaged(f"{path.name} in {path.parent}")


def _description(error: Exception) -> str:
    return str(error) if isinstance(error, Damaged) else f"{type(error).__name__}: {error}"


def _warn_once(text: str) -> None:
    """Log each kind of warning only once, since many files may be affected."""
    kind = text.partition("(")[0]
    if kind not in _logged:
        _logged.add(kind)
        log.warning("%s", text)
