"""The folder that caches compiled code between processes.

Numba's cache does not notice edits of a function that a cached one *calls*: it would silently run old rules. So the
name of every compiled copy contains its fingerprint, a hash of all code and constants that it reaches
(`specialization.py`). The fingerprint does not cover intrinsics, the fields of a NamedTuple or Numba itself. The
folder's name covers these: it contains a hash of the sources of `core`, `compile`, `search` and of the code's owner
(`core/owner.py`), and of the versions.

    <user's cache>/hansu-compiled/                          private: Numba's index is a pickle
        CACHEDIR.TAG                                        the marker: hansu created this folder
        <module of the state class>-<key>/                  only the most recently used ones stay

Nothing outside the marked folder is ever removed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import NamedTuple

from hansu.core.owner import PACKAGE, owner_of

OWN_FOLDER = "hansu-compiled"
MARKER = "CACHEDIR.TAG"  # backup programs recognise this name and its first line, and skip the folder
MARK = "Signature: 8a477f597d28d172789f06886806bc55\n# Compiled code of hansu. It can be removed at any time.\n"
OWN_NAME = re.compile(r"(.+)-[0-9a-f]{16}")
MOST_PER_MODULE = 4  # folders that are kept
MOST_FOLDERS = 128

log = logging.getLogger("hansu.cache")


def user_cache() -> Path:
    """The user's cache folder: $HANSU_CACHE, or the platform's convention."""
    if folder := os.environ.get("HANSU_CACHE"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "hansu"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "hansu"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hansu"


@cache
def own_folder() -> Path | None:
    """The folder of all compiled code, created private and writable, or None if that is impossible."""
    try:
        folder = user_cache() / OWN_FOLDER
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if reason := _unsafe(folder):
            log.warning("compiled code is not cached: %s %s", folder, reason)
            return None
        folder.chmod(0o700)
        probe = folder / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
        if not (folder / MARKER).exists():
            (folder / MARKER).write_text(MARK, encoding="ascii")
        remove_old(folder)
    except (OSError, RuntimeError):  # RuntimeError: the user has no home folder
        return None
    return folder


def _unsafe(folder: Path) -> str:
    """The reason why a folder must not be used, or ""."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return "is not a folder"
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            return "belongs to another user"
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return "is writable by other users"
    if not (folder / MARKER).is_file() and any(not entry.name.startswith(".writable-") for entry in folder.iterdir()):
        return f"contains files but no {MARKER}, so hansu did not create it"
    return ""


def remove_old(folder: Path) -> None:
    """Remove all but the most recently used folders.

    Several per module stay, since several versions of hansu may be in use. The total is limited, too, since a user's
    games come and go.
    """
    by_age = []
    for entry in _code_folders(folder):
        by_age.append((entry.stat().st_mtime, entry.name.rpartition("-")[0], entry))
    counts: dict[str, int] = {}
    for number, (_, module, entry) in enumerate(sorted(by_age, reverse=True)):
        counts[module] = counts.get(module, 0) + 1
        if counts[module] > MOST_PER_MODULE or number >= MOST_FOLDERS:
            shutil.rmtree(entry, ignore_errors=True)


class CachedModule(NamedTuple):
    """The compiled code of one version of a module."""

    module: str
    bytes: int
    folder: str


def kept(folder: Path) -> list[CachedModule]:
    """All cached modules, the largest first."""
    modules = []
    for entry in _code_folders(folder):
        size = sum(file.stat().st_size for file in entry.rglob("*") if file.is_file())
        modules.append(CachedModule(entry.name.rpartition("-")[0], size, entry.name))
    return sorted(modules, key=lambda module: -module.bytes)


def clear_all(folder: Path) -> None:
    """Remove all compiled code, and only folders that hansu created."""
    for entry in _code_folders(folder):
        shutil.rmtree(entry, ignore_errors=True)


def _code_folders(folder: Path) -> list[Path]:
    """The folders that hansu created."""
    return [
        entry for entry in folder.iterdir()
        if OWN_NAME.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink()
    ]  # fmt: skip


def folder_for(module: str, source: Path) -> Path | None:
    """The folder for code compiled for the states of one module, or None if it cannot be created.

    Numba's index unpickles types by the name of their module, so two games must not share a folder.
    """
    base = own_folder()
    if base is None:
        return None
    digest = hashlib.sha256(_common_key())
    _add(digest, owner_of(module).sources(source.resolve()))
    folder = base / f"{module}-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(exist_ok=True)
        os.utime(folder)
    except OSError:
        return None
    return folder


@cache
def _common_key() -> bytes:
    """A hash of everything that all compiled code depends on."""
    versions = [_version(package) for package in ("numba", "llvmlite", "numpy")]
    digest = hashlib.sha256(repr((versions, sys.version_info[:2])).encode())
    _add(digest, (file for folder in ("core", "compile", "search") for file in (PACKAGE / folder).rglob("*.py")))
    return digest.digest()


def _version(package: str) -> str:
    """The installed version, read without importing the package if possible."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return str(import_module(package).__version__)


def _add(digest: hashlib._Hash, files: Iterable[Path]) -> None:
    for file in sorted(files):
        name = file.relative_to(PACKAGE).as_posix() if file.is_relative_to(PACKAGE) else file.name
        digest.update(name.encode() + b"\0" + file.read_bytes())
