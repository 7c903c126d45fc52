"""A trained network, kept as an ONNX file and run by onnxruntime in batches. Torch and scikit-learn are not needed
to play.

Inputs and outputs have names. The network of a guided search:

    planes   float32[rows, planes, height, width]   what the game's `planes` writes
    policy   float32[rows, actions]                 logits
    value    float32[rows, 3]                       probabilities of win, draw and loss for the mover

and perhaps more, which is not asked for. The file has `notes`: `game` (the name with its settings), and what the
trainer says of it (run, step, kind, ...).

A game's own network lies in the folder `models` beside the file of its rules, and is called as the game:
`games/models/tictactoe.onnx`; others may lie there under names of their
own. For a game by path it is the file beside it with the ending `.onnx`: `nim.onnx` for `nim.py`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hansu.core.bits import flat
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.generic import State, action_count
from hansu.core.message import Message
from hansu.core.position import Position

Shape = tuple[int, ...]
_LIBRARY = re.compile(r"^\[ONNXRuntimeError\] : \d+ : \w+ : (Load model from .* failed: ?)?")  # before what is wrong


def plane_shape(game: Game, like: State) -> Shape:
    """The shape of what `planes` writes for a game."""
    return game.plane_shape or (len(flat(like)), 1, 63)


class Network:
    """Answers batches: `network(batch)` gives the outputs that were asked for, in their order (one alone: itself).
    `notes` are the file's own remarks."""

    def __init__(self, path: Path, takes: Mapping[str, Shape], gives: Mapping[str, Shape], threads: int = 1) -> None:
        import onnxruntime

        if not path.is_file():
            raise HansuError("there is no model file {path}", _other_file(path), path=path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads  # with small batches more than one would only wait for each other
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises classes of its own for every kind of damage
            gist = _LIBRARY.sub("", str(error).partition("\n")[0]).strip() or type(error).__name__
            raise HansuError(
                "{path} is no ONNX model that can be played: {gist}", _other_file(path), path=path, gist=gist
            ) from None
        self.path = path
        self.notes: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        self._check("takes", takes, self._session.get_inputs())
        self._check("gives", gives, self._session.get_outputs())
        (self._input,) = takes
        self._outputs = list(gives)

    def _check(self, verb: str, wanted: Mapping[str, Shape], found: Any) -> None:
        """Are the names there, with these shapes? A size that the file leaves open fits any."""
        shapes = {one.name: one.shape[1:] for one in found}
        for name, shape in wanted.items():
            given = shapes.get(name)
            fits = given is not None and len(given) == len(shape)
            if fits and all(a == b or not isinstance(a, int) for a, b in zip(given or (), shape, strict=True)):
                continue
            told, sizes = ", ".join(f"{name} {size}" for name, size in shapes.items()), list(shape)
            raise HansuError(
                "{path} is a model of another shape: it {verb} {told} for each position",
                "wanted here: {name} {sizes}",
                path=self.path,
                verb=verb,
                told=told,
                name=name,
                sizes=sizes,
            )

    def __call__(self, batch: Any) -> Any:
        answers = self._session.run(self._outputs, {self._input: batch})
        return answers[0] if len(answers) == 1 else tuple(answers)


def _other_file(path: Path) -> Message:
    """What to do about a file that is no model: make one of the arrays that a training without `onnx` left, or name
    another."""
    arrays = path / "champion.npz" if path.is_dir() else path.with_suffix(".npz")
    if arrays.is_file():
        return Message(
            "its ONNX file is made by hansu train --export {arrays}, which needs: pip install 'hansu[train]'",
            arrays=arrays,
        )
    return Message("name a file that `hansu train` wrote, or leave it out for the game's own")


def game_network(path: Path, position: Position, threads: int = 1, kind: type[Network] = Network) -> Network:
    """A policy and value network for a position's board."""
    game, like = position.game, position.state
    network = kind(
        path, {"planes": plane_shape(game, like)}, {"policy": (int(action_count(like)),), "value": (3,)}, threads
    )
    made_for = network.notes.get("game", game.name).partition(":")[0]
    if made_for != game.name:
        raise HansuError(
            "{path} is a network of {made_for}", "wanted here: {name}", path=path, made_for=made_for, name=game.name
        )
    return network


def shipped(game: Game, name: str = "") -> Path | None:
    """The file of the network that comes with a game, if there is one; or of another one of that name."""
    if game.path:
        beside = Path(game.path).with_suffix(".onnx") if not name else Path(game.path).with_name(f"{name}.onnx")
    else:
        rules = getattr(sys.modules.get(game.state.__module__), "__file__", None)
        if rules is None:
            return None
        beside = Path(rules).parent / "models" / f"{name or game.name}.onnx"
    return beside if beside.is_file() else None


def network_of(position: Position, kind: type[Network] = Network) -> Network | None:
    """The network that comes with a game; none where there is none for this board."""
    path = shipped(position.game)
    if path is None:
        return None
    try:
        return game_network(path, position, kind=kind)
    except HansuError as error:
        if "another shape" in error.what:  # a board of another size
            return None
        raise
