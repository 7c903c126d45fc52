"""Networks in whole numbers: near the floats that they were made of, and files like any other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Run
from support.small_network import write_network

pytest.importorskip("torch")
pytest.importorskip("onnx")
import onnx
import torch
from support.match_lines import match_line
from support.torch_networks import planes, random_positions, trained_a_little

from hansu.core import HansuError, registry
from hansu.games.connect_four.kaggle import export, network
from hansu.learn.champion import begin_with, notes_of, save_network
from hansu.learn.encoding import Encoding
from hansu.learn.float16 import halved, unhalved
from hansu.learn.networks import Size
from hansu.learn.quantization import in_whole_numbers, is_whole, wide_nodes
from hansu.learn.recipe import Job
from hansu.learn.recipes.quantize import Quantize, Seen, agreement
from hansu.search.network import Network, game_network
from hansu.search.network_file import weights

KINDS = {
    "tower": ("connect_four", Size(16, 2)),
    "pooling": ("ataxx", Size(8, 2, 2, ("left", "score"))),
    "sidus": ("ataxx", Size(channels=8)),
    "omok": ("renju", Size(channels=8)),
}
Files = Callable[[str], tuple[Path, Path]]


def written(folder: Path, name: str, spec: str, size: Size) -> Path:
    """A network in floats."""
    network = trained_a_little(name, registry.game(spec), size)
    save_network(folder / "floats.npz", network, notes_of(network, spec, {"step": 3}))
    return folder / "floats.onnx"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A network in floats, and the same in whole numbers."""

    @cache
    def both(kind: str) -> tuple[Path, Path]:
        folder, (spec, size) = tmp_path_factory.mktemp(kind), KINDS[kind]
        path = written(folder, "tower" if kind == "pooling" else kind, spec, size)
        whole, game = folder / "whole.onnx", registry.game(spec)
        whole.write_bytes(in_whole_numbers(path.read_bytes(), planes(game, random_positions(game, 60)).numpy()))
        return path, whole

    return both


def arrays(path: Path) -> dict[str, Any]:
    return {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(str(path)).graph.initializer}


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_near_those_of_the_floats(kind: str, files: Files) -> None:
    game = registry.game(KINDS[kind][0])
    networks = [game_network(path, game.first) for path in files(kind)]
    shown = planes(game, random_positions(game, 30, seed=2)).numpy()
    floats, whole = (network(shown) for network in networks)
    for near, far in zip(whole, floats, strict=True):
        assert near.shape == far.shape and near.dtype == np.float32
        assert abs(near - far).mean() < 0.03 * max(1.0, abs(far).max())
    assert whole[1].sum(1) == pytest.approx(1, abs=1e-4)
    before, after = (network.notes for network in networks)
    assert after == {**before, "numbers": "whole"} and is_whole(after) and not is_whole(before)
    assert after["described"] and after["step"] == "3"


def test_what_becomes_whole(files: Files) -> None:
    """The wide convolutions but for the first one, in whole numbers whose products in pairs fit into 16 bits."""
    floats, whole = files("tower")
    found = arrays(whole)
    kernels = {name for name, array in found.items() if array.dtype == np.int8 and array.ndim == 4}
    assert kernels == {f"plain.blocks.{i}.{which}.weight_quantized" for i in range(2) for which in ("first", "second")}
    assert max(abs(found[name].astype(int)).max() for name in kernels) == 64 and 2 * 255 * 64 < 1 << 15
    assert found["plain.first.weight_half"].dtype == found["plain.policy.dense.weight_half"].dtype == np.float16
    assert all(array.dtype == np.float32 for name, array in found.items() if name.endswith("_scale"))
    assert whole.stat().st_size < 1.5 * floats.stat().st_size  # the names of 40 scales; of a large network it is half


