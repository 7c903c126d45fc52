"""Quantized networks: close to the original in floats, and usable like any other file."""

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
from hansu.learn.champion import initial_network, notes_of, save_network
from hansu.learn.encoding import Encoding
from hansu.learn.float16 import to_float16, to_float32
from hansu.learn.networks import Size
from hansu.learn.quantization import is_quantized, quantize, quantized_nodes
from hansu.learn.recipe import Job
from hansu.learn.recipes.quantize import Positions, Quantize, agreement
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
    """A network in floats, and its quantized version."""

    @cache
    def both(kind: str) -> tuple[Path, Path]:
        folder, (spec, size) = tmp_path_factory.mktemp(kind), KINDS[kind]
        path = written(folder, "tower" if kind == "pooling" else kind, spec, size)
        quantized, game = folder / "int8.onnx", registry.game(spec)
        quantized.write_bytes(quantize(path.read_bytes(), planes(game, random_positions(game, 60)).numpy()))
        return path, quantized

    return both


def arrays(path: Path) -> dict[str, Any]:
    return {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(str(path)).graph.initializer}


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_are_close_to_the_original(kind: str, files: Files) -> None:
    game = registry.game(KINDS[kind][0])
    networks = [game_network(path, game.first) for path in files(kind)]
    encoded = planes(game, random_positions(game, 30, seed=2)).numpy()
    original, quantized = (network(encoded) for network in networks)
    for output, expected in zip(quantized, original, strict=True):
        assert output.shape == expected.shape and output.dtype == np.float32
        assert abs(output - expected).mean() < 0.03 * max(1.0, abs(expected).max())
    assert quantized[1].sum(1) == pytest.approx(1, abs=1e-4)
    before, after = (network.notes for network in networks)
    assert after == {**before, "numbers": "whole"} and is_quantized(after) and not is_quantized(before)
    assert after["described"] and after["step"] == "3"


def test_quantized_weights(files: Files) -> None:
    """Those of the wide convolutions except the first; the sum of two products fits into 16 bits."""
    original, quantized = files("tower")
    weights_by_name = arrays(quantized)
    kernels = {name for name, array in weights_by_name.items() if array.dtype == np.int8 and array.ndim == 4}
    assert kernels == {f"plain.blocks.{i}.{which}.weight_quantized" for i in range(2) for which in ("first", "second")}
    assert max(abs(weights_by_name[name].astype(int)).max() for name in kernels) == 64 and 2 * 255 * 64 < 1 << 15
    assert weights_by_name["plain.first.weight_half"].dtype == np.float16
    assert weights_by_name["plain.policy.dense.weight_half"].dtype == np.float16
    assert all(array.dtype == np.float32 for name, array in weights_by_name.items() if name.endswith("_scale"))
    assert quantized.stat().st_size < 1.5 * original.stat().st_size  # 40 scales with names; half for a large network


def test_convolutions_that_stay_floats(files: Files, tmp_path: Path) -> None:
    """The first of each of several parallel networks, and that of a network with masked planes."""
    omok = quantized_nodes(onnx.load(str(files("omok")[0])).graph)
    assert sum("Conv" in node for node in omok) == 4 * 5
    masked = quantized_nodes(onnx.load(str(written(tmp_path, "tower", "pacman", Size(8, 1)))).graph)
    assert [node for node in masked if "Conv" in node] == ["/plain/blocks.0/first/Conv", "/plain/blocks.0/second/Conv"]


def test_a_network_without_wide_convolutions_is_rejected(tmp_path: Path) -> None:
    path = write_network(tmp_path / "small.onnx", (2, 3, 3), 9)
    with pytest.raises(HansuError, match="nothing to quantize"):
        quantize(path.read_bytes(), np.zeros((3, 2, 3, 3), np.float32))


def test_dequantized_weights_are_off_by_half_a_step_at_most(files: Files) -> None:
    original, quantized = files("tower")
    expected, dequantized = (weights(onnx.load(str(path))) for path in (original, quantized))
    assert list(expected) == [name for name in expected if name in dequantized]
    scales = arrays(quantized)
    for name, array in expected.items():
        scale = scales.get(f"plain.{name}_scale", np.zeros(()))
        tolerance = 0.501 * scale.reshape(-1, *[1] * (array.ndim - 1)) if scale.ndim else 1e-6
        if not name.endswith("bias"):  # a bias has steps of a thousandth of a weight's
            assert (abs(dequantized[name] - array.astype(np.float32)) <= tolerance).all(), name
        assert dequantized[name] == pytest.approx(array.astype(np.float32), abs=0.03)


@pytest.mark.parametrize("kind", ["tower", "sidus"])
def test_training_starts_from_a_quantized_network(kind: str, files: Files) -> None:
    original, quantized = files(kind)
    view = Encoding(registry.game(KINDS[kind][0]))
    x = torch.from_numpy(view.examples)
    with torch.no_grad():
        outputs = [initial_network(path, view).eval()(x) for path in (original, quantized)]
    for first, second in zip(*outputs, strict=True):
        assert (second - first).abs().mean() < 0.03 * max(1.0, float(first.abs().max()))


