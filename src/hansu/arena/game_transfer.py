"""Transfer of a game to another machine.

A game of the package is sent by name. A user's game is sent as files: its own, and those that it imports from the same
folder. The receiver unpacks them into the folder of compiled code, under a name that depends on their content. So all
processes of a machine use the same file, and share its compiled code.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hansu.compile.cache import own_folder
from hansu.core.game import Game
from hansu.core.registry import game as game_named


@dataclass(frozen=True)
class PackedGame:
    """A game as it is sent."""

    spec: str  # for a user's game, it begins with the file name
    files: dict[str, bytes]  # content by name

    @classmethod
    def of(cls, game: Game) -> PackedGame:
        """Pack a game of this machine."""
        if not game.path:
            return cls(game.spec, {})
        path = Path(game.path)
        files = {file.name: file.read_bytes() for file in _imported_files(path)}
        return cls(path.name + game.spec.removeprefix(game.path), files)

    def unpacked(self) -> Game:
        """The game, on the receiving machine."""
        if not self.files:
            return game_named(self.spec)
        folder = self._folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        for name, content in self.files.items():
            part = folder / f"{name}.{os.getpid()}"  # other processes of this machine may unpack the same file
            part.write_bytes(content)
            part.replace(folder / name)
        return game_named(f"{folder}/{self.spec}")

    def _folder(self) -> Path:
        digest = hashlib.sha256(repr(sorted(self.files.items())).encode()).hexdigest()[:16]
        cache = own_folder()
        if cache is None:
            return Path(tempfile.mkdtemp(prefix="hansu-"))
        return cache / f"{self.spec.partition('.py')[0]}-{digest}"


def _imported_files(path: Path) -> list[Path]:
    loaded = {Path(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
    return sorted({path} | {file for file in loaded if file.parent == path.parent and file.suffix == ".py"})
