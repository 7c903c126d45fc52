"""A file for Kaggle's ConnectX, which needs no hansu: `kaggle_agent` with the opening book at its end."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from hansu.games.connect_four import kaggle_agent
from hansu.games.connect_four.book import Book


def submission(book: Book, seconds: float = kaggle_agent.SECONDS) -> str:
    """The text of the file; `seconds` is what a move may take."""
    import numpy as np

    packed = io.BytesIO()
    np.savez_compressed(packed, keys=book.keys, moves=book.moves)
    code = Path(kaggle_agent.__file__).read_text(encoding="utf-8")
    code = code.replace(f"SECONDS = {kaggle_agent.SECONDS}", f"SECONDS = {seconds}")
    return f'{code}\n\nBOOK = "{base64.b64encode(packed.getvalue()).decode()}"\n'
