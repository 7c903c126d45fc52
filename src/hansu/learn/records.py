"""Games to learn from, in files: shards of samples, lines of `hansu match --save`, and whatever formats the game itself
reads (`Game.records`: PGN, SGF, ...). Each becomes samples whose policy is the move that was played.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hansu.core import generic
from hansu.core.bits import pack
from hansu.core.compiled import compiled
from hansu.core.errors import HansuError
from hansu.core.game import Game, Played
from hansu.core.generic import CHANCE, State, legal, over, play, score, team
from hansu.core.options import did_you_mean
from hansu.core.said import said
from hansu.learn.samples import SUFFIX, Board, Damage, Samples, read

Tell = Callable[[str], None]
MOST_TOLD = 20  # mistakes that are told one by one


@dataclass
class Tally:
    """What became of the files."""

    games: int = 0
    positions: int = 0
    left_out: int = 0
    told: Tell = field(default=print)

    def leave_out(self, what: str) -> None:
        self.left_out += 1
        if self.left_out <= MOST_TOLD:
            self.told(what)
        elif self.left_out == MOST_TOLD + 1:
            self.told("and more")


def read_files(game: Game, board: Board, paths: tuple[Path, ...], skip_first: int, tally: Tally) -> Samples:
    """The samples of all files. `skip_first` plies of each game are left out. Games of unknown result are, too."""
    parts: list[Samples] = []
    for path in paths:
        if not path.is_file():
            raise HansuError(said(f"there is no file {path}", f"{path} 파일이 없습니다"))
        parts += _shard(path, board, skip_first, tally) if path.suffix == SUFFIX else _games(
            game, board, path, skip_first, tally
        )  # fmt: skip
    if not parts:
        what = said("there is nothing to learn from in these files", "이 파일들에는 배울 것이 없습니다")
        raise HansuError(what, said(f"{tally.left_out:,} games were left out", f"{tally.left_out:,}판을 뺐습니다"))
    return Samples.join(parts)


def _shard(path: Path, board: Board, skip_first: int, tally: Tally) -> Iterator[Samples]:
    for found in read(path, board):
        if isinstance(found, Damage):
            tally.leave_out(str(found))
            continue
        kept = found.take(found.ply >= skip_first)
        names, numbers = np.unique(kept.game, return_inverse=True)
        if len(kept):
            yield replace(kept, game=numbers + tally.games)
        tally.games += len(names)
        tally.positions += len(kept)


def _games(game: Game, board: Board, path: Path, skip_first: int, tally: Tally) -> Iterator[Samples]:
    unroll = compiled(unrolled, type(board.first.state))
    for found in _played(game, path, tally):
        where = f"{path}, {found.where}"
        if found.outcome is None:
            tally.leave_out(f"{where}: the result is not known")
            continue
        actions = np.array(found.actions, np.int64)
        states, teams = np.zeros((len(actions), board.words), np.int64), np.zeros(len(actions), np.int8)
        if type(found.first) is not type(board.first.state):
            tally.leave_out(f"{where}: another board")
            continue
        legal_plies, at_the_end = unroll(found.first, actions, states, teams)
        if legal_plies < len(actions):
            tally.leave_out(f"{where}: move {legal_plies + 1} is not legal")
            continue
        number, tally.games = tally.games, tally.games + 1
        plies = np.arange(skip_first, len(actions), dtype=np.int64)
        plies = plies[teams[plies] != CHANCE] if len(plies) else plies
        if not len(plies):
            continue
        tally.positions += len(plies)
        rows = np.ones(len(plies))
        yield Samples(
            states[plies], actions[plies, None].astype(np.int32), np.ones((len(plies), 1), np.float32),
            (rows * found.outcome).astype(np.int8), (rows * at_the_end).astype(np.float32),
            np.full(len(plies), np.nan, np.float32), plies.astype(np.int32), (len(actions) - plies).astype(np.int32),
            teams[plies], np.full(len(plies), number, np.int64),
        )  # fmt: skip


def _played(game: Game, path: Path, tally: Tally) -> Iterator[Played]:
    ending = Path(path.stem).suffix[1:] if path.suffix == ".gz" else path.suffix[1:]
    if ending.lower() == "jsonl":
        return match_lines(game, path, tally)
    reader = game.records.get(ending.lower())
    if reader is None:
        known = [*game.records, "jsonl", SUFFIX[1:]]
        what = said(f"{game.name} does not read {path.name}", f"{game.name}: {path.name}을(를) 읽을 줄 모릅니다")
        raise HansuError(what, did_you_mean(ending, known, "endings of files"))
    return reader(game, path, lambda what: tally.leave_out(f"{path}, {what}"))


def match_lines(game: Game, path: Path, tally: Tally) -> Iterator[Played]:
    """The games of `hansu match --save`."""
    first = game.first
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
                moves, outcome = [*found["opening"], *found["moves"]], int(found["outcome"])
                if _plain(found["game"]) != _plain(game.spec):
                    raise HansuError(f"a game of {found['game']}")
                if found.get("fault"):
                    raise HansuError(f"ended by a fault: {found['fault']}")
                yield Played(first.state, tuple(_actions(game, first.state, moves)), outcome, f"line {number}")
            except HansuError as error:
                tally.leave_out(f"{path}, line {number}: {error.what}")
            except (ValueError, KeyError, TypeError):
                tally.leave_out(f"{path}, line {number}: not a record of `hansu match --save`")


def _plain(spec: str) -> str:
    """Without the folder of a user's file."""
    return spec.replace("\\", "/").rpartition("/")[2]


def _actions(game: Game, s: State, moves: list[str]) -> Iterator[int]:
    for move in moves:
        action = game.action(s, move)
        yield action
        s = generic.play(s, action)


def unrolled(s: State, actions: Any, states: Any, teams: Any) -> tuple[int, float]:
    """Every state of a game before its move, and whose turn it was. Gives the number of legal moves, and the score if
    the game is over then."""
    for i in range(len(actions)):
        a = int(actions[i])
        if over(s) or not legal(s, a):
            return i, 0.0
        pack(s, states[i])
        teams[i] = team(s)
        s = play(s, a)
    return len(actions), float(score(s)) if over(s) else 0.0
