"""The experiment of the original report with the UCI connect-4 data: who wins from a position of 8 stones?

The split keeps a position and its mirror image in the same part; mirror images are added to the training part. A
prediction is the mean of those for a position and for its mirror image.

    mlp    scikit-learn, hidden layers (50, 20); side experiments with (100, 50, 20), and with two classes
    svm    a support vector machine on Nystroem's approximation of a Gaussian kernel; a logistic regression on held-out
           rows turns its margins into probabilities
    best   a residual tower in torch, on planes of the board
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.optional_imports import require
from hansu.core.player import option
from hansu.games.connect_four import features
from hansu.games.connect_four.training import data
from hansu.learn.curves import Curve
from hansu.learn.metrics import Measures
from hansu.learn.onnx_writer import Chain
from hansu.learn.recipe import Job, Recipe, ResultTable, TrainingResult
from hansu.learn.split import split

TEST_SHARE = 0.2
REPORT = {
    "mlp": Measures(0.8337, 0.8658, 0.8337, 0.8473),
    "svm": Measures(0.7869, 0.8763, 0.7869, 0.8275),
}
SIDE = Message("also run the side experiments of the original report")
SEED = Message("random seed of the split and of the training")
EPOCHS = Message("epochs of training")
Log = Callable[[str], None]


def result_named(result: str) -> str:
    return {"win": Message("win"), "draw": Message("draw"), "loss": Message("loss")}[result]


class Comparison:
    """The rows of the results table, and the confusion matrix of each classifier."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, Measures]] = []
        self._confusions: list[ResultTable] = []
        self.curves: list[Curve] = []

    def add(self, name: str, m: Measures, classes: tuple[str, ...] = data.RESULTS) -> None:
        self._rows.append((name, m))
        if m.confusion:
            counts = tuple(
                (true, *(f"{n:,}" for n in row))
                for true, row in zip(map(result_named, classes), m.confusion, strict=True)
            )
            self._confusions.append(
                ResultTable((Message("{name}: true", name=name), *map(result_named, classes)), counts)
            )

    def outcome(self, model: Path) -> TrainingResult:
        rows = tuple(
            (name, *(f"{value:.4f}" for value in (m.accuracy, m.precision, m.recall, m.f1))) for name, m in self._rows
        )
        measures = ResultTable(
            (Message("classifier"), Message("accuracy"), Message("precision"), Message("recall"), "F1"), rows
        )
        return TrainingResult([measures, *self._confusions], self.curves, [model])


