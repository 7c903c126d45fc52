"""A trained network: an ONNX file that onnxruntime evaluates in batches. Playing does not need torch or scikit-learn.

The inputs and outputs of a policy and value network:

    planes   float32[rows, planes, height, width]   the game's `planes`
    policy   float32[rows, actions]                 logits
    value    float32[rows, 3]                       probabilities of win, draw and loss for the mover

Further outputs are ignored. The file's metadata (`notes`) has `game` (the name with its settings) and facts about the
training (run, step, kind, ...).

The default network of a built-in game is named after the game, in the folder `models` next to the rules:
`games/models/tictactoe.onnx`. Other networks of the game lie in the same folder. The network of a game file has the
same path with the ending `.onnx`: `nim.onnx` for `nim.py`.
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
from hansu.core.onnx_runtime import onnxruntime
from hansu.core.position import Position

Shape = tuple[int, ...]
_LIBRARY = re.compile(
    r"^\[ONNXRuntimeError\] : \d+ : \w+ : (Load model from .* failed: ?)?"
)  # the prefix of its error messages


def plane_shape(game: Game, like: State) -> Shape:
    """The shape of the game's planes, (planes, height, width)."""
    return game.plane_shape or (len(flat(like)), 1, 63)


class Network:
    """`network(batch)` returns the named outputs as a tuple, or the array itself if there is only one.

    `inputs` and `outputs` give the shape of each without the batch axis. `notes` is the metadata of the file.
    """

    def __init__(
        self, path: Path, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape], threads: int = 1
    ) -> None:  # fmt: skip
        runtime = onnxruntime()
        if not path.is_file():
            raise HansuError("there is no model file {path}", _other_file(path), path=path)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads  # on small batches more threads only wait for each other
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has its own exception class for every kind of damage
            gist = _LIBRARY.sub("", str(error).partition("\n")[0]).strip() or type(error).__name__
            raise HansuError(
                "{path} is not an ONNX model that can be loaded: {gist}", _other_file(path), path=path, gist=gist
            ) from None
        self.path = path
        self.notes: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        self._check(inputs, self._session.get_inputs())
        self._check(outputs, self._session.get_outputs())
        (self._input,) = inputs
        self._outputs = list(outputs)

    def _check(self, expected: Mapping[str, Shape], tensors: Any) -> None:
        """Raise HansuError unless the file has tensors of these names and shapes. A dynamic size fits any."""
        shapes = {one.name: one.shape[1:] for one in tensors}
        for name, shape in expected.items():
            size = shapes.get(name)
            fits = size is not None and len(size) == len(shape)
            if fits and all(a == b or not isinstance(a, int) for a, b in zip(size or (), shape, strict=True)):
                continue
            raise HansuError(
                "{path} is a network of another shape: it has {shapes}",
                "expected: {name} {sizes}",
                path=self.path,
                shapes=", ".join(f"{name} {size}" for name, size in shapes.items()),
                name=name,
                sizes=list(shape),
            )

    def __call__(self, batch: Any) -> Any:
        """Evaluate a batch, [rows, ...]."""
        outputs = self._session.run(self._outputs, {self._input: batch})
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _other_file(path: Path) -> Message:
    """The hint for a file that is not an ONNX model. A training without `onnx` leaves an .npz file to export."""
    arrays = path / "champion.npz" if path.is_dir() else path.with_suffix(".npz")
    if arrays.is_file():
        return Message(
            "create its ONNX file with `hansu train --export {arrays}`, which needs pip install 'hansu[train]'",
            arrays=arrays,
        )
    return Message("name a file written by `hansu train`, or leave the option out to use the game's network")


def game_network(path: Path, position: Position, threads: int = 1, kind: type[Network] = Network) -> Network:
    """Load a policy and value network for the board of a position."""
    game, like = position.game, position.state
    network = kind(
        path, {"planes": plane_shape(game, like)}, {"policy": (int(action_count(like)),), "value": (3,)}, threads
    )
    trained_for = network.notes.get("game", game.name).partition(":")[0]
    if trained_for != game.name:
        raise HansuError(
            "{path} is a network for {other}, not for {name}", "name a network trained for {name}", path=path,
            other=trained_for, name=game.name,
        )  # fmt: skip
    return network


def shipped(game: Game, name: str = "") -> Path | None:
    """The path of the network that comes with a game, or of the one called `name`; None if there is no such file."""
    if game.path:
        path = Path(game.path).with_suffix(".onnx") if not name else Path(game.path).with_name(f"{name}.onnx")
    else:
        rules = getattr(sys.modules.get(game.state.__module__), "__file__", None)
        if rules is None:
            return None
        path = Path(rules).parent / "models" / f"{name or game.name}.onnx"
    return path if path.is_file() else None


def network_of(position: Position, kind: type[Network] = Network) -> Network | None:
    """The network that comes with a game, or None if there is none for this board."""
    path = shipped(position.game)
    if path is None:
        return None
    try:
        return game_network(path, position, kind=kind)
    except HansuError as error:
        if "another shape" in error.what:  # a board of another size
            return None
        raise
