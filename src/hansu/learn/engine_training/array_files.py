"""Files of arrays, read as data and nothing else."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hansu.core.errors import HansuError
from hansu.core.message import Phrase
from hansu.learn.engine_training.worker_processes import uninterrupted
from hansu.learn.run import save

MADE_BY = Phrase("hansu train GAME engine_games -o games.npz makes such a file")


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, Any]:
    """The arrays of an .npz file that must hold these, of numbers."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name]) for name in names}
    except OSError as error:
        what = Phrase("{path} cannot be read: {strerror}", path=path, strerror=error.strerror or "damaged")
        raise HansuError(what, MADE_BY) from None
    except (KeyError, IndexError):
        arrays = {}
    except Exception:  # NumPy's reader of a damaged header may even raise SyntaxError
        raise HansuError(Phrase("{path} is no file of arrays (.npz)", path=path), MADE_BY) from None
    if not arrays or any(array.dtype.kind not in "iuf" for array in arrays.values()):
        what = Phrase("{path} does not hold the engine's games", path=path)
        raise HansuError(what, MADE_BY)
    return arrays


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """A file of them, all of it or nothing. Ctrl-C waits until it is written."""
    packed = io.BytesIO()
    with uninterrupted():
        np.savez_compressed(packed, **arrays)
        save(path, packed.getvalue())
