"""Builds a file for Kaggle's ConnectX: the board and a player in plain Python and NumPy, and its data at the end."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from hansu.core import HansuError
from hansu.games.connect_four.kaggle import board as board_source
from hansu.games.connect_four.kaggle import network as network_source
from hansu.games.connect_four.kaggle import solver as solver_source
from hansu.games.connect_four.solver.repertoire import SHIPPED
from hansu.search import network_file

PLAYERS = ("solver", "puct")
NETWORK = Path(__file__).parents[1] / "models" / "connect_four.onnx"
_IMPORTS = re.compile(r"^from (?:__future__|hansu\.[\w.]+) import (?:\([^)]*\)|.*)\n+", re.MULTILINE)


def submission(player: str = "solver", seconds: float = board_source.SECONDS) -> str:
    """The text of the file for a player that uses `seconds` per move."""
    module: ModuleType = solver_source if player == "solver" else network_source
    board = Path(board_source.__file__).read_text(encoding="utf-8")
    board = board.replace(f"SECONDS = {board_source.SECONDS}", f"SECONDS = {seconds}")
    if player == "solver":
        name, data = "REPERTOIRE", SHIPPED.read_bytes()
    else:
        name, data = "WEIGHTS", packed(weights(NETWORK))
    constant = f'{name} = "{base64.b64encode(data).decode()}"'
    code = _IMPORTS.sub("", Path(str(module.__file__)).read_text(encoding="utf-8"))
    return f"{board}\n\n{code}\n\n{constant}\n"


def weights(path: Path) -> dict[str, Any]:
    """The arrays of an ONNX file by name."""
    try:
        import onnx
    except ImportError:
        raise HansuError("exporting a network needs the package onnx", "pip install 'hansu[train]'") from None
    return network_file.weights(onnx.load(str(path)))


def packed(arrays: dict[str, Any]) -> bytes:
    """The arrays as an .npz archive."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()
