"""Training samples from game records: a position, the move played there, and the game's result.

    board    int8[n, size * size]   0 empty, 1 black, 2 white, row by row from the top
    colour   int8[n]                1 black to move, 2 white
    move     int16[n]               the cell that was played
    result   int8[n]                1 black won, 0 a draw, -1 white won, 2 unknown
    ply      int16[n]               moves played before
    last     int16[n, 4]            the last moves, the latest first; -1: none, or a pass
    game     int32[n]               the number of the game, so that a split can keep games together
    size, rule                      of the whole file

The first moves of a tournament game follow its opening rule and say little about good play, so they are left out.
Samples go through temporary files, so memory does not grow with their number (except for `unique`, which stores the
hashes of all samples).
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
from hansu.games.renju.files.game_record import BLACK_WINS, DRAW, UNKNOWN, WHITE_WINS, GameRecord, run_through
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
    """Which games, and which of their positions."""

    rule: str = "renju"  # empty: any, if only games are selected
    size: int = 15  # 0: any, likewise
    results: str = "known"  # a key of CHOICES
    skip_plies: int = 5
    symmetries: str = "none"  # none; random: a random symmetry of each sample; all: all eight of them
    unique: bool = False  # the same move in the same position only once, up to symmetry
    limit: int | None = None  # number of samples
    seed: int = 1


@dataclass
class SampleTally:
    """How many games and samples were used and left out."""

    games: int = 0  # used
    samples: int = 0
    repeated: int = 0  # samples left out by `unique`
    left_out: Counter[str] = field(default_factory=Counter)  # games, by reason


@dataclass(frozen=True)
class GameSamples:
    """The samples of a game, with the fields that the module describes."""

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
    """Why a game is left out, or ""."""
    if wanted.rule and game.rule != wanted.rule:
        return f"another rule: {game.rule}"
    if wanted.size and game.size != wanted.size:
        return f"another board: {game.size}×{game.size}"
    if game.result not in CHOICES[wanted.results]:
        return f"another result: {game.result}"
    if len(game.moves) <= wanted.skip_plies:
        return f"no more than {wanted.skip_plies} moves"
    return ""


def choose(games: Iterable[GameRecord], wanted: SampleFilter, tally: SampleTally) -> Iterator[GameRecord]:
    """The games that pass the filter."""
    for game in games:
        if reason := reason_against(game, wanted):
            tally.left_out[reason] += 1
        else:
            tally.games += 1
            yield game


def samples_of(games: Iterable[GameRecord], wanted: SampleFilter, tally: SampleTally) -> Iterator[GameSamples]:
    """The samples of each game that passes the filter. The games must be valid (`game_record.fault_of`)."""
    chance = np.random.default_rng(wanted.seed)
    cells = wanted.size * wanted.size
    turned = np.array([[turned_cell(c, wanted.size, wanted.size, k) for c in range(cells)] for k in range(SYMMETRIES)])
    numbers = random.Random(0)  # the same in every run
    keys = np.array([[numbers.getrandbits(62) for _ in range(cells)] for _ in range(3)])  # black, white, the move
    known: set[int] = set()
    for game in choose(games, wanted, tally):
        samples = unrolled(game, wanted, tally.games - 1)
        if wanted.unique:
            hashes = sample_hashes(samples.board, samples.move, turned, keys)
            new = [i for i, h in enumerate(hashes.tolist()) if not (h in known or known.add(h))]  # type: ignore[func-returns-value]
            tally.repeated += len(samples) - len(new)
            samples = _picked(samples, np.array(new, np.int64))
        if wanted.symmetries == "random":
            samples = _turned(samples, turned, chance.integers(0, SYMMETRIES, len(samples)))
        elif wanted.symmetries == "all":
            samples = _turned(_picked(samples, np.repeat(np.arange(len(samples)), SYMMETRIES)), turned,
                              np.tile(np.arange(SYMMETRIES), len(samples)))  # fmt: skip
        if wanted.limit is not None:
            samples = _picked(samples, np.arange(min(len(samples), wanted.limit - tally.samples)))
        tally.samples += len(samples)
        if len(samples):
            yield samples
        if tally.samples == wanted.limit:
            return


def unrolled(game: GameRecord, wanted: SampleFilter, number: int) -> GameSamples:
    """The positions of a game with the moves played there, without passes and without a forbidden move that ended the
    game."""
    moves = np.array(game.moves, np.int64)
    board = np.zeros(wanted.size * wanted.size, np.int8)
    legal_until, _, _ = run_through(moves, game.size, RULES.index(game.rule), board)
    plies = np.arange(len(moves))
    plies = plies[(plies >= wanted.skip_plies) & (plies < legal_until) & (moves < game.pass_move)]
    boards = np.zeros((len(plies), wanted.size * wanted.size), np.int8)
    last = np.full((len(plies), LAST), -1, np.int16)
    unroll(moves, plies, boards, last)
    return GameSamples(
        boards, (1 + plies % 2).astype(np.int8), moves[plies].astype(np.int16),
        np.full(len(plies), OUTCOMES[game.result], np.int8), plies.astype(np.int16), last,
        np.full(len(plies), number, np.int32),
    )  # fmt: skip


@kernel
def unroll(moves: Any, plies: Any, boards: Any, last: Any) -> None:
    """Fill the boards before the moves with the numbers `plies`, int8[n, cells], and the moves before them, int16[n,
    LAST]."""
    cells = boards.shape[1]
    for i in range(len(plies)):
        for ply in range(plies[i]):
            if moves[ply] < cells:
                boards[i, moves[ply]] = 1 + ply % 2
                if plies[i] - 1 - ply < last.shape[1]:
                    last[i, plies[i] - 1 - ply] = moves[ply]


@kernel
def sample_hashes(boards: Any, moves: Any, turned: Any, keys: Any) -> Any:
    """int64[n]: a hash of each position and its move, the same for all symmetries."""
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


def _picked(samples: GameSamples, rows: Any) -> GameSamples:
    return GameSamples(**{name: getattr(samples, name)[rows] for name in ("board", *FIELDS)})


def _turned(samples: GameSamples, turned: Any, ks: Any) -> GameSamples:
    """Each sample under its own symmetry."""
    to = turned[ks]  # int[n, cells]: the new place of each cell
    board = np.zeros_like(samples.board)
    np.put_along_axis(board, to, samples.board, axis=1)
    rows = np.arange(len(samples))
    last = np.where(samples.last >= 0, to[rows[:, None], np.maximum(samples.last, 0)], -1).astype(np.int16)
    move = to[rows, samples.move].astype(np.int16)
    return GameSamples(board, samples.colour, move, samples.result, samples.ply, last, samples.game)


def write_samples(path: Path, games: Iterable[GameSamples], wanted: SampleFilter) -> None:
    """Write .npz or .jsonl. An incomplete file is removed."""
    part = path.with_name(path.name + ".part")
    try:
        if path.suffix.lower() == ".npz":
            _write_npz(part, games, wanted)
        elif path.suffix.lower() == ".jsonl":
            with part.open("w", encoding="utf-8") as out:
                for samples in games:
                    _write_jsonl(out, samples, wanted.size)
        else:
            raise HansuError(
                "samples cannot be written to {name}", "use one of: {known}", name=path.name, known=", ".join(SUFFIXES)
            )
        part.replace(path)
    except OSError as error:
        raise not_written(path, error) from None
    finally:
        part.unlink(missing_ok=True)


def _write_npz(path: Path, games: Iterable[GameSamples], wanted: SampleFilter) -> None:
    """The length of the arrays is known only at the end, so each is collected in a temporary file."""
    fields = {"board": ("i1", (wanted.size * wanted.size,)), **FIELDS}
    parts: dict[str, IO[bytes]] = {name: TemporaryFile() for name in fields}  # noqa: SIM115
    try:
        count = 0
        for samples in games:
            count += len(samples)
            for name, file in parts.items():
                file.write(np.ascontiguousarray(getattr(samples, name), fields[name][0]).tobytes())
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as packed:
            for name, file in parts.items():
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
        for file in parts.values():
            file.close()


def _write_jsonl(out: IO[str], samples: GameSamples, size: int) -> None:
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
