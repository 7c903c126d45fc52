"""Puts docs/ and examples/ into wheels, inside the package, so that whoever installs hansu has them. (Editable installs
find them beside the sources.)"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GuidesHook(BuildHookInterface):  # type: ignore[misc]
    """Called by hatchling before it builds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, but not to an editable install."""
        if version == "editable":
            return
        root = Path(self.root)
        for pattern in ("docs/**/*.md", "examples/*.py", "examples/games/*.py"):
            for file in sorted(root.glob(pattern)):
                name = file.relative_to(root).as_posix()
                build_data["force_include"][str(file)] = f"hansu/{name}"
