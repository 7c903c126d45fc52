"""The participants of an event: a player by name, its limit and its version.

alphabeta:depth=4                 a player
engine@time=0.1                   a player with its own limit
old=uai:cmd=./engine_of_may       a player with a label
./my_agent.py:Agent@nodes=1000    your own player
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import which

from hansu import __version__
from hansu.arena.roster import kinds, path_of, player, without_limit
from hansu.core.errors import HansuError
from hansu.core.file_errors import not_read, not_there
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.options import split_spec
from hansu.core.player import Player

_LABEL = re.compile(r"([\w.+-]+)=(?=\S)(.+)", re.DOTALL)  # does not match a path or the settings of a player
NO_LIMIT = Limit()


@dataclass(frozen=True)
class Contestant:
    """A player with its limit and the name that standings show."""

    name: str
    spec: str  # builds the player
    limit: Limit = NO_LIMIT
    version: str = ""  # of hansu, or a digest of the files that it is made of
    player: Player | None = field(default=None, compare=False, repr=False)  # already built; it runs no program yet

    @classmethod
    def read(cls, text: str, game: Game, limit: Limit | None = None) -> Contestant:
        """From `label=player@limit`; label and limit are optional. `limit` is the default limit. Raises HansuError if
        there is no such player. Starts no program."""
        label, rest = "", text.strip()
        if match := _LABEL.fullmatch(rest):
            label, rest = match[1], match[2]
        bound, built = limit or Limit(), None
        rest, own = without_limit(rest)
        if own:
            bound = Limit.read(own)
        if by_path := path_of(rest):
            path, attribute = Path(by_path[0]).expanduser(), by_path[1]
            if not path.is_file():
                raise not_there(Path(by_path[0]), Message("a player of your own is path/to/my_agent.py:Name"))
            path = path.resolve()
            end = f":{attribute}" if attribute else ""
            name, spec, version = f"{path.name}{end}", f"{path}{end}", _digest([path])
        else:
            built = player(rest, game)
            name = spec = built.name
            version = _digest(_files(spec, game)) or __version__
        ending = f"@{bound}" if bound != Limit() else ""
        return cls(label or name + ending, spec, bound, version, built)


def read_contestants(texts: Sequence[str], game: Game, limit: Limit | None = None) -> tuple[Contestant, ...]:
    """The contestants of an event. Files of the same name in different folders are named with their folders."""
    contestants = [Contestant.read(text, game, limit) for text in texts]
    known = set()
    for one in contestants:
        if one in known:
            hint = Message("give one of them a label: other={name}", name=one.name)
            raise HansuError("{name} is listed twice", hint, name=one.name)
        known.add(one)
    depth = 2
    while duplicates := {one.name for one in contestants if sum(other.name == one.name for other in contestants) > 1}:
        longer = [_with_folder(one, depth) if one.name in duplicates else one for one in contestants]
        if longer == contestants:
            hint = Message("give one of them a label: other={name}", name=min(duplicates))
            raise HansuError("two players have the name {name}", hint, name=min(duplicates))
        contestants, depth = longer, depth + 1
    return tuple(contestants)


def _with_folder(one: Contestant, depth: int) -> Contestant:
    by_path = path_of(one.spec)
    if by_path is None or Path(by_path[0]).name not in one.name:
        return one
    parts = Path(by_path[0]).parts
    shorter, longer = "/".join(parts[-depth + 1 :]), "/".join(parts[-depth:])
    return replace(one, name=longer + one.name.removeprefix(shorter)) if one.name.startswith(shorter) else one


def _files(spec: str, game: Game) -> list[Path]:
    """The files that the settings of a player name: networks and programs."""
    name, settings = split_spec(spec)
    words: list[str] = []
    for option in kinds(game)[name].options():
        if option.program:
            command = shlex.split(settings.get(option.name, ""))
            words += [which(command[0]) or "", *command] if command else []
        elif option.kind is str:
            words.append(settings.get(option.name, ""))
    return [Path(word) for word in dict.fromkeys(words) if word and Path(word).is_file()]


def _digest(files: Sequence[Path]) -> str:
    """Eight hexadecimal digits that identify the content of files."""
    digest = hashlib.sha256()
    try:
        for file in files:
            digest.update(file.read_bytes())
    except OSError as error:
        raise not_read(Path(error.filename), error) from None
    return digest.hexdigest()[:8] if files else ""
