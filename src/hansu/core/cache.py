"""Where compiled code is kept between processes.

Numba's cache does not notice that a function *called* by a cached one was edited: it would silently run the old
rules. So the folder's name holds a hash of every source file of the package, of the user's own game file and
of Numba's version; an edit leads to another folder. Folders of older keys are removed.

    <user's cache>/hansu/<package key>/<module of the state class>-<key of its file>/
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from functools import cache
from pathlib import Path

KEPT_KEYS = 6


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
def package_key() -> str:
    """A hash of the package's sources and of the compiler's version."""
    import numba

    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    package = Path(__file__).parents[1]
    for source in sorted(package.rglob("*.py")):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def package_folder() -> Path | None:
    """This version's folder, made and writable; None where there is no such place."""
    root = user_cache()
    folder = root / package_key()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
        os.utime(folder)
        remove_old_keys(root, keep=folder)
    except OSError:
        return None
    return folder


def remove_old_keys(root: Path, keep: Path) -> None:
    """Keep the few most recently used keys: another version of hansu may be running beside this one."""
    others = [entry for entry in root.iterdir() if entry.is_dir() and entry != keep]
    others.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in others[KEPT_KEYS - 1 :]:
        shutil.rmtree(entry, ignore_errors=True)


def folder_for(module: str, source: Path) -> Path | None:
    """Where code compiled for the states of one module goes. Types are unpickled from a cache's index by the name
    of their module, so the code of two games never shares a folder. The module's file and those beside it that are
    loaded (a user's game may import its neighbours) are part of the key."""
    base = package_folder()
    if base is None:
        return None
    if source.is_relative_to(Path(__file__).parents[1]):
        return base / module  # the package's key covers it
    digest = hashlib.sha256()
    for file in sorted(_loaded_beside(source)):
        digest.update(file.read_bytes())
    return base / f"{module}-{digest.hexdigest()[:12]}"


def _loaded_beside(source: Path) -> set[Path]:
    found = {source}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and file.endswith(".py") and Path(file).is_relative_to(source.parent) and Path(file).is_file():
            found.add(Path(file))
    return found
