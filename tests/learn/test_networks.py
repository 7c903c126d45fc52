"""The networks, their encoding of games, and their ONNX files."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.torch_networks import planes, random_positions, trained_a_little

pytest.importorskip("torch")
import torch

from hansu.core import HansuError, registry
from hansu.learn.champion import export_champion, initial_network, load_network, notes_of, save_network
from hansu.learn.encoding import Encoding
from hansu.learn.networks import (
    Shape,
    Size,
    build,
    description,
    fold,
    from_description,
    names,
    parameter_count,
    plain_copy,
)

GAMES = {
    "tower": ("tictactoe", "connect_four", "ataxx", "renju:size=9", "pacman"), "sidus": ("ataxx",), "omok": ("renju",),
}  # fmt: skip


@pytest.mark.parametrize(("name", "spec"), [(name, spec) for name in GAMES for spec in GAMES[name]])
def test_an_onnx_file_agrees_with_torch(name: str, spec: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    import onnxruntime

    game = registry.game(spec)
    size = Size(16, 2, 1, ("left", "score")) if name == "tower" else Size(channels=8)
    network = trained_a_little(name, game, size)
    save_network(tmp_path / "n.npz", network, notes_of(network, spec, {"step": 3}))
    session = onnxruntime.InferenceSession(str(tmp_path / "n.onnx"))
    assert [i.name for i in session.get_inputs()] == ["planes"]
    outputs = [o.name for o in session.get_outputs()]
    assert outputs == ["policy", "value", *network.extras]
    for count in (1, 20):
        x = planes(game, random_positions(game, count, seed=2))
        masked = x.clone()
        masked[:, list(network.shape.dark)] = 0  # the plane of a board's handle
        with torch.no_grad():
            policy, value, *others = (output.numpy() for output in network(masked))
        result = dict(zip(outputs, session.run(None, {"planes": x.numpy()}), strict=True))
        assert result["policy"].shape == (count, network.shape.actions) and result["value"].shape == (count, 3)
        assert result["policy"] == pytest.approx(policy, abs=2e-2)
        assert result["value"] == pytest.approx(torch.from_numpy(value).softmax(1).numpy(), abs=3e-3)
        for extra, expected in zip(network.extras, others, strict=True):
            assert result[extra] == pytest.approx(expected, abs=5e-2)
    notes = session.get_modelmeta().custom_metadata_map
    assert (notes["game"], notes["network"], notes["step"]) == (spec, name, "3")
    assert notes["actions"] == str(network.shape.actions)


def test_float16_halves_the_file(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    game = registry.game("tictactoe")
    network = trained_a_little("tower", game, Size(64, 2))
    save_network(tmp_path / "n.npz", network, {})
    assert (tmp_path / "n.onnx").stat().st_size < 2.2 * parameter_count(network)


def test_a_network_is_saved_and_loaded(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    game = registry.game("tictactoe")
    network = trained_a_little("tower", game, Size(8, 1))
    save_network(tmp_path / "champion.npz", network, {"game": "tictactoe"})
    loaded, notes = load_network(tmp_path / "champion.npz")
    x = planes(game, random_positions(game, 10))
    with torch.no_grad():
        assert torch.equal(loaded(x)[0], network(x)[0])
    assert notes == {"game": "tictactoe"}
    (tmp_path / "champion.onnx").unlink()
    assert export_champion(tmp_path).is_file()
    with pytest.raises(HansuError, match="another shape"):
        initial_network(tmp_path / "champion.npz", Encoding(registry.game("connect_four")))
    (tmp_path / "champion.npz").write_bytes(b"PK and nothing else")
    with pytest.raises(HansuError, match="cannot be used"):
        load_network(tmp_path / "champion.npz")
    with pytest.raises(HansuError, match="does not contain a champion"):
        export_champion(tmp_path / "elsewhere")


@pytest.mark.parametrize(("name", "spec"), [("tower", "connect_four"), ("sidus", "ataxx"), ("omok", "renju")])
def test_training_continues_from_an_onnx_file(name: str, spec: str, tmp_path: Path) -> None:
    """Normalizations are unfolded from the file: the outputs are the same, also with the statistics of a batch, so that
    the first training step does not destroy the weights."""
    pytest.importorskip("onnx")
    game = registry.game(spec)
    view = Encoding(game)
    network = trained_a_little(name, game, Size(16, 2, 1, ("left",)) if name == "tower" else Size(channels=8))
    save_network(tmp_path / "n.npz", network, notes_of(network, spec, {}))
    loaded = initial_network(tmp_path / "n.onnx", view)
    x = torch.from_numpy(view.examples)
    with torch.no_grad():
        outputs = network(x), loaded.eval()(x), loaded.train()(x)
    for first, second, third in zip(*outputs, strict=True):
        spread = float(first.abs().max())
        assert (second - first).abs().max() < 5e-3 * max(spread, 1)  # float16
        assert (third - second).abs().max() < 1e-3 * max(spread, 1)


def test_networks_of_other_games_are_rejected(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    view = Encoding(registry.game("connect_four"))
    models = registry.GAMES
    with pytest.raises(HansuError, match="another shape"):
        initial_network(models / "models" / "tictactoe.onnx", view)
    with pytest.raises(HansuError, match="a trainable network"):  # a classifier
        initial_network(models / "connect_four" / "models" / "mlp.onnx", view)
    (tmp_path / "n.onnx").write_bytes((models / "models" / "tictactoe.onnx").read_bytes()[:5000])
    with pytest.raises(HansuError, match="a trainable network"):
        initial_network(tmp_path / "n.onnx", view)
    with pytest.raises(HansuError, match="no file"):
        initial_network(tmp_path / "none.onnx", view)


def test_folding() -> None:
    """A plain copy has the same outputs, and is overwritten in place."""
    game = registry.game("connect_four")
    network = trained_a_little("tower", game, Size(16, 2, 2))
    x = planes(game, random_positions(game, 10))
    plain = plain_copy(build("tower", network.shape, network.size))
    places = [weights.data_ptr() for weights in plain.parameters()]
    fold(network, plain)
    with torch.no_grad():
        for expected, output in zip(network(x), plain(x), strict=True):
            assert expected == pytest.approx(output, abs=1e-4)
    assert places == [weights.data_ptr() for weights in plain.parameters()]
    assert not any(isinstance(module, torch.nn.BatchNorm2d) for module in plain.modules())


def test_a_common_offset_of_logits_does_not_blur_a_policy() -> None:
    """In half precision, too, where 300 and 301 are the same number."""
    game = registry.game("renju:size=9")
    network, x = trained_a_little("tower", game, Size(8, 1)), planes(game, random_positions(game, 32))
    with torch.no_grad():
        network.eval().policy.everywhere.bias += 1000
        network.policy.cells.weight *= 100
        expected = network(x)[0][:, :81]
        with torch.autocast("cpu", torch.bfloat16):
            policy = network(x)[0][:, :81]
    assert expected.abs().min() > 10_000 and expected.std(1).min() > 0.5
    assert (expected.softmax(1) - policy.softmax(1)).abs().max() < 0.02


def test_a_tower_without_dense_heads_accepts_other_board_sizes() -> None:
    small, large = registry.game("renju:rule=standard,size=7"), registry.game("renju:rule=standard,size=11")
    network = trained_a_little("tower", small, Size(8, 2, 2))
    x = planes(large, random_positions(large, 4))
    with torch.no_grad():
        policy, value = network(x)
    assert policy.shape == (4, 121) and value.shape == (4, 3)


def test_the_originals_have_their_sizes() -> None:
    """sidus: about 180,000 parameters and an 833-way policy; omok: four networks of six convolutions of 96."""
    sidus = build("sidus", Encoding(registry.game("ataxx")).shape, Size())
    assert abs(parameter_count(sidus) - 180_000) < 2_000
    assert sidus.policy.out_features == 833
    omok = build("omok", Encoding(registry.game("renju")).shape, Size())
    for colour in (omok.black, omok.white):
        for network in (colour.policy, colour.value):
            kernels = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d) and m.kernel_size == (3, 3)]
            assert [k.out_channels for k in kernels] == [96] * 6


def test_omok_uses_the_network_of_the_colour_to_move() -> None:
    game = registry.game("renju")
    network = build("omok", Encoding(game).shape, Size(8, 2)).eval()
    black, white = game.position("h8 h9"), game.position("h8")
    x = planes(game, [black, white])
    with torch.no_grad():
        before = network(x)
        for weights in network.white.parameters():
            weights.add_(0.1)
        after = network(x)
    assert torch.equal(before[0][0], after[0][0]) and torch.equal(before[1][0], after[1][0])
    assert not torch.equal(before[0][1], after[0][1]) and not torch.equal(before[1][1], after[1][1])


def test_encodings_of_games(nim_path: Path) -> None:
    assert Encoding(registry.game("tictactoe")).shape == Shape(2, 3, 3, 9, cells="rows")
    assert Encoding(registry.game("connect_four")).shape == Shape(2, 6, 7, 7)
    assert Encoding(registry.game("ataxx")).shape == Shape(3, 7, 7, 834, cells="columns")
    assert Encoding(registry.game(str(nim_path))).shape == Shape(4, 1, 63, 48)
    assert Encoding(registry.game("connect_four")).whole
    assert not Encoding(registry.game("ataxx")).whole  # the turn number is a fraction


def test_networks_by_name() -> None:
    assert names() == ["omok", "sidus", "tower"]
    shape = Encoding(registry.game("tictactoe")).shape
    with pytest.raises(HansuError, match="no network 'towre'") as error:
        build("towre", shape, Size())
    assert "did you mean 'tower'" in error.value.hint
    with pytest.raises(HansuError, match="'lefts'"):
        build("tower", shape, Size(extras=("lefts",)))
    with pytest.raises(HansuError, match="omok needs a game"):
        build("omok", Encoding(registry.game("connect_four")).shape, Size())
    network = build("tower", shape, Size(8, 3, 2, ("left",)))
    assert description(from_description(description(network))) == description(network)