def test_convolutions_that_stay_floats(files: Files, tmp_path: Path) -> None:
    """The first of each of several networks side by side, and of one whose planes are not all seen."""
    omok = wide_nodes(onnx.load(str(files("omok")[0])).graph)
    assert sum("Conv" in node for node in omok) == 4 * 5
    dark = wide_nodes(onnx.load(str(written(tmp_path, "tower", "pacman", Size(8, 1)))).graph)
    assert [node for node in dark if "Conv" in node] == ["/plain/blocks.0/first/Conv", "/plain/blocks.0/second/Conv"]


def test_a_network_without_wide_convolutions_is_left_alone(tmp_path: Path) -> None:
    path = write_network(tmp_path / "small.onnx", (2, 3, 3), 9)
    with pytest.raises(HansuError, match="nothing to count in whole numbers"):
        in_whole_numbers(path.read_bytes(), np.zeros((3, 2, 3, 3), np.float32))


def test_weights_come_back_to_half_a_step(files: Files) -> None:
    floats, whole = files("tower")
    known, found = (weights(onnx.load(str(path))) for path in (floats, whole))
    assert list(known) == [name for name in known if name in found]
    scales = arrays(whole)
    for name, array in known.items():
        scale = scales.get(f"plain.{name}_scale", np.zeros(()))
        room = 0.501 * scale.reshape(-1, *[1] * (array.ndim - 1)) if scale.ndim else 1e-6
        if not name.endswith("bias"):  # those are counted in steps of thousandths of a weight's
            assert (abs(found[name] - array.astype(np.float32)) <= room).all(), name
        assert found[name] == pytest.approx(array.astype(np.float32), abs=0.03)


@pytest.mark.parametrize("kind", ["tower", "sidus"])
def test_training_begins_with_whole_numbers(kind: str, files: Files) -> None:
    floats, whole = files(kind)
    view = Encoding(registry.game(KINDS[kind][0]))
    x = torch.from_numpy(view.examples)
    with torch.no_grad():
        known, found = (begin_with(path, view).eval()(x) for path in (floats, whole))
    for first, second in zip(known, found, strict=True):
        assert (second - first).abs().mean() < 0.03 * max(1.0, float(first.abs().max()))


def test_kaggles_file_takes_them_too(files: Files) -> None:
    _, whole = files("tower")
    alone = network.Network(export.weights(whole))
    game = registry.game("connect_four")
    shown = planes(game, random_positions(game, 30, seed=3)).numpy()
    for found, wanted in zip(alone(shown), game_network(whole, game.first)(shown), strict=True):
        assert abs(found - wanted).mean() < 0.03


def test_half_floats_there_and_back(tmp_path: Path) -> None:
    path = written(tmp_path, "tower", "tictactoe", Size(16, 1))
    model = onnx.load(str(path))
    again = halved(unhalved(onnx.load(str(path))))
    assert {one.name for one in again.graph.initializer} == {one.name for one in model.graph.initializer}
    assert [node.op_type for node in again.graph.node] == [node.op_type for node in model.graph.node]
    assert not any(one.name.endswith("_half") for one in unhalved(model).graph.initializer)


