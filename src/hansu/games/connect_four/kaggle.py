"""A file for Kaggle's ConnectX, which needs no hansu: `kaggle_agent` with the repertoire at its end."""

from __future__ import annotations

import base64
from pathlib import Path

from hansu.games.connect_four import kaggle_agent
from hansu.games.connect_four.repertoire import SHIPPED


def submission(seconds: float = kaggle_agent.SECONDS) -> str:
    """The text of the file; `seconds` is what a move may take."""
    code = Path(kaggle_agent.__file__).read_text(encoding="utf-8")
    code = code.replace(f"SECONDS = {kaggle_agent.SECONDS}", f"SECONDS = {seconds}")
    return f'{code}\n\nREPERTOIRE = "{base64.b64encode(SHIPPED.read_bytes()).decode()}"\n'
