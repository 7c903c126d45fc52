"""Where compiled code is kept between processes.

Numba's cache does not notice that a function *called* by a cached one was edited: it would silently run the old rules.
Every compiled copy therefore carries a hash of all code and constants that it reaches in its name (`compiled.py`). What
that hash does not see (an intrinsic, the order of a NamedTuple's fields, another Numba) is in the folder's name: a hash
of `core`, `compile`, `search`, of the sources of the code's owner (`core/owner.py`), and of the versions.

    <user's cache>/hansu-compiled/                          only for its owner: Numba's index is a pickle
        CACHEDIR.TAG                                        the marker: hansu made this folder
        <module of the state class>-<key>/                  the few most recently used are kept

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
MARKER = "CACHEDIR.TAG"  # backup programs know this name and its first line, and leave such folders out
MARK = "Signature: 8a477f597d28d172789f06886806bc55\n# Compiled code, made by hansu. It can be removed at any time.\n"
OWN_NAME = re.compile(r"(.+)-[0-9a-f]{16}")
KEPT_OF_A_MODULE = 4
KEPT = 128

log = logging.getLogger("hansu.cache")


def user_cache() -> Path:
    """The user's cache folder: $HANSU_CACHE, or what the platform says."""
    if given := os.environ.get("HANSU_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "hansu"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "hansu"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hansu"


@cache
def own_folder() -> Path | None:
    """The folder of all compiled code, made, private and writable; None where there is no such place."""
    try:
        folder = user_cache() / OWN_FOLDER
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if trouble := _not_ours(folder):
            log.warning("compiled code is not kept: %s %s", folder, trouble)
            return None
        folder.chmod(0o700)
        probe = folder / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
        if not (folder / MARKER).exists():
            (folder / MARKER).write_text(MARK, encoding="ascii")
        remove_old(folder)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None
    return folder


def _not_ours(folder: Path) -> str:
    """What is wrong with a folder that somebody else may have made; empty: nothing."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return "is not a folder"
    if hasattr(os, "getuid"):
        if found.st_uid != os.getuid():
            return "belongs to somebody else"
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return "can be written by others"
    if not (folder / MARKER).is_file() and any(not entry.name.startswith(".writable-") for entry in folder.iterdir()):
        return f"holds files but no {MARKER}, so hansu did not make it"
    return ""


def remove_old(folder: Path) -> None:
    """Keep the most recently used keys of each module (another version of hansu may be running beside this one), and
    not too many in all (a user's games come and go)."""
    by_age = []
    for entry in _made(folder):
        by_age.append((entry.stat().st_mtime, entry.name.rpartition("-")[0], entry))
    newer: dict[str, int] = {}
    for kept, (_, module, entry) in enumerate(sorted(by_age, reverse=True)):
        newer[module] = newer.get(module, 0) + 1
        if newer[module] > KEPT_OF_A_MODULE or kept >= KEPT:
            shutil.rmtree(entry, ignore_errors=True)


class Kept(NamedTuple):
    """The compiled code of one module (of one version of it)."""

    module: str
    bytes: int
    folder: str


def kept(folder: Path) -> list[Kept]:
    """All compiled code, the largest first."""
    found = []
    for entry in _made(folder):
        size = sum(file.stat().st_size for file in entry.rglob("*") if file.is_file())
        found.append(Kept(entry.name.rpartition("-")[0], size, entry.name))
    return sorted(found, key=lambda one: -one.bytes)


def clear_all(folder: Path) -> None:
    """Remove all compiled code; nothing that hansu did not make."""
    for entry in _made(folder):
        shutil.rmtree(entry, ignore_errors=True)


def _made(folder: Path) -> list[Path]:
    """The folders that hansu made."""
    return [
        entry for entry in folder.iterdir()
        if OWN_NAME.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink()
    ]  # fmt: skip


def folder_for(module: str, source: Path) -> Path | None:
    """Where code compiled for the states of one module goes. Types are unpickled from a cache's index by the name
    of their module, so the code of two games never shares a folder."""
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
    """A hash of what all compiled code stands on."""
    versions = [_version(package) for package in ("numba", "llvmlite", "numpy")]
    digest = hashlib.sha256(repr((versions, sys.version_info[:2])).encode())
    _add(digest, (file for folder in ("core", "compile", "search") for file in (PACKAGE / folder).rglob("*.py")))
    return digest.digest()


def _version(package: str) -> str:
    """As it was installed: asked so, nothing of it is loaded. Where nobody knows that, it is asked itself."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return str(import_module(package).__version__)


def _add(digest: hashlib._Hash, files: Iterable[Path]) -> None:
    for file in sorted(files):
        name = file.relative_to(PACKAGE).as_posix() if file.is_relative_to(PACKAGE) else file.name
        digest.update(name.encode() + b"\0" + file.read_bytes())
