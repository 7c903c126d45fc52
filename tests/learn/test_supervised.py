"""Training on recorded games: all file formats, splits by game, measures."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support.match_lines import match_line

pytest.importorskip("torch")

from hansu.arena.match import play_game
from hansu.arena.roster import player
from hansu.core import Game, HansuError, Limit, flat, generic, registry, unpack
from hansu.learn.champion import load_network
from hansu.learn.encoding import Encoding
from hansu.learn.game_files import ReadTally, read_files
from hansu.learn.learner import TrainingBatch
from hansu.learn.networks import torch
from hansu.learn.recipe import Job
from hansu.learn.recipes.supervised import Supervised, measured
from hansu.learn.replay_buffer import BatchEncoder
from hansu.learn.samples import Board, Samples, block
from hansu.learn.split import split


def read(game: Game, *paths: Path, skip_plies: int = 0) -> tuple[object, ReadTally, list[str]]:
    messages: list[str] = []
    tally = ReadTally(log=messages.append)
    return read_files(game, Board(game), paths, skip_plies, tally), tally, messages


def test_lines_of_a_match(tmp_path: Path) -> None:
    game = registry.game("connect_four")
    lines = [match_line(game, seed) for seed in range(5)]
    lines += ["", "no json", '{"game": "connect_four"}', match_line(game, 9, outcome=1, moves=["4", "9"], opening=[]),
              match_line(registry.game("tictactoe"), 1), match_line(game, 3, fault="b crashed")]  # fmt: skip
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(lines))
    samples, tally, messages = read(game, path)
    assert (tally.games, tally.left_out) == (5, 5) and len(messages) == 5
    assert all(str(path) in text and "line" in text for text in messages) and "tictactoe" in "".join(messages)
    plies = [len(record["opening"]) + len(record["moves"]) for record in map(json.loads, lines[:5])]
    assert len(samples) == tally.positions == sum(plies)
    like = game.first.state
    for i in range(len(samples)):
        state = unpack(like, samples.state[i])
        assert generic.legal(state, int(samples.action[i, 0])) and samples.share[i, 0] == 1
        assert samples.team[i] == generic.team(state) and np.isnan(samples.value[i])
        record = json.loads(lines[samples.game[i]])
        assert samples.result[i] == record["outcome"] and samples.score[i] == record["score"]
        assert samples.ply[i] + samples.left[i] == plies[samples.game[i]]
    later, _, _ = read(game, path, skip_plies=6)
    assert len(later) == sum(max(n - 6, 0) for n in plies) and later.ply.min() == 6


def test_reports_of_searches_become_targets(tmp_path: Path) -> None:
    """Visit shares as the policy, values from player 0's side, if a line has them."""
    game = registry.game("tictactoe")
    chance = random.Random(1)
    a, b = player("mcts:simulations=40,seed=1", game), player("random:seed=2", game)
    record = play_game(game.first, a, b, Limit(), chance)
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(record.as_json(moves=True)))
    samples, _, _ = read(game, path)
    assert len(samples) == len(record.decisions) and record.opening == 0
    for i, decision in enumerate(record.decisions):
        assert decision is not None
        shares = {
            int(action): float(p) for action, p in zip(samples.action[i], samples.share[i], strict=True) if action >= 0
        }
        if i % 2 == 0:
            assert shares == pytest.approx(decision.report.policy) and len(shares) > 1
            assert samples.value[i] == pytest.approx(float(decision.report.value))
        else:
            assert shares == {decision.action: 1.0} and np.isnan(samples.value[i])


def test_a_users_file_may_have_moved(tmp_path: Path, nim_path: Path) -> None:
    game = registry.game(f"{nim_path}:heap=2")
    path = tmp_path / "games.jsonl"
    path.write_text(match_line(game, 1, game=f"/elsewhere/{nim_path.name}:heap=2"))
    assert read(game, path)[1].games == 1


def test_shards(tmp_path: Path) -> None:
    game = registry.game("tictactoe")
    board = Board(game)
    (tmp_path / "a.jsonl").write_text("\n".join(match_line(game, seed) for seed in range(6)))
    samples, _, _ = read(game, tmp_path / "a.jsonl")
    whole = block(samples, board)
    (tmp_path / "b.shard").write_bytes(whole + whole + whole[:-9])
    twice, tally, messages = read(game, tmp_path / "b.shard", tmp_path / "a.jsonl")
    assert len(twice) == 3 * len(samples) and tally.games == 18 and tally.left_out == 1 and "cut off" in messages[0]
    assert len(np.unique(twice.game)) == 18


PGN = """[Event "one"]
[Result "1-0"]

1. g2 a2 2. f2 b2 1-0

[Event "two"]
[Result "*"]

1. g2 a2 *

[Event "three"]
[Result "0-1"]

1. g2 a2 2. a1 b2 0-1
"""


