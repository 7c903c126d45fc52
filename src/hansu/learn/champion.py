"""A trained network as files: its weights as plain arrays (`.npz`) to continue training from, and ONNX to play with.

A training machine does not need the onnx library: `export_champion` writes the ONNX file later, from the arrays. A
training can start from either file, including the networks that come with hansu.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.file_errors import not_there
from hansu.core.message import Message
from hansu.core.optional_imports import require
from hansu.learn.encoding import Encoding
from hansu.learn.networks import description, from_description, parameter_count, torch, unfold
from hansu.learn.run import Run, read_arrays, save_arrays
from hansu.search.network_file import weights


def can_write_onnx() -> bool:
    return find_spec("onnx") is not None


def notes_of(network: Any, game: str, facts: Mapping[str, Any]) -> dict[str, str]:
    """The metadata of a network's file; `facts` are added."""
    shape = network.shape
    return {
        "game": game, "network": network.named, "planes": f"{shape.planes},{shape.height},{shape.width}",
        "actions": str(shape.actions), "parameters": str(parameter_count(network)),
        "described": json.dumps(description(network)),
        **{key: str(value) for key, value in facts.items()},
    }  # fmt: skip


def save_network(path: Path, network: Any, notes: Mapping[str, str]) -> None:
    """Write the arrays and, if onnx is installed, the ONNX file."""
    arrays = {f"network/{name}": value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    save_arrays(path, arrays, {"described": description(network), "notes": dict(notes)})
    if can_write_onnx():
        from hansu.learn.export import write_network

        write_network(network, path.with_suffix(".onnx"), notes)


def export_hint(path: Path) -> Message | None:
    """How to export a saved network for playing; None if its ONNX file was written with it."""
    if not path.is_file() or (can_write_onnx() and path.with_suffix(".onnx").is_file()):
        return None
    what = Message("{path} is a checkpoint, not a playable model; export it: hansu train --export {path}", path=path)
    if can_write_onnx():
        return what
    return Message("{what} (onnx is not installed: pip install 'hansu[train]')", what=what)


def load_network(path: Path) -> tuple[Any, dict[str, str]]:
    """The network of a `.npz` file, and its metadata."""
    if not path.is_file():
        raise not_there(path)
    try:
        arrays, facts = read_arrays(path)
    except HansuError as error:
        hint = Message("expected a network's file, as hansu train GAME alphazero or supervised writes")
        raise HansuError(error.what, hint) from None
    try:
        network = from_description(facts["described"])
        network.load_state_dict({name: torch.from_numpy(arrays[f"network/{name}"]) for name in network.state_dict()})
        notes = {str(key): str(value) for key, value in facts["notes"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RuntimeError) as error:
        gist = (str(error).splitlines() or ["?"])[0]
        raise HansuError("{path} does not contain a network: {gist}", path=path, gist=gist) from None
    return network.eval(), notes


def initial_network(path: Path, view: Encoding) -> Any:
    """The network of a file (`.npz` or `.onnx`), to continue training for the game of `view`."""
    network, notes = read_onnx(path, view) if path.suffix == ".onnx" else load_network(path)
    if network.shape != view.shape:
        game = notes.get("game", "?")
        raise HansuError(
            "{path} is a network of {game} with another shape", f"{network.shape} - {view.shape}", path=path, game=game
        )
    return network


def read_onnx(path: Path, view: Encoding) -> tuple[Any, dict[str, str]]:
    """The network and metadata of a file that `write_network` wrote, with separate normalizations again. A quantized
    network is dequantized."""
    onnx = require("onnx")
    if not path.is_file():
        raise not_there(path)
    try:
        model = onnx.load(str(path))
        notes = {entry.key: entry.value for entry in model.metadata_props}
        network = from_description(json.loads(notes["described"]))
        plain = {name: torch.tensor(values) for name, values in weights(model).items()}
        if network.shape == view.shape:
            unfold(network, plain, torch.from_numpy(view.examples))
    except HansuError:
        raise
    except Exception as error:  # onnx raises many kinds of exceptions for a damaged file
        gist = (str(error).splitlines() or ["?"])[0]
        raise HansuError(
            "{path} does not contain a trainable network: {gist}",
            "give a file that hansu train has written",
            path=path,
            gist=gist,
        ) from None
    return network, notes


def export_champion(folder: Path) -> Path:
    """Write `champion.onnx` of a run, or the ONNX file of any `.npz` network; returns its path."""
    source = folder if folder.suffix == ".npz" else Run(folder).champion
    if not source.is_file():
        raise HansuError("{folder} does not contain a champion yet", "name the folder of a run", folder=folder)
    from hansu.learn.export import write_network

    network, notes = load_network(source)
    path = source.with_suffix(".onnx")
    write_network(network, path, notes)
    return path
