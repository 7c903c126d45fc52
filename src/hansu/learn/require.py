"""Libraries that only training needs: imported when first used, and named where they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.said import said


def require(module: str, extra: str = "train") -> Any:
    """The module, or what to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = {"sklearn": "scikit-learn"}.get(module.partition(".")[0], module.partition(".")[0])
        what = said(f"this needs {name}, which is not installed", f"{name}이(가) 필요한데 설치되어 있지 않습니다")
        raise HansuError(what, f"pip install 'hansu[{extra}]'") from None
