"""Optional libraries: imported on first use, with a clear error if one is not installed."""

from __future__ import annotations

import importlib
from typing import Any

from hansu.core.errors import HansuError


def require(module: str, extra: str = "train") -> Any:
    """Import an optional module. Raises HansuError with the command that installs it.

    `extra` is the extra of the hansu package that contains it.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        name = {"sklearn": "scikit-learn"}.get(module.partition(".")[0], module.partition(".")[0])
        raise HansuError(
            "this needs {name}, which is not installed", "pip install 'hansu[{extra}]'", name=name, extra=extra
        ) from None
