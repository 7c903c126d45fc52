"""The engines with networks of files: `engine:network=FILE.npz`."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Run
from support.web_page import Page, running

from hansu.arena.roster import player
from hansu.core import HansuError, Limit, Value, registry
from hansu.games.ataxx.engine.evaluation import read_weights
from hansu.games.ataxx.engine.search import WEIGHTS
from hansu.games.ataxx.engine.searcher import AtaxxSearcher as AtaxxSearcher
from hansu.games.renju.engine.network import PARTS, network_path, read_network
from hansu.games.renju.engine.searcher import RenjuSearcher as RenjuSearcher
from hansu.learn.curves import Curve
from hansu.learn.engine_training.recipe_parts import stoppable
from hansu.learn.recipe import how_to_play


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A network for each game that thinks nothing of any position."""
    made = {"renju": tmp_path / "net.npz", "ataxx": tmp_path / "weights.npz"}
    np.savez(made["renju"], **{name: np.zeros(shape, kind) for name, (kind, shape) in PARTS.items()})
    np.savez(made["ataxx"], **{n: np.zeros_like(a) for n, a in zip(WEIGHTS, read_weights(), strict=True)})
    return made


@pytest.mark.parametrize("name", ["renju", "ataxx"])
def test_a_file_is_what_it_judges_by(name: str, files: dict[str, Path]) -> None:
    """Helping threads too, and each player by its own."""
    game = registry.game(name)
    at = game.position("h8 i9 g7" if name == "renju" else "")
    others, own = player(f"engine:network={files[name]},threads=2", game), player("engine:threads=2", game)
    values = [each.decide(at, Limit(depth=2)).report.value for each in (others, own, others)]
    assert values[0] == values[2] == Value(0) != values[1]
    for each in (others, own):
        searcher: Any = each.searcher(at)  # type: ignore[attr-defined]
        (helper,) = searcher._helpers
        for field in searcher.lasting:
            assert np.array_equal(helper[field], searcher.memory[field])
            assert each is own or not searcher.memory[field].any()


def test_the_network_of_a_rule_is_the_one_that_comes_with_it(files: dict[str, Path]) -> None:
    plain, named = RenjuSearcher("standard", 15, 1), RenjuSearcher("standard", 15, 1, network_path("standard"))
    assert all((plain.memory[field] == named.memory[field]).all() for field in RenjuSearcher.lasting)
    assert not AtaxxSearcher(files["ataxx"], 1).memory["weights"].any()
    read_network(files["renju"])["bias"][0] = 1
    assert not read_network(files["renju"])["bias"].any()  # nothing of a file is kept: it may be written anew


@pytest.mark.parametrize("name", ["renju", "ataxx"])
def test_files_that_are_none_are_told(name: str, files: dict[str, Path], tmp_path: Path, hansu: Run) -> None:
    game = registry.game(name)
    with np.load(files[name]) as file:
        arrays = dict(file)
    first = next(iter(arrays))
    for number, (more, told) in enumerate(
        (
            ({first: arrays[first][:1]}, "another network"),
            ({first: arrays[first].astype(float)}, "another network"),
            ({first: np.array([{}], object)}, "not a file of"),
        )
    ):
        bad = tmp_path / f"bad{number}.npz"
        np.savez(bad, **{**arrays, **more})
        with pytest.raises(HansuError, match=told) as refused:
            player(f"engine:network={bad}", game).find_files(game.first)
        assert f"hansu train {name} engine_" in refused.value.hint
    (tmp_path / "text.npz").write_text("none")
    other = files["ataxx" if name == "renju" else "renju"]
    for path, told in ((other, "it has no array"), (tmp_path / "text.npz", "not a file of"), ("gone.npz", "no file")):
        done = hansu("analyze", name, "start", "--player", f"engine:network={path}", "--limit", "depth=1")
        assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr, done.stderr
        assert "engine_" in done.stderr
    done = hansu("play", name, "--second", f"engine:network={other}")
    assert done.returncode == 2 and "it has no array" in done.stderr and not done.stdout  # before the first move


def test_an_evaluation_by_hand_asks_no_network(files: dict[str, Path]) -> None:
    game = registry.game("ataxx")
    with pytest.raises(HansuError, match="asks no network"):
        player(f"engine:evaluation=handmade,network={files['ataxx']}", game).find_files(game.first)


def test_a_page_names_no_file(files: dict[str, Path]) -> None:
    with running() as server:
        told = Page(server).refused("open", game="renju", second=f"engine:network={files['renju']}")
        assert "engine has no option 'network'" in json.dumps(told)


def test_the_command_that_plays_is_told(hansu: Run, tmp_path: Path, files: dict[str, Path]) -> None:
    said = how_to_play(registry.game("renju:rule=freestyle"), "engine", Path("my net.npz"))
    assert said == "to play with it: hansu play renju:rule=freestyle --second 'engine:network=my net.npz'"


def test_a_training_that_is_stopped_says_what_is_in_its_file() -> None:
    curve = Curve("loss", "epochs")
    with pytest.raises(KeyboardInterrupt), stoppable(curve):
        signal.raise_signal(signal.SIGINT)
    with stoppable(curve) as course:
        curve.add(1, 0.5, 0.5)
        curve.add(2, 0.4, 0.4)
        signal.raise_signal(signal.SIGINT)
    assert course.stopped and course.notes(Path("net.npz"), 400) == ["net.npz holds the network after epoch 2 of 400"]
    with stoppable(curve) as course:
        pass
    assert not course.stopped and course.notes(Path("net.npz"), 2) == []
