"""The recipes of engines' weights, small: a few games, a few steps."""

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
from hansu.games.ataxx.engine import evaluation
from hansu.games.ataxx.engine import search as ataxx_search
from hansu.games.ataxx.engine.evaluation import SCALE, read_weights
from hansu.games.ataxx.training import network
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.training.games import PlayedGame, play_game, save
from hansu.games.renju.training.samples import ENOUGH, chances_of_scores, read_samples
from hansu.learn.device import device_for
from hansu.learn.engine_training.distillation import LAST, minimise, share_of_rate
from hansu.learn.networks import Shape, Size, build

device_for("cpu")  # torch beside compiled code: one thread


def test_games_are_played_to_a_result() -> None:
    chance, searcher = random.Random(5), RenjuSearcher("renju", 15, 1)
    for _ in range(8):
        game = play_game(chance, searcher, 300)
        assert len(set(game.moves)) == len(game.moves) == len(game.scores)
        assert game.result in (0, 0.5, 1)
        assert not any(game.scores[: game.laid])


def test_scores_are_read_by_what_they_have_meant() -> None:
    """In these games black's scores mean twice as much as they say, before the tenth stone; white's are few."""
    chance, played = np.random.default_rng(1), []
    for _ in range(3 * ENOUGH):
        score = chance.normal(0, 200)
        won = chance.random() < 1 / (1 + np.exp(-2 * score / 200))
        played.append(PlayedGame(2, 8, float(won), np.arange(9), np.array([0.0] * 8 + [score])))
    meant = chances_of_scores(played)
    stones, scores = np.array([8, 8, 8, 9, 12]), np.array([0.0, 100.0, 29900.0, 100.0, 100.0])
    assert np.allclose(meant(stones, scores), [0.5, 0.731, 1.0, 0.622, 0.622], atol=0.02)
    assert np.allclose(chances_of_scores(played[:9])(stones, scores), [0.5, 0.622, 1.0, 0.622, 0.622], atol=0.001)
    always = chances_of_scores([game._replace(result=1.0) for game in played])(stones, scores)
    assert np.isfinite(always).all() and always[0] > 0.98


def test_a_rate_rises_and_falls() -> None:
    shares = [share_of_rate(step, 1000) for step in range(1001)]
    top = int(np.argmax(shares))
    assert 20 < top < 40 and shares[0] < 0.05 and shares[top] > 0.99 and shares[-1] == pytest.approx(LAST)
    assert shares[: top + 1] == sorted(shares[: top + 1]) and shares[top:] == sorted(shares[top:], reverse=True)


def test_a_mean_of_weights_follows() -> None:
    """By a tenth of the way at each of ten steps, where it is to forget over all of them."""
    module = torch.nn.Linear(2, 1)
    mean, seen = copy.deepcopy(module), [module.weight.detach().clone()]

    def loss(some: Any) -> Any:
        return (module(torch.ones(len(some), 2)) - 3).square().mean()

    def after() -> None:
        seen.append(seen[-1] + (module.weight.detach() - seen[-1]) * 0.1)

    list(minimise(module, loss, torch.arange(40), 2, 8, 0.1, after, mean=mean, averaging=1.0))
    assert len(seen) == 11 and torch.allclose(mean.weight, seen[-1], atol=1e-6)
    assert not torch.allclose(mean.weight, module.weight, atol=0.01)


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
    told = [line for line in fitted.stderr.splitlines() if line.startswith("epoch")]
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in told]
    assert len(losses) == 3 and losses[-1] < losses[0]
    shipped = read_weights()
    made = read_weights(weights)
    assert shipped is not None and made is not None
    assert [array.shape for array in made] == [array.shape for array in shipped]
    np.savez(tmp_path / "few.npz", rows=np.load(games)["rows"][:300])  # a large teacher takes its time
    known = str(Path(evaluation.__file__).with_name("models") / "ataxx.onnx")
    again = ("--epochs", "1", "--batch", "64", "--extra-positions", "0", "--teacher", known, "-o", str(weights))
    fitted = hansu("train", "ataxx", "engine_network", str(tmp_path / "few.npz"), *again)
    assert fitted.returncode == 0 and "the teacher has judged" in fitted.stderr, fitted.stderr
    assert "the teacher, epoch" not in fitted.stderr  # it knows already
    alone = hansu("train", "ataxx", "engine_network", games, "--adapt-epochs", "2", "-o", str(weights))
    assert alone.returncode == 2 and "leave --adapt-epochs out" in alone.stderr
    terms = hansu("train", "ataxx", "engine_terms", games)
    assert terms.returncode == 0 and " 100 " in terms.stdout.splitlines()[-1] + " "


def some_boards() -> tuple[Any, Any]:
    """Positions of a random game, with gaps, as two arrays that hold the gaps both."""
    chance, s, rows = random.Random(3), ataxx.start("c3 e5"), []
    while not ataxx.over(s):
        rows.append((s.mine | s.gaps, s.theirs | s.gaps))
        s = ataxx.play(s, ataxx.nth_action(s, chance.randrange(ataxx.action_total(s))))
    return tuple(torch.tensor(rows).T)


