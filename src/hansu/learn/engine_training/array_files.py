"""Files of numeric arrays (.npz), read without pickle."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.learn.engine_training.worker_processes import uninterrupted
from hansu.learn.run import save

MADE_BY = Message("expected a file of: hansu train GAME engine_games -o games.npz")


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, Any]:
    """The arrays with these names from an .npz file; all must be numeric."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name]) for name in names}
    except OSError as error:
        raise HansuError(
            "{path} cannot be read: {strerror}", MADE_BY, path=path, strerror=error.strerror or "damaged"
        ) from None
    except (KeyError, IndexError):
        arrays = {}
    except Exception:  # for a damaged header NumPy may even raise SyntaxError
        raise HansuError("{path} is not a file of arrays (.npz)", MADE_BY, path=path) from None
    if not arrays or any(array.dtype.kind not in "iuf" for array in arrays.values()):
        raise HansuError("{path} does not contain games of the engine", MADE_BY, path=path)
    return arrays


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write an .npz file atomically. Ctrl-C takes effect after the file is written."""
    packed = io.BytesIO()
    with uninterrupted():
        np.savez_compressed(packed, **arrays)
        save(path, packed.getvalue())
