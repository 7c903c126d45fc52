"""Files of arrays, read as data and nothing else."""

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

MADE_BY = Message("hansu train GAME engine_games -o games.npz makes such a file")


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, Any]:
    """The arrays of an .npz file that must hold these, of numbers."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name]) for name in names}
    except OSError as error:
        raise HansuError(
            "{path} cannot be read: {strerror}", MADE_BY, path=path, strerror=error.strerror or "damaged"
        ) from None
    except (KeyError, IndexError):
        arrays = {}
    except Exception:  # NumPy's reader of a damaged header may even raise SyntaxError
        raise HansuError("{path} is no file of arrays (.npz)", MADE_BY, path=path) from None
    if not arrays or any(array.dtype.kind not in "iuf" for array in arrays.values()):
        raise HansuError("{path} does not hold the engine's games", MADE_BY, path=path)
    return arrays


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """A file of them, all of it or nothing. Ctrl-C waits until it is written."""
    packed = io.BytesIO()
    with uninterrupted():
        np.savez_compressed(packed, **arrays)
        save(path, packed.getvalue())
