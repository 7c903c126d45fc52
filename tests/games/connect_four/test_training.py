"""Connect Four's classifiers: encodings, splits, measures, small trainings, the shipped models, the players."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from support.commands import Run

from hansu.arena.roster import player
from hansu.core import HansuError, Limit, Position, registry
from hansu.games.connect_four import features
from hansu.games.connect_four.classifier import MODELS, LeafClassifier, leaves
from hansu.games.connect_four.rules import four
from hansu.games.connect_four.solver.book import OpeningBook
from hansu.games.connect_four.solver.standard_board import drop, mirror, positions, read_columns, wins_now
from hansu.games.connect_four.training import data
from hansu.learn.metrics import Measures
from hansu.learn.split import split

SHARED = Path(__file__).parents[2] / "shared" / "data" / "connect-4.data.gz"
GAME = registry.game("connect_four")
KINDS = ("mlp", "svm", "best")
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the public data is missing")


def sample(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Bitboards (x, o) of some positions of 8 stones."""
    chosen = random.Random(3).sample(list(positions(8)), count)
    return np.array([mine for mine, _ in chosen]), np.array([mine ^ mask for mine, mask in chosen])


def test_encodings_agree_with_the_board() -> None:
    x, o = sample(50)
    stones, planes = features.stones(x, o), features.planes(x, o)
    assert {len(stones[0]), len(planes[0])} == set(features.SIZES.values())
    for i in range(len(x)):
        for cell in range(42):
            bit = 1 << cell // 6 * 7 + cell % 6
            assert stones[i, cell] == bool(int(x[i]) & bit) and stones[i, 42 + cell] == bool(int(o[i]) & bit)
            occupied = int(x[i]) | int(o[i])
            lands = not occupied & bit and (cell % 6 == 0 or bool(occupied & bit >> 1))
            assert planes[i, 84 + cell] == lands
            assert (planes[i, 126 + cell], planes[i, 168 + cell]) == (1, cell % 6 % 2)


def test_cells_and_mirror_images() -> None:
    x, o = sample(50)
    assert (features.words_of_cells(features.cells(x)) == x).all()
    assert features.mirrored(x).tolist() == [mirror(word) for word in x.tolist()]
    for name, encode in features.ENCODINGS.items():
        mirrored = encode(features.mirrored(x), features.mirrored(o))
        assert (encode(x, o)[:, features.mirror_inputs(name)] == mirrored).all()


def test_no_row_leaks_through_its_mirror_image() -> None:
    groups = np.array([i // 3 for i in range(900)])
    first, second = split(groups, 0.2, seed=5)
    assert sorted([*first, *second]) == list(range(900))
    assert not set(groups[first]) & set(groups[second])
    assert len(second) == 180
    again, _ = split(groups, 0.2, seed=5)
    assert (again == first).all() and list(first) != sorted(first)


def test_mirror_images_in_the_data_stay_in_one_part(tmp_path: Path) -> None:
    from hansu.games.connect_four.training import recipes as recipe

    x, o = sample(200)
    labels = np.zeros(200, np.int8)
    rows = recipe.Rows(x, o, labels).with_mirrors
    train, test = rows.parts(0.25, 1)
    assert not set(train.groups.tolist()) & set(test.groups.tolist())
    assert len(test) >= 80 and len(train) + len(test) == 400


def test_measures_counted_by_hand() -> None:
    truth = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 2])
    predicted = np.array([0, 0, 0, 1, 1, 2, 2, 2, 0, 2])
    m = Measures.of(truth, predicted, 3)
    assert m.confusion == ((3, 1, 0), (0, 1, 1), (1, 0, 3))
    assert (m.accuracy, m.recall) == pytest.approx((0.7, 0.7))
    assert m.precision == pytest.approx(0.4 * 3 / 4 + 0.2 * 1 / 2 + 0.4 * 3 / 4)
    assert m.f1 == pytest.approx(0.4 * 0.75 + 0.2 * 0.5 + 0.4 * 0.75)


def test_measures_equal_scikit_learns() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    chance = np.random.default_rng(1)
    truth, predicted = chance.integers(0, 3, 500), chance.integers(0, 3, 500)
    m = Measures.of(truth, predicted, 3)
    expected = metrics.precision_recall_fscore_support(truth, predicted, average="weighted")
    assert (m.precision, m.recall, m.f1) == pytest.approx(expected[:3])
    assert metrics.confusion_matrix(truth, predicted).tolist() == [list(row) for row in m.confusion]


