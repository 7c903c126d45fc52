"""Samples for learning, made from games: a position, the move that was played there, and how the game ended.

    board    int8[n, size * size]   0 empty, 1 black, 2 white, row by row from the top
    colour   int8[n]                1 black to move, 2 white
    move     int16[n]               the cell that was played
    result   int8[n]                1 black won, 0 a draw, -1 white won, 2 not known
    ply      int16[n]               moves made before
    last     int16[n, 4]            the last moves, the latest first; -1: none, or a pass
    game     int32[n]               the number of the game among those taken, for splits that keep games together
    size, rule                      of the whole file

The first moves of a tournament game are balanced by its opening rule, and tell little of good play: they are left out.
Samples go through temporary files, so memory does not grow with their number (but for `unique`, which has to remember
what it has seen).
"""

from __future__ import annotations

import json
import random
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np

from hansu.compile import kernel
from hansu.core import HansuError, turned_cell
from hansu.core.file_errors import not_written
from hansu.games.renju.files.game_record import BLACK_WINS, DRAW, UNKNOWN, WHITE_WINS, GameRecord, replay
from hansu.games.renju.notation import cell_text
from hansu.games.renju.rules import SYMMETRIES
from hansu.games.renju.state import RULES

LAST = 4
OUTCOMES = {BLACK_WINS: 1, DRAW: 0, WHITE_WINS: -1, UNKNOWN: 2}
CHOICES = {
    "all": tuple(OUTCOMES),
    "known": (BLACK_WINS, DRAW, WHITE_WINS),
    "decided": (BLACK_WINS, WHITE_WINS),
    "black": (BLACK_WINS,),
    "white": (WHITE_WINS,),
    "draw": (DRAW,),
}
TURNS = ("none", "random", "all")
FIELDS: dict[str, tuple[str, tuple[int, ...]]] = {
    "colour": ("i1", ()), "move": ("<i2", ()), "result": ("i1", ()), "ply": ("<i2", ()), "last": ("<i2", (LAST,)),
    "game": ("<i4", ()),
}  # fmt: skip
SUFFIXES = (".npz", ".jsonl")


@dataclass(frozen=True)
class SampleFilter:
    """Which games and which of their positions."""

    rule: str = "renju"  # empty: any, where only games are chosen
    size: int = 15  # likewise 0
    results: str = "known"  # a key of CHOICES
    skip_first: int = 5  # plies
    turns: str = "none"  # none; random: each sample turned or mirrored by chance; all: each of them eight times
    unique: bool = False  # the same move in the same position, turned or not, only once
    limit: int | None = None  # samples
    seed: int = 1


@dataclass
class SampleTally:
    """What became of the games."""

    games: int = 0  # taken
    samples: int = 0
    repeated: int = 0  # samples left out by `unique`
    left_out: Counter[str] = field(default_factory=Counter)  # games, by the reason


@dataclass(frozen=True)
class SampleWriter:
    """Those of one game: the first axis counts them."""

    board: Any
    colour: Any
    move: Any
    result: Any
    ply: Any
    last: Any
    game: Any

    def __len__(self) -> int:
        return len(self.move)


def reason_against(game: GameRecord, wanted: SampleFilter) -> str:
    """Why a game is not wanted, "" if it is."""
    if wanted.rule and game.rule != wanted.rule:
        return f"another rule: {game.rule}"
    if wanted.size and game.size != wanted.size:
        return f"another board: {game.size}×{game.size}"
    if game.result not in CHOICES[wanted.results]:
        return f"another result: {game.result}"
    if len(game.moves) <= wanted.skip_first:
        return f"no more than {wanted.skip_first} moves"
    return ""


def choose(games: Iterable[GameRecord], wanted: SampleFilter, tally: SampleTally) -> Iterator[GameRecord]:
    for game in games:
        if reason := reason_against(game, wanted):
            tally.left_out[reason] += 1
        else:
            tally.games += 1
            yield game


def samples_of(games: Iterable[GameRecord], wanted: SampleFilter, tally: SampleTally) -> Iterator[SampleWriter]:
    """The samples of each game that is wanted. The games must be in order (`record.validation_error`)."""
    chance = np.random.default_rng(wanted.seed)
    cells = wanted.size * wanted.size
    turned = np.array([[turned_cell(c, wanted.size, wanted.size, k) for c in range(cells)] for k in range(SYMMETRIES)])
    numbers = random.Random(0)  # the same in every run
    keys = np.array([[numbers.getrandbits(62) for _ in range(cells)] for _ in range(3)])  # black, white, the move
    seen: set[int] = set()
    for game in choose(games, wanted, tally):
        made = unrolled(game, wanted, tally.games - 1)
        if wanted.unique:
            hashes = sample_hashes(made.board, made.move, turned, keys)
            fresh = [i for i, h in enumerate(hashes.tolist()) if not (h in seen or seen.add(h))]  # type: ignore[func-returns-value]
            tally.repeated += len(made) - len(fresh)
            made = _picked(made, np.array(fresh, np.int64))
        if wanted.turns == "random":
            made = _turned(made, turned, chance.integers(0, SYMMETRIES, len(made)))
        elif wanted.turns == "all":
            made = _turned(_picked(made, np.repeat(np.arange(len(made)), SYMMETRIES)), turned,
                           np.tile(np.arange(SYMMETRIES), len(made)))  # fmt: skip
        if wanted.limit is not None:
            made = _picked(made, np.arange(min(len(made), wanted.limit - tally.samples)))
        tally.samples += len(made)
        if len(made):
            yield made
        if tally.samples == wanted.limit:
            return