def test_file_formats_of_games(tmp_path: Path) -> None:
    ataxx = registry.game("ataxx")
    (tmp_path / "a.pgn").write_text(PGN)
    samples, tally, messages = read(ataxx, tmp_path / "a.pgn")
    assert len(samples) == 4 and (samples.result == 1).all()
    assert tally.left_out == 2 and "unknown result" in messages[0] and "not a legal move" in messages[1]

    renju = registry.game("renju")
    (tmp_path / "a.sgf").write_text("(;GM[4]SZ[15]RE[B+];B[hh];W[hi];B[ii])\n(;GM[4]SZ[19]RE[W+];B[hh];W[hi])")
    (tmp_path / "b.txt").write_text("h8 h9 i9 i10\n")
    samples, tally, _ = read(renju, tmp_path / "a.sgf")
    assert len(samples) == 3 and (samples.result == 1).all() and tally.left_out == 1
    assert generic.legal(unpack(renju.first.state, samples.state[2]), int(samples.action[2, 0]))
    with pytest.raises(HansuError, match="no usable game"):
        read(renju, tmp_path / "b.txt")  # no result
    with pytest.raises(HansuError, match=r"cannot read a\.sgf") as error:
        read(ataxx, tmp_path / "a.sgf")
    assert "pgn" in error.value.hint
    with pytest.raises(HansuError, match="no file"):
        read(ataxx, tmp_path / "gone.pgn")


RIF = """<database><rules><rule id="1" name="RIF"/></rules><games>
<game id="1" rule="1" bresult="0"><move>h8 i9 h10</move></game></games></database>"""
PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,15\n9,9,20\n8,9,0\nA.zip\nB.exe\n-1\n2,Renju\n"
LIB = b"\xffRenLib\xff\x03\x04" + b"\xff" * 10 + b"\x00\x00\x78\x00\x68\x00\x69\x48Kim - Lee 0-1\0"


@pytest.mark.parametrize(("name", "content"), [("a.rif", RIF.encode()), ("a.psq", PSQ.encode()), ("a.lib", LIB)])
def test_file_formats_of_renju(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    samples, tally, messages = read(registry.game("renju"), tmp_path / name)
    assert len(samples) == 3 and (samples.result == -1).all() and tally.games == 1 and not messages


def test_a_split_is_by_game() -> None:
    game_of = np.repeat(np.arange(50), 9)
    training, held_out = split(game_of, 0.2, seed=1)
    assert not set(game_of[training]) & set(game_of[held_out]) and len(held_out) == 90


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "games.jsonl"
    game = registry.game("tictactoe")
    path.write_text("\n".join(match_line(game, seed) for seed in range(150)))
    yield path


@pytest.mark.parametrize("network", ["tower", "sidus"])
def test_a_network_learns_from_games(network: str, played: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    messages: list[str] = []
    settings = {"network": network, "channels": "8", "blocks": "1", "epochs": "6", "batch": "64",
    "learning_rate": "0.01",
                "extras": "left" if network == "tower" else ""}  # fmt: skip
    recipe = Supervised.from_settings(settings)
    outcome = recipe.train(registry.game("tictactoe"), Job((played,), tmp_path / "net.onnx", messages.append))
    policy, value = outcome.curves
    assert policy.train[-1] > policy.train[0]  # (the held-out moves are only 90, nearly all random)
    assert value.train[-1] < value.train[0] and len(policy.steps) == len(policy.held_out) == 6
    assert [row[0] for row in outcome.tables[0].rows] == ["training", "held out"]
    assert "150 games" in messages[0] and "held out" in messages[0]
    assert {path.name for path in outcome.files} == {"net.onnx", "net.npz"}
    trained, notes = load_network(tmp_path / "net.npz")
    assert notes["recipe"] == "supervised" and notes["games"] == "150" and trained.named == network
    again = Supervised.from_settings({"init": str(tmp_path / "net.npz"), "epochs": "1", "batch": "64"})
    outcome = again.train(registry.game("tictactoe"), Job((played,), tmp_path / "more.onnx"))
    assert outcome.curves[1].train[0] < value.train[0]


def test_too_few_games(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(match_line(registry.game("tictactoe"), 1))
    with pytest.raises(HansuError, match="too few"):
        Supervised().train(registry.game("tictactoe"), Job((path,), tmp_path / "net.onnx"))


def test_any_of_several_best_moves_counts() -> None:
    """Samples without a policy are not counted."""
    game = registry.game("tictactoe")
    board, view = Board(game), Encoding(game)
    rows, known = 4, [(2, 4), (4, 2), (1, 3), ()]
    action, share = np.full((rows, 2), -1, np.int32), np.zeros((rows, 2), np.float32)
    for i, moves in enumerate(known):
        action[i, : len(moves)], share[i, : len(moves)] = moves, 0.5
    none = np.zeros(rows)
    samples = Samples(np.array([flat(game.first.state)] * rows), action, share, none.astype(np.int8),
                      none, none, none, none, none.astype(np.int8), none)  # fmt: skip
    logits = torch.zeros(rows, view.shape.actions)
    logits[:, 4] = 9.0
    learner = SimpleNamespace(device="cpu", average=lambda planes: (logits, torch.zeros(rows, 3)))
    batch = TrainingBatch.empty(rows, view.shape, view.whole)
    result = measured(learner, BatchEncoder(game, board, 0.0, False), samples, batch, np.random.default_rng(1))
    assert result["first"] == pytest.approx(2 / 3) and result["result"] == 0.0
