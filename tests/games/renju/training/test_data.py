"""Training samples from files of Renju games: `hansu data renju`."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Run

from hansu.core import HansuError, turned_cell
from hansu.games.renju.files.formats import write_games
from hansu.games.renju.files.game_record import GameRecord, fault_of, read_move
from hansu.games.renju.training.data import GameSamples, SampleFilter, SampleTally, samples_of, write_samples


def random_games(count: int, seed: int = 1, size: int = 15) -> list[GameRecord]:
    """Games of random moves without a winner."""
    chance = random.Random(seed)
    games = []
    while len(games) < count:
        moves = tuple(chance.sample(range(size * size), chance.randrange(8, 60)))
        game = GameRecord(moves, size, result=chance.choice(["1-0", "0-1", "1/2-1/2"]), black=f"p{len(games)}")
        if not fault_of(game):
            games.append(game)
    return games


def replayed(game: GameRecord, ply: int) -> Any:
    """The board before a move, by hand."""
    board = np.zeros(game.size * game.size, np.int8)
    for number, move in enumerate(game.moves[:ply]):
        if move != game.pass_move:
            board[move] = 1 + number % 2
    return board


def all_of(games: list[GameRecord], wanted: SampleFilter) -> tuple[GameSamples | None, SampleTally]:
    tally = SampleTally()
    parts = list(samples_of(games, wanted, tally))
    names = ("board", "colour", "move", "result", "ply", "last", "game")
    if not parts:
        return None, tally
    return GameSamples(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names}), tally


def test_samples_are_the_positions_of_the_games() -> None:
    games = random_games(5)
    samples, tally = all_of(games, SampleFilter(skip_plies=3))
    assert samples is not None and tally.games == 5 and tally.samples == sum(len(g.moves) - 3 for g in games)
    row = 0
    for number, game in enumerate(games):
        for ply in range(3, len(game.moves)):
            assert (samples.board[row] == replayed(game, ply)).all()
            assert (
                samples.colour[row] == 1 + ply % 2 and samples.move[row] == game.moves[ply] and samples.ply[row] == ply
            )
            assert (
                samples.result[row] == {"1-0": 1, "0-1": -1, "1/2-1/2": 0}[game.result] and samples.game[row] == number
            )
            before = [*game.moves[max(ply - 4, 0) : ply][::-1], -1, -1][:4]
            assert samples.last[row].tolist() == before
            row += 1


def test_games_are_filtered() -> None:
    games = [
        GameRecord(tuple(range(0, 20, 2)), rule="freestyle", result="1-0"),
        GameRecord(tuple(range(0, 20, 2)), size=19, result="1-0"),
        GameRecord(tuple(range(0, 20, 2)), result="*"),
        GameRecord((0, 2, 4), result="0-1"),
        GameRecord(tuple(range(0, 20, 2)), result="0-1"),
    ]
    _, tally = all_of(games, SampleFilter())
    assert tally.games == 1 and tally.samples == 5
    assert dict(tally.left_out) == {
        "another rule: freestyle": 1, "another board: 19×19": 1, "another result: *": 1, "no more than 5 moves": 1,
    }  # fmt: skip
    for results, count in {"all": 2, "known": 1, "decided": 1, "black": 0, "white": 1, "draw": 0}.items():
        assert all_of(games, SampleFilter(results=results))[1].games == count
    samples, _ = all_of([games[2]], SampleFilter(results="all"))
    assert samples is not None and set(samples.result.tolist()) == {2}


def test_passes_and_a_final_forbidden_move_are_left_out() -> None:
    game = GameRecord((0, 225, 2, 4), result="1-0")
    samples, _ = all_of([game], SampleFilter(skip_plies=0))
    assert samples is not None and samples.move.tolist() == [0, 2, 4] and samples.ply.tolist() == [0, 2, 3]
    assert samples.board[1].tolist() == replayed(game, 2).tolist() and samples.last[1].tolist() == [-1, 0, -1, -1]
    six = tuple(read_move(word, 15) for word in ["a1", "o1", "b1", "o3", "c1", "o5", "e1", "o7", "f1", "o9", "d1"])
    samples, _ = all_of([GameRecord(six, result="0-1")], SampleFilter(skip_plies=0))
    assert samples is not None and samples.move.tolist() == list(six[:-1])


def test_symmetries() -> None:
    games = random_games(2)
    plain, _ = all_of(games, SampleFilter())
    every, tally = all_of(games, SampleFilter(symmetries="all"))
    assert plain is not None and every is not None and len(every) == 8 * len(plain) == tally.samples
    for row in range(len(every)):
        k, original = row % 8, row // 8
        to = [turned_cell(cell, 15, 15, k) for cell in range(225)]
        assert every.board[row, to].tolist() == plain.board[original].tolist()
        assert every.move[row] == to[plain.move[original]]
        assert every.last[row].tolist() == [to[cell] if cell >= 0 else -1 for cell in plain.last[original]]
    some, _ = all_of(games, SampleFilter(symmetries="random", seed=3))
    same, _ = all_of(games, SampleFilter(symmetries="random", seed=3))
    others, _ = all_of(games, SampleFilter(symmetries="random", seed=4))
    assert some is not None and same is not None and others is not None
    assert (some.board == same.board).all() and (some.board != others.board).any()
    assert (np.sort(some.board, axis=1) == np.sort(plain.board, axis=1)).all() and (some.board != plain.board).any()


def test_repeated_samples_are_left_out() -> None:
    (game,) = random_games(1)
    mirrored = GameRecord(tuple(turned_cell(move, 15, 15, 5) for move in game.moves), result="0-1")
    longer = GameRecord(game.moves[:20][::1], result="1-0")
    samples, tally = all_of([game, mirrored, longer], SampleFilter(unique=True, skip_plies=2))
    once, _ = all_of([game], SampleFilter(skip_plies=2))
    assert samples is not None and once is not None and (samples.board == once.board).all()
    assert tally.repeated == len(game.moves) - 2 + len(longer.moves) - 2


def test_the_number_of_samples_is_limited() -> None:
    games = random_games(5)
    for limit in (1, 7, 60):
        samples, tally = all_of(games, SampleFilter(limit=limit, symmetries="all"))
        assert samples is not None and len(samples) == tally.samples == limit


def test_files_of_samples(tmp_path: Path) -> None:
    games = random_games(3)
    wanted = SampleFilter()
    samples, _ = all_of(games, wanted)
    assert samples is not None
    write_samples(tmp_path / "s.npz", samples_of(games, wanted, SampleTally()), wanted)
    with np.load(tmp_path / "s.npz") as read:
        for name in ("board", "colour", "move", "result", "ply", "last", "game"):
            assert (read[name] == getattr(samples, name)).all() and read[name].dtype == getattr(samples, name).dtype
        assert int(read["size"]) == 15 and str(read["rule"]) == "renju"
    write_samples(tmp_path / "s.jsonl", samples_of(games, wanted, SampleTally()), wanted)
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert len(rows) == len(samples)
    for number, row in enumerate(rows):
        assert "".join(row["board"]) == "".join(".XO"[stone] for stone in samples.board[number])
        assert read_move(row["move"], 15) == samples.move[number] and row["ply"] == samples.ply[number]
    write_samples(tmp_path / "none.npz", [], wanted)
    assert np.load(tmp_path / "none.npz")["board"].shape == (0, 225)
    with pytest.raises(HansuError):
        write_samples(tmp_path / "s.csv", [], wanted)
    assert {path.name for path in tmp_path.iterdir()} == {"s.npz", "s.jsonl", "none.npz"}


def test_the_command(hansu: Run, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    games = random_games(6)
    write_games(folder / "a.sgf", games[:3])
    write_games(folder / "b.rif", games[3:])
    with (folder / "a.sgf").open("a") as file:
        file.write("(;GM[4];B[hh];W[hh])\n(;GM[4]SZ[99])\n")
    out = tmp_path / "samples.npz"
    done = hansu("data", "renju", str(folder), "-o", str(out), "--mistakes", str(tmp_path / "mistakes.txt"))
    assert done.returncode == 0, done.stderr
    samples = sum(len(game.moves) - 5 for game in games)
    assert done.stdout.startswith(f"{samples:,} samples of 6 games") and "skipped: 2 with mistakes" in done.stdout
    assert "move 2, h8, is taken already" in done.stderr
    mistakes = (tmp_path / "mistakes.txt").read_text().splitlines()
    assert len(mistakes) == 2 and mistakes[0].startswith(f"{folder / 'a.sgf'}, line ")
    strict = hansu("data", "renju", str(folder), "-o", str(tmp_path / "other.npz"), "--strict")
    assert strict.returncode == 2 and "is taken already" in strict.stderr and "Traceback" not in strict.stderr
    assert not (tmp_path / "other.npz").exists() and not list(tmp_path.glob("*.part"))
    turned = hansu("data", "renju", str(folder / "b.rif"), "-o", str(tmp_path / "b.lib"))
    assert turned.returncode == 0 and turned.stdout.startswith("3 games in")


@pytest.mark.parametrize(
    "words, message",
    [
        (["none.sgf", "-o", "x.npz"], "there is no file"), (["a.txt", "-o", "x.csv"], "cannot write to"),
        (["a.txt", "-o", "no/x.npz"], "there is no folder"), (["a.txt", "-o", "a.txt"], "overwritten"),
        (["a.txt", "-o", "x.npz", "--rule", "go"], "--rule go is unknown"),
        (["a.txt", "-o", "x.npz", "--result", "0"], "--result 0 is unknown"),
        ([".", "-o", "x.npz"], "no files of games"),
    ],
)  # fmt: skip
def test_mistakes_with_the_command_are_reported(hansu: Run, tmp_path: Path, words: list[str], message: str) -> None:
    if words[0] != ".":
        (tmp_path / "a.txt").write_text("h8i9\n")
    done = hansu("data", "renju", *words, cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr.replace("\n", " ") and "Traceback" not in done.stderr