def unrolled(game: GameRecord, wanted: SampleFilter, number: int) -> SampleWriter:
    """Every wanted position of a game with the move that was played there. A pass is no sample, nor is a forbidden move
    that ended the game."""
    moves = np.array(game.moves, np.int64)
    board = np.zeros(wanted.size * wanted.size, np.int8)
    legal_until, _, _ = replay(moves, game.size, RULES.index(game.rule), board)
    plies = np.arange(len(moves))
    plies = plies[(plies >= wanted.skip_first) & (plies < legal_until) & (moves < game.pass_move)]
    boards = np.zeros((len(plies), wanted.size * wanted.size), np.int8)
    last = np.full((len(plies), LAST), -1, np.int16)
    unroll(moves, plies, boards, last)
    return SampleWriter(
        boards, (1 + plies % 2).astype(np.int8), moves[plies].astype(np.int16),
        np.full(len(plies), OUTCOMES[game.result], np.int8), plies.astype(np.int16), last,
        np.full(len(plies), number, np.int32),
    )  # fmt: skip


@kernel
def unroll(moves: Any, plies: Any, boards: Any, last: Any) -> None:
    """Fill int8[n, cells] with the boards before the moves number `plies`, and int16[n, LAST] with the moves before."""
    cells = boards.shape[1]
    for i in range(len(plies)):
        for ply in range(plies[i]):
            if moves[ply] < cells:
                boards[i, moves[ply]] = 1 + ply % 2
                if plies[i] - 1 - ply < last.shape[1]:
                    last[i, plies[i] - 1 - ply] = moves[ply]


@kernel
def sample_hashes(boards: Any, moves: Any, turned: Any, keys: Any) -> Any:
    """A number for each position with its move, the same for all its symmetries."""
    hashes = np.zeros(len(moves), np.int64)
    for i in range(len(moves)):
        for k in range(len(turned)):
            h = keys[2, turned[k, moves[i]]]
            for cell in range(boards.shape[1]):
                if boards[i, cell]:
                    h ^= keys[boards[i, cell] - 1, turned[k, cell]]
            if k == 0 or h < hashes[i]:
                hashes[i] = h
    return hashes


def _picked(samples: SampleWriter, rows: Any) -> SampleWriter:
    return SampleWriter(**{name: getattr(samples, name)[rows] for name in ("board", *FIELDS)})


def _turned(samples: SampleWriter, turned: Any, ks: Any) -> SampleWriter:
    """Each sample under its own symmetry."""
    to = turned[ks]  # [n, cells]: where each cell goes
    board = np.zeros_like(samples.board)
    np.put_along_axis(board, to, samples.board, axis=1)
    rows = np.arange(len(samples))
    last = np.where(samples.last >= 0, to[rows[:, None], np.maximum(samples.last, 0)], -1).astype(np.int16)
    move = to[rows, samples.move].astype(np.int16)
    return SampleWriter(board, samples.colour, move, samples.result, samples.ply, last, samples.game)


def write_samples(path: Path, pieces: Iterable[SampleWriter], wanted: SampleFilter) -> None:
    """Write .npz or .jsonl. Nothing is left of a file that could not be finished."""
    part = path.with_name(path.name + ".part")
    try:
        if path.suffix.lower() == ".npz":
            _write_npz(part, pieces, wanted)
        elif path.suffix.lower() == ".jsonl":
            with part.open("w", encoding="utf-8") as out:
                for piece in pieces:
                    _write_jsonl(out, piece, wanted.size)
        else:
            raise HansuError(f"samples cannot be written to {path.name}", f"one of: {', '.join(SUFFIXES)}")
        part.replace(path)
    except OSError as error:
        raise not_written(path, error) from None
    finally:
        part.unlink(missing_ok=True)


def _write_npz(path: Path, pieces: Iterable[SampleWriter], wanted: SampleFilter) -> None:
    """Arrays whose length is known only at the end: each waits in a temporary file of its own."""
    fields = {"board": ("i1", (wanted.size * wanted.size,)), **FIELDS}
    waiting: dict[str, IO[bytes]] = {name: TemporaryFile() for name in fields}  # noqa: SIM115
    try:
        count = 0
        for piece in pieces:
            count += len(piece)
            for name, file in waiting.items():
                file.write(np.ascontiguousarray(getattr(piece, name), fields[name][0]).tobytes())
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as packed:
            for name, file in waiting.items():
                file.seek(0)
                kind, shape = fields[name]
                with packed.open(f"{name}.npy", "w", force_zip64=True) as out:
                    head = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": (count, *shape)}
                    np.lib.format.write_array_header_1_0(out, head)
                    while block := file.read(1 << 20):
                        out.write(block)
            for name, value in (("size", np.array(wanted.size)), ("rule", np.array(wanted.rule))):
                with packed.open(f"{name}.npy", "w") as out:
                    np.lib.format.write_array(out, value)
    finally:
        for file in waiting.values():
            file.close()


def _write_jsonl(out: IO[str], samples: SampleWriter, size: int) -> None:
    results = {number: result for result, number in OUTCOMES.items()}
    for i in range(len(samples)):
        letters = "".join(".XO"[stone] for stone in samples.board[i])
        row = {
            "board": [letters[y * size : (y + 1) * size] for y in range(size)],
            "colour": ("black", "white")[samples.colour[i] - 1],
            "move": cell_text(int(samples.move[i]), size),
            "result": results[int(samples.result[i])],
            "ply": int(samples.ply[i]),
            "last": [cell_text(int(cell), size) for cell in samples.last[i] if cell >= 0],
            "game": int(samples.game[i]),
        }
        out.write(json.dumps(row) + "\n")
