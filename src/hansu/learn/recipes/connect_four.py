"""The report's experiment with the UCI connect-4 data: who wins from a position of 8 stones?

Rows are shuffled and split before mirror images are added to the part that is learnt from, a position and its mirror
image never in different parts. A position's answer is the mean of the answers for it and for its mirror image.

    mlp    scikit-learn, hidden layers (50, 20); beside it (100, 50, 20), and two classes
    svm    a support vector machine on Nystroem's approximation of a Gaussian kernel, its margins turned into
           probabilities by a logistic regression on rows that it did not learn from
    best   a residual tower in torch, on planes of the board
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hansu.core.errors import HansuError
from hansu.games.connect_four import data, features
from hansu.learn.curves import Curve
from hansu.learn.measures import Measures
from hansu.learn.onnx_file import Chain
from hansu.learn.split import split

TEST_SHARE = 0.2
REPORT = {
    "mlp": Measures(0.8337, 0.8658, 0.8337, 0.8473),
    "svm": Measures(0.7869, 0.8763, 0.7869, 0.8275),
}
Tell = Callable[[str], None]


@dataclass
class Outcome:
    """What an experiment found: rows of a table, pictures to draw, the file that was written."""

    rows: list[tuple[str, Measures]] = field(default_factory=list)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    curves: list[Curve] = field(default_factory=list)
    model: Path | None = None

    def add(self, name: str, measures: Measures, classes: tuple[str, ...] = data.RESULTS) -> None:
        self.rows.append((name, measures))
        self.classes[name] = classes


@dataclass(frozen=True)
class Rows:
    """Positions with their labels."""

    x: Any  # int64[n]
    o: Any  # int64[n]
    labels: Any  # int8[n]

    @classmethod
    def read(cls, path: Path) -> Rows:
        cells, labels = data.read(path)
        return cls(features.words_of_cells(cells == 1), features.words_of_cells(cells == 2), labels)

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, which: Any) -> Rows:
        return Rows(self.x[which], self.o[which], self.labels[which])

    @property
    def groups(self) -> Any:
        """A number for each mirror pair."""
        here, there = (
            x + (x | o) for x, o in ((self.x, self.o), (features.mirrored(self.x), features.mirrored(self.o)))
        )
        return np.minimum(here, there)

    def parts(self, share: float, seed: int) -> tuple[Rows, Rows]:
        first, second = split(self.groups, share, seed)
        return self.take(first), self.take(second)

    @property
    def with_mirrors(self) -> Rows:
        return Rows(
            np.concatenate([self.x, features.mirrored(self.x)]), np.concatenate([self.o, features.mirrored(self.o)]),
            np.concatenate([self.labels, self.labels]),
        )  # fmt: skip

    @property
    def without_draws(self) -> Rows:
        kept = self.take(self.labels != data.RESULTS.index("draw"))
        return Rows(kept.x, kept.o, kept.labels // 2)  # win 0, loss 1

    def encoded(self, encoding: str = "stones") -> Any:
        return features.ENCODINGS[encoding](self.x, self.o)


def measured(chances: Callable[[Any], Any], rows: Rows, classes: int, encoding: str = "stones") -> Measures:
    """On the mean answer for each position and its mirror image."""
    inputs = rows.encoded(encoding)
    both = chances(inputs) + chances(inputs[:, features.mirror_inputs(encoding)])
    return Measures.of(rows.labels, both.argmax(1), classes)


def chain_for(encoding: str) -> Chain:
    """An ONNX file that takes this encoding and gives the mean answer for a position and its mirror image."""
    return Chain(features.SIZES[encoding], features.mirror_inputs(encoding))


def notes_for(encoding: str) -> dict[str, str]:
    return {"encoding": encoding, "classes": ",".join(data.RESULTS)}


def train_mlp(rows: Rows, output: Path, seed: int, tell: Tell, epochs: int = 40, side: bool = True) -> Outcome:
    """The report's network, and its side experiments."""
    train, test = rows.parts(TEST_SHARE, seed)
    outcome = Outcome()
    outcome.add("mlp, the report's", REPORT["mlp"])
    model, curve = fit_mlp(train, test, (50, 20), seed, tell, epochs)
    outcome.add("mlp (50, 20)", measured(model.predict_proba, test, 3))
    outcome.curves.append(curve)
    if side:
        larger, curve = fit_mlp(train, test, (100, 50, 20), seed, tell, epochs)
        outcome.add("mlp (100, 50, 20)", measured(larger.predict_proba, test, 3))
        outcome.curves.append(curve)
        decided, decided_test = train.without_draws, test.without_draws
        two, curve = fit_mlp(decided, decided_test, (50, 20), seed, tell, epochs)
        outcome.add("mlp (50, 20), two classes", measured(two.predict_proba, decided_test, 2), ("win", "loss"))
        outcome.curves.append(curve)
    chain = chain_for("stones")
    for i, (weights, offsets) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        chain.dense(weights, offsets)
        chain.then("Relu" if i < len(model.coefs_) - 1 else "Softmax")
    chain.write(output, len(data.RESULTS), notes_for("stones"))
    outcome.model = output
    return outcome