@dataclass(frozen=True)
class Rows:
    """Positions with their labels, which are indices of RESULTS."""

    x: Any  # int64[n]
    o: Any  # int64[n]
    labels: Any  # int8[n]

    @classmethod
    def read(cls, path: Path) -> Rows:
        cells, labels = data.read(path)
        return cls(features.words_of_cells(cells == 1), features.words_of_cells(cells == 2), labels)

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Any) -> Rows:
        return Rows(self.x[rows], self.o[rows], self.labels[rows])

    @property
    def groups(self) -> Any:
        """int64[n]: the same number for both positions of a mirror pair."""
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
        decided = self.take(self.labels != data.RESULTS.index("draw"))
        return Rows(decided.x, decided.o, decided.labels // 2)  # win 0, loss 1

    def encoded(self, encoding: str = "stones") -> Any:
        return features.ENCODINGS[encoding](self.x, self.o)


def measured(chances: Callable[[Any], Any], rows: Rows, classes: int, encoding: str = "stones") -> Measures:
    """The measures of the mean prediction for each position and its mirror image."""
    inputs = rows.encoded(encoding)
    both = chances(inputs) + chances(inputs[:, features.mirror_inputs(encoding)])
    return Measures.of(rows.labels, both.argmax(1), classes)


def chain_for(encoding: str) -> Chain:
    """An ONNX file for this encoding whose output is the mean for a position and its mirror image."""
    return Chain(features.SIZES[encoding], features.mirror_inputs(encoding))


def notes_for(encoding: str) -> dict[str, str]:
    return {"encoding": encoding, "classes": ",".join(data.RESULTS)}


@dataclass
class MlpRecipe(Recipe):
    kind: ClassVar[str] = "mlp"
    about: ClassVar[str] = Message("a small neural network (scikit-learn), from the UCI data")
    epochs: int = option(40, EPOCHS, low=1)
    side: bool = option(True, SIDE)
    seed: int = option(1, SEED, low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("mlp.onnx"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        train, test = Rows.read(job.file).parts(TEST_SHARE, self.seed)
        output = job.target
        comparison = Comparison()
        comparison.add("mlp, the report's", REPORT["mlp"])
        model, curve = fit_mlp(train, test, (50, 20), self.seed, job.tell, self.epochs)
        comparison.add("mlp (50, 20)", measured(model.predict_proba, test, 3))
        comparison.curves.append(curve)
        if self.side:
            larger, curve = fit_mlp(train, test, (100, 50, 20), self.seed, job.tell, self.epochs)
            comparison.add("mlp (100, 50, 20)", measured(larger.predict_proba, test, 3))
            comparison.curves.append(curve)
            decided, decided_test = train.without_draws, test.without_draws
            two, curve = fit_mlp(decided, decided_test, (50, 20), self.seed, job.tell, self.epochs)
            comparison.add("mlp (50, 20), two classes", measured(two.predict_proba, decided_test, 2), ("win", "loss"))
            comparison.curves.append(curve)
        chain = chain_for("stones")
        for i, (weights, offsets) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
            chain.dense(weights, offsets)
            chain.then("Relu" if i < len(model.coefs_) - 1 else "Softmax")
        chain.write(output, len(data.RESULTS), notes_for("stones"))
        return comparison.outcome(output)


def fit_mlp(train: Rows, test: Rows, hidden: tuple[int, ...], seed: int, log: Log, epochs: int) -> tuple[Any, Curve]:
    """Train epoch by epoch with a falling learning rate, and record the learning curve."""
    MLPClassifier = require("sklearn.neural_network").MLPClassifier
    name = f"mlp {hidden}, {len(set(train.labels.tolist()))} classes"
    curve = Curve(name, "epochs")
    both = train.with_mirrors
    inputs, labels = both.encoded(), both.labels
    model = MLPClassifier(hidden, batch_size=min(256, len(labels)), max_iter=1, warm_start=True, random_state=seed)
    for epoch in range(epochs):
        model.set_params(learning_rate_init=2e-3 * (1 - epoch / epochs) + 2e-5, random_state=seed + epoch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a call is one epoch, which does not converge
            model.fit(inputs, labels)
        curve.add(epoch + 1, float(model.score(inputs, labels)), float(model.score(test.encoded(), test.labels)))
        log(f"{name}: epoch {epoch + 1} of {epochs}, {curve.held_out[-1]:.4f} on held-out rows")
    return model, curve


@dataclass(frozen=True)
class SupportVectorMachine:
    """A support vector machine on Nystroem's features: exp(-gamma |x - b|^2) for each position b of the `basis`, times
    `weights`, plus `offsets`, through a logistic regression."""

    gamma: float
    basis: Any  # float32[n, 84]
    weights: Any  # float64[n, classes]
    offsets: Any  # float64[classes]
    scale: Any  # float64[classes, classes]
    shift: Any  # float64[classes]

    def chances(self, inputs: Any) -> Any:
        """Class probabilities, float64[n, classes], of float32[n, 84]."""
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


@dataclass
class SvmRecipe(Recipe):
    kind: ClassVar[str] = "svm"
    about: ClassVar[str] = Message("a support vector machine, from the UCI data")
    basis: int = option(800, Message("number of Nystroem basis positions"), low=2)
    side: bool = option(True, Message("also plot accuracy over the number of training rows"))
    seed: int = option(1, SEED, low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("svm.onnx"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        train, test = Rows.read(job.file).parts(TEST_SHARE, self.seed)
        output = job.target
        comparison = Comparison()
        comparison.add("svm, the report's", REPORT["svm"])
        curve = Curve("svm", "training rows")
        for share in (0.1, 0.3, 1.0) if self.side else (1.0,):
            part = train.take(np.arange(round(share * len(train))))
            machine = fit_svm(part, self.seed, min(self.basis, len(part)))
            subset = part.take(np.arange(min(len(part), 5000)))
            here, there = (measured(machine.chances, rows, 3).accuracy for rows in (subset, test))
            curve.add(len(part), here, there)
            job.tell(f"svm: {len(part):,} rows, {there:.4f} on held-out rows")
        comparison.add(f"svm (Nystroem, {len(machine.basis)}, calibrated)", measured(machine.chances, test, 3))
        comparison.curves.append(curve)
        machine.write(output)
        return comparison.outcome(output)


def fit_svm(rows: Rows, seed: int, basis: int, gamma: float = 0.06) -> SupportVectorMachine:
    nystroem = require("sklearn.kernel_approximation").Nystroem(gamma=gamma, n_components=basis, random_state=seed)
    train, calibration = rows.parts(0.1, seed)
    both = train.with_mirrors
    near = nystroem.fit(both.encoded()).transform(both.encoded())
    svm = require("sklearn.svm").LinearSVC(dual=False, tol=1e-3, random_state=seed).fit(near, both.labels)
    logistic = require("sklearn.linear_model").LogisticRegression()
    calibration = calibration.with_mirrors
    logistic.fit(svm.decision_function(nystroem.transform(calibration.encoded())), calibration.labels)
    return SupportVectorMachine(
        gamma, nystroem.components_, nystroem.normalization_.T @ svm.coef_.T, svm.intercept_,
        logistic.coef_.T, logistic.intercept_,
    )  # fmt: skip


@dataclass
class BestRecipe(Recipe):
    kind: ClassVar[str] = "best"
    about: ClassVar[str] = Message(
        "a residual tower, from the UCI data; half a minute on a graphics card, hours without one"
    )
    epochs: int = option(40, EPOCHS, low=1)
    seed: int = option(1, SEED, low=0)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        return (Path("best.onnx"),)

    def train(self, game: Game, job: Job) -> TrainingResult:
        from hansu.learn import classifier

        train, test = Rows.read(job.file).parts(TEST_SHARE, self.seed)
        output = job.target
        both = train.with_mirrors
        curve = Curve("best", "epochs")
        shape = classifier.ClassifierShape(planes=5, columns=7, rows=6, classes=len(data.RESULTS))
        schedule = classifier.ClassifierSchedule(epochs=self.epochs, seed=self.seed)
        held_out = test.encoded("planes"), test.labels
        trained = classifier.fit(shape, schedule, both.encoded("planes"), both.labels, held_out, curve, job.tell)
        comparison = Comparison()
        measures = measured(lambda inputs: classifier.chances(trained, inputs), test, 3, "planes")
        comparison.add(f"best (tower of {shape.blocks} blocks, {shape.channels} channels)", measures)
        comparison.curves.append(curve)
        classifier.write(trained, output, features.mirror_inputs("planes"), notes_for("planes"))
        return comparison.outcome(output)


RECIPES = (MlpRecipe, SvmRecipe, BestRecipe)
