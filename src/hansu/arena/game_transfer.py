"""A parcel: a game on its way to another machine.

A game of the package goes by its name. A user's file goes as text, with those files of its folder that it has imported.
At its destination it is unpacked into the folder of compiled code, under a name that follows from the text: every actor
of a machine finds the same file, hence the same compiled code.
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
    spec: str  # of the game; that of a user's game begins with the name of its file
    files: dict[str, bytes]  # by name

    @classmethod
    def of(cls, game: Game) -> PackedGame:
        if not game.path:
            return cls(game.spec, {})
        path = Path(game.path)
        files = {file.name: file.read_bytes() for file in _imported_beside(path)}
        return cls(path.name + game.spec.removeprefix(game.path), files)

    def unpacked(self) -> Game:
        if not self.files:
            return game_named(self.spec)
        folder = self._folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        for name, content in self.files.items():
            part = folder / f"{name}.{os.getpid()}"  # other actors of this machine unpack the same
            part.write_bytes(content)
            part.replace(folder / name)
        return game_named(f"{folder}/{self.spec}")

    def _folder(self) -> Path:
        digest = hashlib.sha256(repr(sorted(self.files.items())).encode()).hexdigest()[:16]
        kept = own_folder()
        if kept is None:
            return Path(tempfile.mkdtemp(prefix="hansu-"))
        return kept / f"{self.spec.partition('.py')[0]}-{digest}"


def _imported_beside(path: Path) -> list[Path]:
    loaded = {Path(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
    return sorted({path} | {file for file in loaded if file.parent == path.parent and file.suffix == ".py"})