def fit_mlp(train: Rows, test: Rows, hidden: tuple[int, ...], seed: int, tell: Tell, epochs: int) -> tuple[Any, Curve]:
    """Epoch by epoch with a falling rate, so that the curve can be drawn."""
    MLPClassifier = _sklearn("neural_network").MLPClassifier
    name = f"mlp {hidden}, {len(set(train.labels.tolist()))} classes"
    curve = Curve(name, "epochs")
    both = train.with_mirrors
    inputs, labels = both.encoded(), both.labels
    model = MLPClassifier(hidden, batch_size=min(256, len(labels)), max_iter=1, warm_start=True, random_state=seed)
    for epoch in range(epochs):
        model.set_params(learning_rate_init=2e-3 * (1 - epoch / epochs) + 2e-5, random_state=seed + epoch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each call is one epoch, so none of them converges
            model.fit(inputs, labels)
        curve.add(epoch + 1, float(model.score(inputs, labels)), float(model.score(test.encoded(), test.labels)))
        tell(f"{name}: epoch {epoch + 1} of {epochs}, {curve.held_back[-1]:.4f} on held-back rows")
    return model, curve


@dataclass(frozen=True)
class Machine:
    """A support vector machine on Nystroem's features. With `basis` positions b: exp(-gamma |x - b|^2) for each, times
    `weights`, plus `offsets`, through a logistic regression."""

    gamma: float
    basis: Any  # float32[n, 84]
    weights: Any  # float64[n, classes]
    offsets: Any  # float64[classes]
    scale: Any  # float64[classes, classes]
    shift: Any  # float64[classes]

    def chances(self, inputs: Any) -> Any:
        near = np.exp(-self.gamma * (inputs.sum(1)[:, None] + self.basis.sum(1) - 2 * inputs @ self.basis.T))
        margins = (near @ self.weights + self.offsets) @ self.scale + self.shift
        raised = np.exp(margins - margins.max(1, keepdims=True))
        return raised / raised.sum(1, keepdims=True)

    def write(self, output: Path) -> None:
        # Stones are 0 or 1, so |x|^2 is their sum and the distance is linear in x.
        chain = chain_for("stones")
        chain.dense(self.gamma * (2 * self.basis.T - 1), -self.gamma * self.basis.sum(1))
        chain.then("Exp")
        chain.dense(self.weights @ self.scale, self.offsets @ self.scale + self.shift)
        chain.then("Softmax")
        chain.write(output, len(data.RESULTS), notes_for("stones"))


def train_svm(rows: Rows, output: Path, seed: int, tell: Tell, basis: int = 800, side: bool = True) -> Outcome:
    """The report's second classifier, with the learning curve over the number of rows."""
    train, test = rows.parts(TEST_SHARE, seed)
    outcome = Outcome()
    outcome.add("svm, the report's", REPORT["svm"])
    curve = Curve("svm", "rows learnt from")
    for share in (0.1, 0.3, 1.0) if side else (1.0,):
        part = train.take(np.arange(round(share * len(train))))
        machine = fit_svm(part, seed, min(basis, len(part)))
        seen = part.take(np.arange(min(len(part), 5000)))
        curve.add(len(part), measured(machine.chances, seen, 3).accuracy, measured(machine.chances, test, 3).accuracy)
        tell(f"svm: {len(part):,} rows, {curve.held_back[-1]:.4f} on held-back rows")
    outcome.add(f"svm (Nystroem, {len(machine.basis)}, calibrated)", measured(machine.chances, test, 3))
    outcome.curves.append(curve)
    machine.write(output)
    outcome.model = output
    return outcome


def fit_svm(rows: Rows, seed: int, basis: int, gamma: float = 0.06) -> Machine:
    nystroem = _sklearn("kernel_approximation").Nystroem(gamma=gamma, n_components=basis, random_state=seed)
    train, kept = rows.parts(0.1, seed)
    both = train.with_mirrors
    near = nystroem.fit(both.encoded()).transform(both.encoded())
    svm = _sklearn("svm").LinearSVC(dual=False, tol=1e-3, random_state=seed).fit(near, both.labels)
    logistic = _sklearn("linear_model").LogisticRegression()
    kept = kept.with_mirrors
    logistic.fit(svm.decision_function(nystroem.transform(kept.encoded())), kept.labels)
    return Machine(
        gamma, nystroem.components_, nystroem.normalization_.T @ svm.coef_.T, svm.intercept_,
        logistic.coef_.T, logistic.intercept_,
    )  # fmt: skip


def train_best(rows: Rows, output: Path, seed: int, tell: Tell, epochs: int = 40, side: bool = True) -> Outcome:
    """A residual tower; half a minute on a graphics card, hours without one."""
    from hansu.learn import tower

    train, test = rows.parts(TEST_SHARE, seed)
    both = train.with_mirrors
    curve = Curve("best", "epochs")
    shape = tower.Shape(planes=5, columns=7, rows=6, classes=len(data.RESULTS))
    schedule = tower.Schedule(epochs=epochs, seed=seed)
    held_back = test.encoded("planes"), test.labels
    trained = tower.fit(shape, schedule, both.encoded("planes"), both.labels, held_back, curve, tell)
    outcome = Outcome()
    found = measured(lambda inputs: tower.chances(trained, inputs), test, 3, "planes")
    outcome.add(f"best (tower of {shape.blocks} blocks, {shape.channels} channels)", found)
    outcome.curves.append(curve)
    tower.write(trained, output, features.mirror_inputs("planes"), notes_for("planes"))
    outcome.model = output
    return outcome


def _sklearn(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"sklearn.{module}")
    except ImportError:
        raise HansuError("this recipe needs scikit-learn", "pip install 'hansu[train]'") from None


read = Rows.read
RECIPES = {"mlp": train_mlp, "svm": train_svm, "best": train_best}
