"""Games to learn from, in files: shards of samples, lines of `hansu match --save`, and whatever formats the game itself
reads (`Game.records`: PGN, SGF, ...). Each becomes samples whose policy is the move that was played; where a line holds
what its player thought, the shares of its visits, and its value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hansu.compile import compiled
from hansu.core.bits import pack
from hansu.core.errors import HansuError
from hansu.core.file_errors import not_there
from hansu.core.game import Game
from hansu.core.game_extensions import Played
from hansu.core.generic import CHANCE, State, legal, over, play, score, team
from hansu.core.options import did_you_mean
from hansu.core.reading import lines_of
from hansu.core.record import read_record
from hansu.core.report import Report
from hansu.learn.samples import SUFFIX, Board, Damage, Samples, read

Tell = Callable[[str], None]
Thoughts = dict[int, Report]
"""What was thought at some plies of a game."""

MOST_TOLD = 20  # mistakes that are told one by one


@dataclass
class ReadTally:
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


def read_files(game: Game, board: Board, paths: tuple[Path, ...], skip_first: int, tally: ReadTally) -> Samples:
    """The samples of all files. `skip_first` plies of each game are left out. Games of unknown result are, too."""
    parts: list[Samples] = []
    for path in paths:
        if not path.is_file():
            raise not_there(path)
        parts += _shard(path, board, skip_first, tally) if path.suffix == SUFFIX else _games(
            game, board, path, skip_first, tally
        )  # fmt: skip
    if not parts:
        raise HansuError(
            "there is nothing to learn from in these files", "{left_out:,} games were left out", left_out=tally.left_out
        )
    return Samples.join(parts)


def _shard(path: Path, board: Board, skip_first: int, tally: ReadTally) -> Iterator[Samples]:
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


def _games(game: Game, board: Board, path: Path, skip_first: int, tally: ReadTally) -> Iterator[Samples]:
    unroll = compiled(unrolled, type(board.first.state))
    for found, thoughts in _played(game, path, tally):
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
        action, share, value = _thought(actions, thoughts, plies, game.score_range)
        yield Samples(
            states[plies], action, share, (rows * found.outcome).astype(np.int8),
            (rows * at_the_end).astype(np.float32), value, plies.astype(np.int32),
            (len(actions) - plies).astype(np.int32), teams[plies], np.full(len(plies), number, np.int64),
        )  # fmt: skip


def _thought(actions: Any, thoughts: Thoughts, plies: Any, unit: float) -> tuple[Any, Any, Any]:
    """Policies and values at some plies of a game: of what was thought there, else the move that was played."""
    policies: list[dict[Any, float]] = []
    value = np.full(len(plies), np.nan, np.float32)
    for i, ply in enumerate(plies.tolist()):
        report = thoughts.get(ply)
        policies.append((report.policy if report else None) or {int(actions[ply]): 1.0})
        if report is not None and report.value is not None and not report.value.bound:
            value[i] = min(max(float(report.value) / unit, -1.0), 1.0)
    most = max(map(len, policies))
    action, share = np.full((len(plies), most), -1, np.int32), np.zeros((len(plies), most), np.float32)
    for i, policy in enumerate(policies):
        action[i, : len(policy)], share[i, : len(policy)] = list(policy), list(policy.values())
    return action, share, value


def _played(game: Game, path: Path, tally: ReadTally) -> Iterator[tuple[Played, Thoughts]]:
    ending = Path(path.stem).suffix[1:] if path.suffix == ".gz" else path.suffix[1:]
    if ending.lower() == "jsonl":
        return match_lines(game, path, tally)
    reader = game.files.readers.get(ending.lower())
    if reader is None:
        known = [*game.files.readers, "jsonl", SUFFIX[1:]]
        owner, file = game.name, path.name
        raise HansuError(
            "{owner} does not read {file}", did_you_mean(ending, known, "endings of files"), owner=owner, file=file
        )
    found = reader(game, path, lambda what: tally.leave_out(f"{path}, {what}"))
    return ((played, {}) for played in found)


def match_lines(game: Game, path: Path, tally: ReadTally) -> Iterator[tuple[Played, Thoughts]]:
    """The games of `hansu match --save`."""
    ours = _values(game)
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines_of(lines), 1):
            if not line.strip():
                continue
            try:
                record = read_record(_here(line, game), game)
                if _values(record.last.game) != ours:
                    raise HansuError(f"a game of {record.last.game.spec}")
                if record.fault:
                    raise HansuError(f"ended by a fault: {record.fault}")
            except HansuError as error:
                tally.leave_out(f"{path}, line {number}: {error.what}")
                continue
            thoughts = {
                record.opening + i: decision.report
                for i, decision in enumerate(record.decisions) if decision is not None
            }  # fmt: skip
            last = record.last
            yield Played(last.origin.state, last.history, record.outcome, f"line {number}"), thoughts


def _here(line: str, game: Game) -> str:
    """A user's file may have moved since the game was played: what counts is its name."""
    if not game.path:
        return line
    name = re.escape(Path(game.path).name)
    return re.sub(rf'("game": *")[^"]*?{name}', lambda found: found[1] + json.dumps(game.path)[1:-1], line, count=1)


def _values(game: Game) -> dict[str, Any]:
    return {option.name: game.option(option.name) for option in game.options}


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
