"""The recipes of engines' networks, with a few games and a few steps."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.commands import Run

from hansu.core import HansuError, registry
from hansu.games.ataxx import rules as ataxx
from hansu.games.ataxx.engine import search as ataxx_search
from hansu.games.ataxx.engine.evaluation import SCALE, read_weights
from hansu.games.ataxx.training import network
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.training.games import PlayedGame, play_game, save
from hansu.games.renju.training.samples import MIN_POSITIONS, calibrate, read_samples
from hansu.learn.device import device_for
from hansu.learn.engine_training.optimization import FINAL_RATE, minimize, rate_factor
from hansu.learn.networks import Shape, Size, build

device_for("cpu")  # one thread for torch


def test_games_end_with_a_result() -> None:
    chance, searcher = random.Random(5), RenjuSearcher("renju", 15, 1)
    for _ in range(8):
        game = play_game(chance, searcher, 300)
        assert len(set(game.moves)) == len(game.moves) == len(game.scores)
        assert game.result in (0, 0.5, 1)
        assert not any(game.scores[: game.laid])


def test_scores_are_calibrated_by_results() -> None:
    """In these games black's scores before the tenth stone mean twice as much as nominally; white's are few."""
    chance, played = np.random.default_rng(1), []
    for _ in range(3 * MIN_POSITIONS):
        score = chance.normal(0, 200)
        won = chance.random() < 1 / (1 + np.exp(-2 * score / 200))
        played.append(PlayedGame(2, 8, float(won), np.arange(9), np.array([0.0] * 8 + [score])))
    win_chance = calibrate(played)
    stones, scores = np.array([8, 8, 8, 9, 12]), np.array([0.0, 100.0, 29900.0, 100.0, 100.0])
    assert np.allclose(win_chance(stones, scores), [0.5, 0.731, 1.0, 0.622, 0.622], atol=0.02)
    assert np.allclose(calibrate(played[:9])(stones, scores), [0.5, 0.622, 1.0, 0.622, 0.622], atol=0.001)
    always = calibrate([game._replace(result=1.0) for game in played])(stones, scores)
    assert np.isfinite(always).all() and always[0] > 0.98


def test_learning_rate_rises_and_falls() -> None:
    shares = [rate_factor(step, 1000) for step in range(1001)]
    top = int(np.argmax(shares))
    assert 20 < top < 40 and shares[0] < 0.05 and shares[top] > 0.99 and shares[-1] == pytest.approx(FINAL_RATE)
    assert shares[: top + 1] == sorted(shares[: top + 1]) and shares[top:] == sorted(shares[top:], reverse=True)


def test_averaged_weights_follow() -> None:
    """By a tenth of the distance at each of ten steps, if the window is all of them."""
    module = torch.nn.Linear(2, 1)
    average, expected = copy.deepcopy(module), [module.weight.detach().clone()]

    def loss(some: Any) -> Any:
        return (module(torch.ones(len(some), 2)) - 3).square().mean()

    def after() -> None:
        expected.append(expected[-1] + (module.weight.detach() - expected[-1]) * 0.1)

    list(minimize(module, loss, torch.arange(40), 2, 8, 0.1, after, average=average, averaging=1.0))
    assert len(expected) == 11 and torch.allclose(average.weight, expected[-1], atol=1e-6)
    assert not torch.allclose(average.weight, module.weight, atol=0.01)


def test_ataxx_games_and_weights(hansu: Run, tmp_path: Path) -> None:
    games, weights = str(tmp_path / "games.npz"), tmp_path / "weights.npz"
    done = hansu("train", "ataxx", "engine_games", "--minutes", "0.01", "--nodes", "200", "--handmade", "-o", games)
    assert done.returncode == 0 and "positions" in done.stdout, done.stderr
    small = (
        "--epochs",
        "3",
        "--batch",
        "512",
        "--channels",
        "8",
        "--blocks",
        "1",
        "--teacher-epochs",
        "1",
        "--extra-positions",
        "1",
    )
    fitted = hansu("train", "ataxx", "engine_network", games, *small, "-o", str(weights))
    assert fitted.returncode == 0, fitted.stderr
    epochs = [line for line in fitted.stderr.splitlines() if line.startswith("epoch")]
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in epochs]
    assert len(losses) == 3 and losses[-1] < losses[0]
    shipped = read_weights()
    trained = read_weights(weights)
    assert shipped is not None and trained is not None
    assert [array.shape for array in trained] == [array.shape for array in shipped]
    np.savez(tmp_path / "few.npz", rows=np.load(games)["rows"][:300])  # a large teacher is slow
    known = str(Path(ataxx.__file__).with_name("models") / "ataxx.onnx")
    again = ("--epochs", "1", "--batch", "64", "--extra-positions", "0", "--teacher", known, "-o", str(weights))
    fitted = hansu("train", "ataxx", "engine_network", str(tmp_path / "few.npz"), *again)
    assert fitted.returncode == 0 and "the teacher evaluated" in fitted.stderr, fitted.stderr
    assert "teacher, epoch" not in fitted.stderr  # it is trained already
    alone = hansu("train", "ataxx", "engine_network", games, "--adapt-epochs", "2", "-o", str(weights))
    assert alone.returncode == 2 and "leave --adapt-epochs out" in alone.stderr
    terms = hansu("train", "ataxx", "engine_terms", games)
    assert terms.returncode == 0 and " 100 " in terms.stdout.splitlines()[-1] + " "


def some_boards() -> tuple[Any, Any]:
    """Positions of a random game, as two arrays that both include the gaps."""
    chance, s, rows = random.Random(3), ataxx.start("c3 e5"), []
    while not ataxx.over(s):
        rows.append((s.mine | s.gaps, s.theirs | s.gaps))
        s = ataxx.play(s, ataxx.nth_action(s, chance.randrange(ataxx.action_total(s))))
    return tuple(torch.tensor(rows).T)


def test_the_ataxx_engine_agrees_with_the_trained_network() -> None:
    """Up to rounding."""
    torch.manual_seed(1)
    student, (mine, theirs) = network.WindowNetwork(), some_boards()
    memory = ataxx_search.new_memory(tuple(student.arrays().values()))
    scores = SCALE * student(mine, theirs).logit().detach()
    for first, second, score in zip(mine.tolist(), theirs.tolist(), scores.tolist(), strict=True):
        gaps = first & second
        memory["gaps"] = gaps
        empty = ataxx.FULL ^ (first | second)
        assert ataxx_search.root_score(memory, first ^ gaps, second ^ gaps, empty) == pytest.approx(
            score, abs=100
        )  # 36 rows are rounded


def test_turned_rows_are_the_rows_of_turned_boards() -> None:
    mine, theirs = some_boards()
    table = torch.as_tensor(network.turned_rows())
    teacher = network.AtaxxTeacher(build("tower", Shape(3, 7, 7, 1), Size(4, 1))).eval()
    values = teacher(mine, theirs, torch.zeros_like(mine))
    for k in range(ataxx.SYMMETRIES):
        turned = [torch.tensor([ataxx.turned_board(b, k) for b in boards.tolist()]) for boards in (mine, theirs)]
        expected = network.window_rows(*turned).sort(1).values
        assert torch.equal(table[k][network.window_rows(mine, theirs)].sort(1).values, expected)
        turns = torch.full_like(mine, k)
        assert torch.allclose(teacher(*turned, turns), values, atol=1e-5)
    each = [teacher(mine, theirs, torch.full_like(mine, k)) for k in network.TEACHER_SYMMETRIES]
    targets = teacher.targets(network.AtaxxSamples(mine, theirs, None), torch.arange(len(mine)))
    assert torch.allclose(targets, sum(each) / len(each), atol=1e-5)


def test_extra_positions_of_ataxx() -> None:
    mine, theirs = (boards.numpy() for boards in some_boards())
    after_mine, after_theirs = network.extra_positions(mine, theirs, 3, 1)
    assert len(after_mine) == 3 * len(mine) and np.all(after_mine & after_theirs == np.tile(mine & theirs, 3))
    grown = np.bitwise_count(after_mine | after_theirs) - np.bitwise_count(np.tile(mine | theirs, 3))
    assert grown.min() == 0 and grown.max() == 2  # two singles


def test_pacman_weights(hansu: Run, tmp_path: Path) -> None:
    path = tmp_path / "better.json"
    done = hansu("train", "pacman", "better", "--minutes", "0", "--games", "2", "--depth", "1", "-o", str(path))
    assert done.returncode == 0 and "10 games" in done.stdout, done.stderr
    assert json.loads(path.read_text())["food_left"] < 0


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, "cannot be read"),
        (b"", "not a file of arrays"),
        (b"games", "not a file of arrays"),
        (b"PK\x03\x04", "not a file of arrays"),
    ],
)
def test_files_without_games_are_rejected(hansu: Run, tmp_path: Path, content: bytes | None, error: str) -> None:
    path = tmp_path / "games.npz"
    if content is not None:
        path.write_bytes(content)
    for words in (("renju", "engine_network"), ("ataxx", "engine_network")):
        done = hansu("train", *words, str(path))
        assert done.returncode == 2 and error in done.stderr and "Traceback" not in done.stderr
    np.savez(path, other=np.zeros(3))
    done = hansu("train", "ataxx", "engine_network", str(path))
    assert done.returncode == 2 and "does not contain games of the engine" in done.stderr


def test_games_of_another_rule_are_rejected(hansu: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    save(path, [PlayedGame(0, 1, 1.0, [112, 113, 114], [0, 5, 9])])
    done = hansu("train", "renju", "engine_network", str(path), "-o", str(tmp_path / "network.npz"))
    assert done.returncode == 2 and "no game by the rule renju" in done.stderr and "--rule renju" in done.stderr


def test_invalid_games_reach_no_compiled_code(tmp_path: Path) -> None:
    """Moves off the board or twice on one point, and columns of different lengths."""
    good = {"rule": [0], "laid": [1], "result": [1.0], "length": [3], "moves": [112, 113, 114], "scores": [0, 0, 0]}
    path = tmp_path / "games.npz"
    np.savez(path, **good)
    assert len(read_samples([path], registry.game("renju"), 0, 0.5)[0].policy) == 2
    bad = [{"moves": [112, 113, 10**6]}, {"moves": [112, -1, 3]}, {"moves": [5, 6, 5]}, {"moves": [5]},
           {"laid": [9]}, {"laid": [-1]}, {"length": [2]}, {"length": [10**9]}, {"rule": [0, 0]}, {"scores": [[0] * 3]},
           {"length": [[3]]}, {"moves": ["a", "b", "c"]}, {"moves": 7}]  # fmt: skip
    for changed in bad:
        np.savez(path, **{**good, **changed})
        with pytest.raises(HansuError, match="games of the engine"):
            read_samples([path], registry.game("renju"), 0, 0.5)