def test_the_ataxx_engine_says_what_was_trained() -> None:
    """In whole numbers what the floats say, nearly."""
    torch.manual_seed(1)
    student, (mine, theirs) = network.Windows(), some_boards()
    memory = ataxx_search.new_memory(network.quantised(student))
    scores = SCALE * student(mine, theirs).logit().detach()
    for first, second, score in zip(mine.tolist(), theirs.tolist(), scores.tolist(), strict=True):
        gaps = first & second
        memory["gaps"] = gaps
        empty = ataxx.FULL ^ (first | second)
        assert ataxx_search.judge(memory, first ^ gaps, second ^ gaps, empty) == pytest.approx(
            score, abs=100
        )  # 36 rows are rounded


def test_turned_rows_are_the_rows_of_turned_boards() -> None:
    mine, theirs = some_boards()
    table = torch.as_tensor(network.turned_rows())
    teacher = network.AtaxxTeacher(build("tower", Shape(3, 7, 7, 1), Size(4, 1))).eval()
    seen = teacher(mine, theirs, torch.zeros_like(mine))
    for k in range(ataxx.SYMMETRIES):
        turned = [torch.tensor([ataxx.turned_board(b, k) for b in boards.tolist()]) for boards in (mine, theirs)]
        wanted = network.window_rows(*turned).sort(1).values
        assert torch.equal(table[k][network.window_rows(mine, theirs)].sort(1).values, wanted)
        turns = torch.full_like(mine, k)
        assert torch.allclose(teacher(*turned, turns), seen, atol=1e-5)
    ways = [teacher(mine, theirs, torch.full_like(mine, k)) for k in network.WAYS]
    assert torch.allclose(teacher.opinion(mine, theirs), sum(ways) / len(ways), atol=1e-5)


def test_positions_beyond_the_games() -> None:
    mine, theirs = (boards.numpy() for boards in some_boards())
    after_mine, after_theirs = network.beyond(mine, theirs, 3, 1)
    assert len(after_mine) == 3 * len(mine) and np.all(after_mine & after_theirs == np.tile(mine & theirs, 3))
    grown = np.bitwise_count(after_mine | after_theirs) - np.bitwise_count(np.tile(mine | theirs, 3))
    assert grown.min() == 0 and grown.max() == 2  # two singles


def test_pacman_weights(hansu: Run, tmp_path: Path) -> None:
    found = tmp_path / "better.json"
    done = hansu("train", "pacman", "better", "--minutes", "0", "--games", "2", "--depth", "1", "-o", str(found))
    assert done.returncode == 0 and "10 games" in done.stdout, done.stderr
    assert json.loads(found.read_text())["food_left"] < 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read"),
        (b"", "no file of arrays"),
        (b"games", "no file of arrays"),
        (b"PK\x03\x04", "no file of arrays"),
    ],
)
def test_files_that_hold_no_games(hansu: Run, tmp_path: Path, content: bytes | None, told: str) -> None:
    path = tmp_path / "games.npz"
    if content is not None:
        path.write_bytes(content)
    for words in (("renju", "engine_network"), ("ataxx", "engine_network")):
        done = hansu("train", *words, str(path))
        assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
    np.savez(path, other=np.zeros(3))
    done = hansu("train", "ataxx", "engine_network", str(path))
    assert done.returncode == 2 and "does not hold the engine's games" in done.stderr


def test_games_of_another_rule_are_named(hansu: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    save(path, [PlayedGame(0, 1, 1.0, [112, 113, 114], [0, 5, 9])])
    done = hansu("train", "renju", "engine_network", str(path), "-o", str(tmp_path / "network.npz"))
    assert done.returncode == 2 and "no game by the rule renju" in done.stderr and "--rule renju" in done.stderr


def test_games_that_are_none_reach_no_compiled_code(tmp_path: Path) -> None:
    """Moves off the board or twice on one point, and columns that do not fit each other."""
    good = {"rule": [0], "laid": [1], "result": [1.0], "length": [3], "moves": [112, 113, 114], "scores": [0, 0, 0]}
    path = tmp_path / "games.npz"
    np.savez(path, **good)
    assert len(read_samples([path], registry.game("renju"), 0, 0.5).move) == 2
    bad = [{"moves": [112, 113, 10**6]}, {"moves": [112, -1, 3]}, {"moves": [5, 6, 5]}, {"moves": [5]},
           {"laid": [9]}, {"laid": [-1]}, {"length": [2]}, {"length": [10**9]}, {"rule": [0, 0]}, {"scores": [[0] * 3]},
           {"length": [[3]]}, {"moves": ["a", "b", "c"]}, {"moves": 7}]  # fmt: skip
    for changed in bad:
        np.savez(path, **{**good, **changed})
        with pytest.raises(HansuError, match="engine's games"):
            read_samples([path], registry.game("renju"), 0, 0.5)
