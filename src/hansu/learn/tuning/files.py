"""Files of arrays, read as data and nothing else."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hansu.core.errors import HansuError
from hansu.core.phrase import Phrase


def open_arrays(path: Path, names: Iterable[str]) -> Any:
    """The arrays of an .npz file that must hold these."""
    try:
        arrays = np.load(path, allow_pickle=False)
    except OSError as error:
        what = Phrase("{path} cannot be read: {strerror}", path=path, strerror=error.strerror or "damaged")
        raise HansuError(what) from None
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise HansuError(Phrase("{path} is no file of arrays (.npz)", path=path)) from None
    if not isinstance(arrays, np.lib.npyio.NpzFile) or not set(names) <= set(arrays.files):
        what = Phrase("{path} does not hold the engine's games", path=path)
        raise HansuError(what, Phrase("they are made by the recipe engine_games"))
    return arrays
