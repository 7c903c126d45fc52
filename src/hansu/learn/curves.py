"""Learning curves as a picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hansu.core.optional_imports import require


@dataclass
class Curve:
    """A measure on training rows and on held-out rows, over epochs or over the number of rows."""

    name: str
    unit: str
    measure: str = "accuracy"
    steps: list[float] = field(default_factory=list)
    train: list[float] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)

    def add(self, step: float, train: float, held_out: float) -> None:
        self.steps.append(step)
        self.train.append(train)
        self.held_out.append(held_out)


def draw(curves: list[Curve], path: Path) -> None:
    """Plot one panel per curve, as SVG or PNG depending on the file's name."""
    matplotlib = require("matplotlib", "plot")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(curves), figsize=(5 * len(curves), 3.6), squeeze=False)
    for panel, curve in zip(axes[0], curves, strict=True):
        panel.plot(curve.steps, curve.train, marker=".", label="training")
        panel.plot(curve.steps, curve.held_out, marker=".", label="held out")
        panel.set(title=curve.name, xlabel=curve.unit, ylabel=curve.measure)
        panel.grid(alpha=0.3)
        panel.legend()
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