def test_quantized_networks_in_kaggles_file(files: Files) -> None:
    _, quantized = files("tower")
    alone = network.Network(export.weights(quantized))
    game = registry.game("connect_four")
    encoded = planes(game, random_positions(game, 30, seed=3)).numpy()
    for output, expected in zip(alone(encoded), game_network(quantized, game.first)(encoded), strict=True):
        assert abs(output - expected).mean() < 0.03


def test_float16_and_back(tmp_path: Path) -> None:
    path = written(tmp_path, "tower", "tictactoe", Size(16, 1))
    model = onnx.load(str(path))
    again = to_float16(to_float32(onnx.load(str(path))))
    assert {one.name for one in again.graph.initializer} == {one.name for one in model.graph.initializer}
    assert [node.op_type for node in again.graph.node] == [node.op_type for node in model.graph.node]
    assert not any(one.name.endswith("_half") for one in to_float32(model).graph.initializer)


def test_the_recipe(tmp_path: Path) -> None:
    """With its own games, and with recorded games; a file can play if onnx is not installed."""
    game = registry.game("tictactoe")
    path = written(tmp_path, "tower", "tictactoe", Size(8, 2))
    messages: list[str] = []
    recipe = Quantize.from_settings({"games": "6", "positions": "20"})
    outcome = recipe.train(game, Job((path,), tmp_path / "own.onnx", messages.append))
    assert messages == ["playing 6 games of the network against itself"] and outcome.files == [tmp_path / "own.onnx"]
    sizes, agreed = outcome.tables
    assert [row[0] for row in sizes.rows] == ["float32", "int8"]
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
    outcome = Quantize().train(game, Job(files, tmp_path / "files.onnx", messages.append))
    assert is_quantized(game_network(tmp_path / "files.onnx", game.first).notes) and len(messages) == 1
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
    """Of known outputs."""

    class ConstantNetwork:
        def __init__(self, policy: list[float], value: list[float]) -> None:
            self.outputs = np.array([policy], np.float32), np.array([value], np.float32)

        def __call__(self, batch: Any) -> Any:
            return tuple(np.repeat(part, len(batch), 0) for part in self.outputs)

    held_out = Positions(np.zeros((40, 1, 1, 1), np.float32), np.array([[True, True, False]] * 40))
    first = ConstantNetwork([np.log(3), 0, 9], [0.5, 0.25, 0.25])
    second = ConstantNetwork([0, 0, -9], [0.25, 0.25, 0.5])
    result = agreement(first, second, held_out)  # type: ignore[arg-type]
    assert result.same == 1.0 and result.value == pytest.approx(0.5)
    assert result.divergence == pytest.approx(0.75 * np.log(1.5) + 0.25 * np.log(0.5))
    third = ConstantNetwork([0, 1, 0], [0.5, 0.25, 0.25])
    other = agreement(first, third, held_out)  # type: ignore[arg-type]
    assert other.same == 0.0 and other.value == 0.0


def test_mistakes_are_reported(hansu: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "tower", "tictactoe", Size(8, 1))
    (tmp_path / "int8.onnx").write_bytes(quantize(path.read_bytes(), np.ones((9, 2, 3, 3), np.float32)))
    (tmp_path / "damaged.onnx").write_bytes(path.read_bytes()[:3000])
    (tmp_path / "one.jsonl").write_text(match_line(registry.game("tictactoe"), 1))
    write_network(tmp_path / "dense.onnx", (2, 3, 3), 9)
    monkeypatch.chdir(tmp_path)
    for game, words, error in (
        ("tictactoe", "", "no network was given"),
        ("tictactoe", "floats.onnx int8.onnx", "2 networks were given"),
        ("tictactoe", "gone.onnx", "no model file gone.onnx"),
        ("tictactoe", "damaged.onnx", "is no ONNX model"),
        ("connect_four", "floats.onnx", "another shape"),
        ("tictactoe", "int8.onnx", "is already quantized"),
        ("tictactoe", "floats.onnx one.jsonl", "one game cannot be split"),
        ("tictactoe", "floats.onnx gone.jsonl", "no file gone.jsonl"),
        ("tictactoe", "dense.onnx", "nothing to quantize"),
    ):
        with pytest.raises(HansuError, match=error):
            Quantize(games=2).train(registry.game(game), Job(tuple(map(Path, words.split())), Path("new_whole.onnx")))
    done = hansu("train", "tictactoe", "quantize", "floats.onnx", "-o", "./floats.onnx", cwd=tmp_path)
    assert done.returncode == 2 and "is also an input file" in done.stderr and "Traceback" not in done.stderr
    assert not [path.name for path in tmp_path.iterdir() if path.stem.endswith("_whole")]


def test_extra_outputs(files: Files) -> None:
    _, quantized = files("pooling")
    network = Network(quantized, {"planes": (3, 7, 7)}, {"policy": (834,), "value": (3,), "left": (), "score": ()})
    policy, value, left, score = network(np.zeros((5, 3, 7, 7), np.float32))
    assert policy.shape == (5, 834) and value.shape == (5, 3) and left.shape == score.shape == (5,)