def synthetic_data(path: Path, count: int) -> None:
    """Rows with labels that are easy to learn: the side with more stones in the three middle columns wins."""
    middle = sum(0b111111 << 7 * column for column in (2, 3, 4))
    lines = []
    for x, o in zip(*sample(count), strict=True):
        lead = (int(x) & middle).bit_count() - (int(o) & middle).bit_count()
        lines.append(data.row_text(int(x), int(x) | int(o), lead))
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(("recipe", "more"), [("mlp", ("--epochs", "12")), ("svm", ("--set", "basis=500"))])
def test_training_end_to_end(recipe: str, more: tuple[str, ...], tmp_path: Path, hansu: Run) -> None:
    """Data, training, table, picture, ONNX, play: the model that plays is the model that was measured."""
    for module in ("sklearn", "onnx", "matplotlib"):
        pytest.importorskip(module)
    synthetic_data(tmp_path / "rows.data", 1500)
    words = ["train", "connect_four", recipe, "--data", "rows.data", "-o", "m.onnx", "--curves", "c.svg", "--no-side"]
    done = hansu(*words, *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the report's" in done.stdout and "true" in done.stdout
    assert (tmp_path / "c.svg").read_text().count("<svg") == 1
    classifier = LeafClassifier(tmp_path / "m.onnx")
    x_leads, o_leads = read_columns("31415172"), read_columns("13141527")
    classifier.evaluate({1: (x_leads[0], x_leads[0] ^ x_leads[1]), 2: (o_leads[0], o_leads[0] ^ o_leads[1])})
    assert classifier.known[1] > 0.3 > -0.3 > classifier.known[2]
    decision = player(f"{recipe}:model={tmp_path / 'm.onnx'},depth=2", GAME).decide(GAME.position("4412"))
    assert decision.action in range(7) and "classifier" in decision.why


def test_the_exported_tower_agrees_with_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from hansu.learn import classifier
    from hansu.learn.curves import Curve
    from hansu.search.network import Network

    x, o = sample(300)
    inputs = features.planes(x, o)
    labels = np.arange(300) % 3
    shape = classifier.ClassifierShape(5, 7, 6, 3, channels=8, blocks=2)
    schedule = classifier.ClassifierSchedule(epochs=2, batch=100)
    trained = classifier.fit(shape, schedule, inputs, labels, (inputs, labels), Curve("", ""), lambda text: None)
    mirror_of = features.mirror_inputs("planes")
    classifier.write(trained, tmp_path / "t.onnx", mirror_of, {"encoding": "planes"})
    network = Network(tmp_path / "t.onnx", {"x": (210,)}, {"chances": (3,)})
    expected = (classifier.chances(trained, inputs) + classifier.chances(trained, inputs[:, mirror_of])) / 2
    assert np.abs(network(inputs) - expected).max() < 0.01
    assert network.notes["encoding"] == "planes"


@pytest.mark.parametrize("kind", KINDS)
def test_shipped_models_on_clear_positions(kind: str) -> None:
    """Positions of 8 stones with a quick win or loss according to the book, and their mirror images."""
    classifier, book = LeafClassifier(MODELS / f"{kind}.onnx"), OpeningBook()
    won, lost = [], []
    for mine, mask in list(positions(8))[::40]:
        score = book.look(mine, mask)[0]
        if (score >= 8 or score <= -3) and not wins_now(mine, mask) and not wins_now(mine ^ mask, mask):
            (won if score > 0 else lost).append((mine, mine ^ mask))
    assert len(won) > 50 and len(lost) > 20
    for chosen, sign in ((won, 1), (lost, -1)):
        classifier.known.clear()
        classifier.evaluate(dict(enumerate(chosen)))
        values = np.array(list(classifier.known.values()))
        assert (sign * values > 0).mean() > 0.8
        classifier.known.clear()
        classifier.evaluate(dict(enumerate((mirror(x), mirror(o)) for x, o in chosen)))
        assert np.array(list(classifier.known.values())) == pytest.approx(values, abs=1e-4)


@needs_shared
@pytest.mark.parametrize(("kind", "least"), [("mlp", 0.8337), ("svm", 0.7869), ("best", 0.88)])
def test_shipped_models_beat_the_report_on_held_out_rows(kind: str, least: float) -> None:
    """The shipped models were trained with the split of the default seed."""
    from hansu.games.connect_four.training import recipes as recipe

    held_out = recipe.Rows.read(SHARED).parts(recipe.TEST_SHARE, 1)[1].take(np.arange(3000))
    classifier = LeafClassifier(MODELS / f"{kind}.onnx")
    inputs = classifier._encode(held_out.x, held_out.o)
    assert Measures.of(held_out.labels, classifier._network(inputs).argmax(1), 3).accuracy > least


@pytest.mark.parametrize("kind", KINDS)
def test_players_win_block_and_explain(kind: str) -> None:
    classified = player(f"{kind}:depth=2", GAME)
    win = classified.decide(GAME.position("121212"))
    assert win.action == 0 and win.report.value == 1 and "completes four" in win.why
    assert classified.decide(GAME.position("12121")).action == 0
    quiet = classified.decide(GAME.position("4453"))
    assert -1 < quiet.report.value < 1 and len(quiet.report.moves) == 7 and "classifier" in quiet.why


def completes(position: Position, action: int, stones: int) -> bool:
    """Would one side's stone in this column complete four?"""
    s = position.state
    return four(stones | drop(s.mine | s.theirs, action), 6)


def test_alpha_beta_over_a_classifier_equals_minimax() -> None:
    mlp = player("mlp:depth=3", GAME)
    classifier = LeafClassifier(MODELS / "mlp.onnx")

    def value(position: Position, depth: int) -> float:
        """For player 0; leaves have x to move."""
        if position.over:
            return position.score
        s = position.state
        if depth <= 0 and position.mover == 0:
            forced = [a for a in position.actions if completes(position, a, s.mine)]
            forced = forced or [a for a in position.actions if completes(position, a, s.theirs)]
            if not forced or depth <= -4:
                classifier.evaluate({1: (s.mine, s.theirs)})
                return classifier.known.pop(1)
            return value(position.play(forced[0]), depth - 1)
        values = [value(position.play(a), depth - 1) for a in position.actions]
        return max(values) if position.mover == 0 else min(values)

    for moves in ("4453", "44533", "1223"):
        position = GAME.position(moves)
        decision = mlp.decide(position)
        values = {m.action: m.value for m in decision.report.moves}
        for a in position.actions[::3]:
            assert values[a] == pytest.approx(value(position.play(a), 2), abs=1e-5)


def test_leaves_have_x_to_move() -> None:
    for depth in (1, 2, 3):
        for moves in ("", "4", "44"):
            assert all(x.bit_count() == o.bit_count() for x, o in leaves(*read_columns(moves), depth))


def test_classifiers_respect_limits() -> None:
    position = GAME.position("44")
    for limit in (Limit(time=0.2), Limit(nodes=30), Limit(depth=1)):
        decision = player("mlp:depth=8", GAME).decide(position, limit)
        assert decision.action in position.actions and decision.report.depth < 8


def test_invalid_models_are_rejected(tmp_path: Path) -> None:
    position = GAME.position("44")
    (tmp_path / "text.onnx").write_text("not a model")
    for name, error in (("gone.onnx", "no model file"), ("text.onnx", "no ONNX model")):
        with pytest.raises(HansuError, match=error):
            player(f"mlp:model={tmp_path / name}", GAME).decide(position)
    pytest.importorskip("onnx")
    from hansu.learn.onnx_writer import Chain

    chain = Chain(10)
    chain.dense(np.zeros((10, 3)), np.zeros(3))
    chain.write(tmp_path / "other.onnx", 3, {})
    with pytest.raises(HansuError, match="another shape"):
        player(f"mlp:model={tmp_path / 'other.onnx'}", GAME).decide(position)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("tree", "mlp"), "tree has no recipe 'mlp'"),
        (("connect_four", "mpl"), "did you mean 'mlp'"),
        (("connect_four", "mlp", "--epoch", "3"), "did you mean 'epochs'"),
        (("connect_four", "mlp", "--epochs", "few"), "not a whole number"),
        (("connect_four", "mlp", "y.data"), "2 input files were given"),
    ],
)
def test_mistakes_are_reported(words: tuple[str, ...], error: str, hansu: Run, tmp_path: Path) -> None:
    done = hansu("train", *words, "--data", "x.data", cwd=tmp_path)
    assert done.returncode == 2 and error in done.stderr and "Traceback" not in done.stderr
