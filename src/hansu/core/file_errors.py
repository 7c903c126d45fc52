"""Errors for files that the user names: what is wrong, and what to do next."""

from __future__ import annotations

import difflib
from pathlib import Path

from hansu.core.errors import HansuError
from hansu.core.message import Message


def not_there(path: Path, hint: str = "") -> HansuError:
    """The error for a path that is not a file."""
    if path.is_dir():
        return HansuError("{path} is a folder, not a file", "name a file in it", path=path)
    return HansuError("there is no file {path}", hint or _where(path), path=path)


def not_read(path: Path, error: Exception) -> HansuError:
    """The error for a file that cannot be read."""
    reason = getattr(error, "strerror", None) or error
    what = Message("cannot read {path}: {reason}", path=path, reason=reason)
    if isinstance(error, FileNotFoundError):
        return HansuError(what, _where(path))
    if isinstance(error, IsADirectoryError):
        return HansuError(what, Message("name a file in it"))
    if isinstance(error, PermissionError):
        return HansuError(what, Message("name a file that you have permission to read"))
    return HansuError(what, Message("it may be damaged; download it again or name another file"))


def not_written(path: Path, error: OSError) -> HansuError:
    """The error for a file that cannot be written."""
    what = Message("cannot write {path}: {strerror}", path=path, strerror=error.strerror or error)
    if not path.parent.is_dir():
        return HansuError(
            what, Message("there is no folder {folder}; create it or name another file", folder=path.parent)
        )
    return HansuError(what, Message("name a file in a folder that you have permission to write to"))


def _where(path: Path) -> Message:
    """The hint for a missing file: a file with a similar name, or the folder that was searched."""
    folder = path.expanduser().absolute().parent
    if not folder.is_dir():
        return Message("the folder {folder} does not exist either", folder=folder)
    close = difflib.get_close_matches(path.name, (entry.name for entry in folder.iterdir()), n=1)
    if close:
        return Message("did you mean {name!r}?", name=str(path.with_name(close[0])))
    return Message("searched in {folder}", folder=folder)
