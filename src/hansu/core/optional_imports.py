"""Libraries that only training needs: imported when first used, and named where they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from hansu.core.errors import HansuError


def require(module: str, extra: str = "train") -> Any:
    """The module, or what to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = {"sklearn": "scikit-learn"}.get(module.partition(".")[0], module.partition(".")[0])
        raise HansuError(
            "this needs {name}, which is not installed", f"pip install 'hansu[{extra}]'", name=name
        ) from None