def test_the_recipe(tmp_path: Path) -> None:
    """By its own games, by games of files; a file plays on where onnx is not installed."""
    game = registry.game("tictactoe")
    path = written(tmp_path, "tower", "tictactoe", Size(8, 2))
    told: list[str] = []
    recipe = Quantize.from_settings({"games": "6", "positions": "20"})
    outcome = recipe.train(game, Job((path,), tmp_path / "own.onnx", told.append))
    assert told == ["6 games of the network with itself"] and outcome.files == [tmp_path / "own.onnx"]
    sizes, agreed = outcome.tables
    assert [row[0] for row in sizes.rows] == ["floats", "whole numbers"]
    assert [int(row[1].replace(",", "")) for row in sizes.rows] == [
        path.stat().st_size,
        (tmp_path / "own.onnx").stat().st_size,
    ]
    assert 1 <= int(agreed.rows[0][0]) <= 20
    again = Quantize.from_settings({"games": "6", "positions": "20"})
    again.train(game, Job((path,), tmp_path / "again.onnx"))
    assert (tmp_path / "own.onnx").read_bytes() == (tmp_path / "again.onnx").read_bytes()

    (tmp_path / "games.jsonl").write_text("\n".join(match_line(game, seed) for seed in range(8)))
    files = (tmp_path / "games.jsonl", path)
    outcome = Quantize().train(game, Job(files, tmp_path / "files.onnx", told.append))
    assert is_whole(game_network(tmp_path / "files.onnx", game.first).notes) and len(told) == 1
    code = """
import sys
sys.modules["onnx"] = sys.modules["torch"] = None
from hansu.cli import main
sys.argv = ["hansu", "analyze", "tictactoe", "5 1", "--player", "puct:simulations=20,network=files.onnx", "--json"]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout), done.stderr


def test_agreement() -> None:
    """Of answers that are known."""

    class Says:
        def __init__(self, policy: list[float], value: list[float]) -> None:
            self.answer = np.array([policy], np.float32), np.array([value], np.float32)

        def __call__(self, batch: Any) -> Any:
            return tuple(np.repeat(part, len(batch), 0) for part in self.answer)

    held_out = Seen(np.zeros((40, 1, 1, 1), np.float32), np.array([[True, True, False]] * 40))
    floats, whole = Says([np.log(3), 0, 9], [0.5, 0.25, 0.25]), Says([0, 0, -9], [0.25, 0.25, 0.5])
    found = agreement(floats, whole, held_out)  # type: ignore[arg-type]
    assert found.same == 1.0 and found.value == pytest.approx(0.5)
    assert found.divergence == pytest.approx(0.75 * np.log(1.5) + 0.25 * np.log(0.5))
    other = agreement(floats, Says([0, 1, 0], [0.5, 0.25, 0.25]), held_out)  # type: ignore[arg-type]
    assert other.same == 0.0 and other.value == 0.0


def test_mistakes_are_told(hansu: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "tower", "tictactoe", Size(8, 1))
    (tmp_path / "whole.onnx").write_bytes(in_whole_numbers(path.read_bytes(), np.ones((9, 2, 3, 3), np.float32)))
    (tmp_path / "damaged.onnx").write_bytes(path.read_bytes()[:3000])
    (tmp_path / "one.jsonl").write_text(match_line(registry.game("tictactoe"), 1))
    write_network(tmp_path / "dense.onnx", (2, 3, 3), 9)
    monkeypatch.chdir(tmp_path)
    for game, words, told in (
        ("tictactoe", "", "no network was given"),
        ("tictactoe", "floats.onnx whole.onnx", "2 networks were given"),
        ("tictactoe", "gone.onnx", "no model file gone.onnx"),
        ("tictactoe", "damaged.onnx", "is not an ONNX model"),
        ("connect_four", "floats.onnx", "another shape"),
        ("tictactoe", "whole.onnx", "in whole numbers already"),
        ("tictactoe", "floats.onnx one.jsonl", "one game is too few"),
        ("tictactoe", "floats.onnx gone.jsonl", "no file gone.jsonl"),
        ("tictactoe", "dense.onnx", "nothing to count in whole numbers"),
    ):
        with pytest.raises(HansuError, match=told):
            Quantize(games=2).train(registry.game(game), Job(tuple(map(Path, words.split())), Path("new_whole.onnx")))
    done = hansu("train", "tictactoe", "quantize", "floats.onnx", "-o", "./floats.onnx", cwd=tmp_path)
    assert done.returncode == 2 and "would be overwritten" in done.stderr and "Traceback" not in done.stderr
    assert not [path.name for path in tmp_path.iterdir() if path.stem.endswith("_whole")]


def test_extras_are_answered_too(files: Files) -> None:
    _, whole = files("pooling")
    asked = Network(whole, {"planes": (3, 7, 7)}, {"policy": (834,), "value": (3,), "left": (), "score": ()})
    policy, value, left, score = asked(np.zeros((5, 3, 7, 7), np.float32))
    assert policy.shape == (5, 834) and value.shape == (5, 3) and left.shape == score.shape == (5,)
