"""Files that a person names and that cannot be had: what is wrong, and what to do next."""

from __future__ import annotations

import difflib
from pathlib import Path

from hansu.core.errors import HansuError
from hansu.core.message import Message


def not_there(path: Path, hint: str = "") -> HansuError:
    """For a path that is no file."""
    if path.is_dir():
        return HansuError(Message("{path} is a folder, not a file", path=path), Message("name a file in it"))
    return HansuError(Message("there is no file {path}", path=path), hint or _where(path))


def not_read(path: Path, error: Exception) -> HansuError:
    """For a file that the system does not let us read."""
    reason = getattr(error, "strerror", None) or error
    what = Message("cannot read {path}: {reason}", path=path, reason=reason)
    if isinstance(error, FileNotFoundError):
        return HansuError(what, _where(path))
    if isinstance(error, IsADirectoryError):
        return HansuError(what, Message("name a file in it"))
    if isinstance(error, PermissionError):
        return HansuError(what, Message("name a file that you may read"))
    return HansuError(what, Message("it may be damaged: get it anew, or name another file"))


def not_written(path: Path, error: OSError) -> HansuError:
    """For a file that the system does not let us write."""
    what = Message("cannot write {path}: {strerror}", path=path, strerror=error.strerror or error)
    if not path.parent.is_dir():
        return HansuError(
            what, Message("there is no folder {folder}: make it, or name another file", folder=path.parent)
        )
    return HansuError(what, Message("name another file, in a folder that you may write to"))


def _where(path: Path) -> Message:
    """Where a missing file was looked for, or one beside it whose name is like its own."""
    folder = path.expanduser().absolute().parent
    if not folder.is_dir():
        return Message("there is no folder {folder} either", folder=folder)
    close = difflib.get_close_matches(path.name, (entry.name for entry in folder.iterdir()), n=1)
    if close:
        return Message("did you mean {name!r}?", name=str(path.with_name(close[0])))
    return Message("it was looked for in {folder}", folder=folder)
