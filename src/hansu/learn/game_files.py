"""Training data from files: shards of samples, lines of `hansu match --save`, and the formats that the game reads
(`Game.files.readers`: PGN, SGF, ...). The policy of a sample is the move that was played or, if a line has the search's
report, its visit shares and its value.
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

Log = Callable[[str], None]
Reports = dict[int, Report]
"""The search's reports at some plies of a game."""

MAX_MESSAGES = 20  # about games that are left out


@dataclass
class ReadTally:
    """How many games and positions were read and left out; `log` receives the reasons."""

    games: int = 0
    positions: int = 0
    left_out: int = 0
    log: Log = field(default=print)

    def leave_out(self, what: str) -> None:
        self.left_out += 1
        if self.left_out <= MAX_MESSAGES:
            self.log(what)
        elif self.left_out == MAX_MESSAGES + 1:
            self.log("and more")


def read_files(game: Game, board: Board, paths: tuple[Path, ...], skip_plies: int, tally: ReadTally) -> Samples:
    """The samples of all files, without the first `skip_plies` plies of each game and without games of unknown
    result."""
    parts: list[Samples] = []
    for path in paths:
        if not path.is_file():
            raise not_there(path)
        parts += _shard(path, board, skip_plies, tally) if path.suffix == SUFFIX else _games(
            game, board, path, skip_plies, tally
        )  # fmt: skip
    if not parts:
        raise HansuError(
            "these files contain no usable game", "{left_out:,} games were left out", left_out=tally.left_out
        )
    return Samples.join(parts)


def _shard(path: Path, board: Board, skip_plies: int, tally: ReadTally) -> Iterator[Samples]:
    for part in read(path, board):
        if isinstance(part, Damage):
            tally.leave_out(str(part))
            continue
        samples = part.take(part.ply >= skip_plies)
        games, numbers = np.unique(samples.game, return_inverse=True)
        if len(samples):
            yield replace(samples, game=numbers + tally.games)
        tally.games += len(games)
        tally.positions += len(samples)


def _games(game: Game, board: Board, path: Path, skip_plies: int, tally: ReadTally) -> Iterator[Samples]:
    unroll = compiled(unrolled, type(board.first.state))
    for played, reports in _played(game, path, tally):
        where = f"{path}, {played.where}"
        if played.outcome is None:
            tally.leave_out(f"{where}: unknown result")
            continue
        actions = np.array(played.actions, np.int64)
        states, teams = np.zeros((len(actions), board.words), np.int64), np.zeros(len(actions), np.int8)
        if type(played.first) is not type(board.first.state):
            tally.leave_out(f"{where}: another board size")
            continue
        legal_plies, final_score = unroll(played.first, actions, states, teams)
        if legal_plies < len(actions):
            tally.leave_out(f"{where}: move {legal_plies + 1} is illegal")
            continue
        number, tally.games = tally.games, tally.games + 1
        plies = np.arange(skip_plies, len(actions), dtype=np.int64)
        plies = plies[teams[plies] != CHANCE] if len(plies) else plies
        if not len(plies):
            continue
        tally.positions += len(plies)
        rows = np.ones(len(plies))
        action, share, value = _targets(actions, reports, plies, game.score_range)
        yield Samples(
            states[plies], action, share, (rows * played.outcome).astype(np.int8),
            (rows * final_score).astype(np.float32), value, plies.astype(np.int32),
            (len(actions) - plies).astype(np.int32), teams[plies], np.full(len(plies), number, np.int64),
        )  # fmt: skip


def _targets(actions: Any, reports: Reports, plies: Any, unit: float) -> tuple[Any, Any, Any]:
    """Policies (actions and shares) and values at some plies of a game: the search's, or the move that was played."""
    policies: list[dict[Any, float]] = []
    value = np.full(len(plies), np.nan, np.float32)
    for i, ply in enumerate(plies.tolist()):
        report = reports.get(ply)
        policies.append((report.policy if report else None) or {int(actions[ply]): 1.0})
        if report is not None and report.value is not None and not report.value.bound:
            value[i] = min(max(float(report.value) / unit, -1.0), 1.0)
    most = max(map(len, policies))
    action, share = np.full((len(plies), most), -1, np.int32), np.zeros((len(plies), most), np.float32)
    for i, policy in enumerate(policies):
        action[i, : len(policy)], share[i, : len(policy)] = list(policy), list(policy.values())
    return action, share, value


def _played(game: Game, path: Path, tally: ReadTally) -> Iterator[tuple[Played, Reports]]:
    ending = Path(path.stem).suffix[1:] if path.suffix == ".gz" else path.suffix[1:]
    if ending.lower() == "jsonl":
        return match_lines(game, path, tally)
    reader = game.files.readers.get(ending.lower())
    if reader is None:
        known = [*game.files.readers, "jsonl", SUFFIX[1:]]
        owner, file = game.name, path.name
        raise HansuError(
            "{owner} cannot read {file}", did_you_mean(ending, known, "file types"), owner=owner, file=file
        )
    games = reader(game, path, lambda what: tally.leave_out(f"{path}, {what}"))
    return ((played, {}) for played in games)


def match_lines(game: Game, path: Path, tally: ReadTally) -> Iterator[tuple[Played, Reports]]:
    """The games of `hansu match --save`."""
    expected = _values(game)
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines_of(lines), 1):
            if not line.strip():
                continue
            try:
                record = read_record(_here(line, game), game)
                if _values(record.last.game) != expected:
                    raise HansuError(f"a game of {record.last.game.spec}")
                if record.fault:
                    raise HansuError(f"ended by a fault: {record.fault}")
            except HansuError as error:
                tally.leave_out(f"{path}, line {number}: {error.what}")
                continue
            reports = {
                record.opening + i: decision.report
                for i, decision in enumerate(record.decisions) if decision is not None
            }  # fmt: skip
            last = record.last
            yield Played(last.origin.state, last.history, record.outcome, f"line {number}"), reports


def _here(line: str, game: Game) -> str:
    """The line with the current path of a user's game, which may have moved: only the file's name must match."""
    if not game.path:
        return line
    name = re.escape(Path(game.path).name)
    return re.sub(rf'("game": *")[^"]*?{name}', lambda match: match[1] + json.dumps(game.path)[1:-1], line, count=1)


def _values(game: Game) -> dict[str, Any]:
    return {option.name: game.option(option.name) for option in game.options}


def unrolled(s: State, actions: Any, states: Any, teams: Any) -> tuple[int, float]:
    """Fill the state before each move, int64[n, words], and whose turn it was, int8[n]. Returns the number of legal
    moves, and the score if the game is over then."""
    for i in range(len(actions)):
        a = int(actions[i])
        if over(s) or not legal(s, a):
            return i, 0.0
        pack(s, states[i])
        teams[i] = team(s)
        s = play(s, a)
    return len(actions), float(score(s)) if over(s) else 0.0
