"""A trained network as a file: the weights as plain arrays (`.npz`) to go on from, and ONNX beside it to play with.

Machines that train need not have the library that writes ONNX: `export_champion` does it later, from the arrays. A
training can begin with either file, so also with the networks that come with hansu.
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
from hansu.learn.networks import built_as, description, parameter_count, torch, unfold
from hansu.learn.run import Run, read_arrays, save_arrays
from hansu.search.network_file import weights


def can_write_onnx() -> bool:
    return find_spec("onnx") is not None


def notes_of(network: Any, game: str, told: Mapping[str, Any]) -> dict[str, str]:
    """What a network's file says of itself."""
    shape = network.shape
    return {
        "game": game, "network": network.named, "planes": f"{shape.planes},{shape.height},{shape.width}",
        "actions": str(shape.actions), "parameters": str(parameter_count(network)),
        "described": json.dumps(description(network)),
        **{key: str(value) for key, value in told.items()},
    }  # fmt: skip


def save_network(path: Path, network: Any, notes: Mapping[str, str]) -> None:
    """The arrays, and ONNX beside them where it can be written."""
    arrays = {f"network/{name}": value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    save_arrays(path, arrays, {"described": description(network), "notes": dict(notes)})
    if can_write_onnx():
        from hansu.learn.export import write_network

        write_network(network, path.with_suffix(".onnx"), notes)


def how_to_play(path: Path) -> Message | None:
    """What is left to do before a saved network can play; None where its ONNX file lies beside it and is as new."""
    if not path.is_file() or (can_write_onnx() and path.with_suffix(".onnx").is_file()):
        return None
    what = Message("{path} is to go on from; to play, make its ONNX file: hansu train --export {path}", path=path)
    if can_write_onnx():
        return what
    return Message("{what} (after pip install 'hansu[train]': onnx is not installed)", what=what)


def load_network(path: Path) -> tuple[Any, dict[str, str]]:
    """The network of a `.npz` file, and its notes."""
    if not path.is_file():
        raise not_there(path)
    try:
        arrays, facts = read_arrays(path)
    except HansuError as error:
        hint = Message("a file of a network is wanted: hansu train GAME supervised, or alphazero, writes one")
        raise HansuError(error.what, hint) from None
    try:
        network = built_as(facts["described"])
        network.load_state_dict({name: torch.from_numpy(arrays[f"network/{name}"]) for name in network.state_dict()})
        notes = {str(key): str(value) for key, value in facts["notes"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RuntimeError) as error:
        raise HansuError(f"{path} holds no network: {(str(error).splitlines() or ['?'])[0]}") from None
    return network.eval(), notes


def begin_with(path: Path, view: Encoding) -> Any:
    """The network of a file (`.npz` or `.onnx`), to go on from with the game of a view."""
    network, notes = read_onnx(path, view) if path.suffix == ".onnx" else load_network(path)
    if network.shape != view.shape:
        game = notes.get("game", "?")
        raise HansuError(
            "{path} is a network of {game}, of another shape", f"{network.shape} - {view.shape}", path=path, game=game
        )
    return network


def read_onnx(path: Path, view: Encoding) -> tuple[Any, dict[str, str]]:
    """The network of a file that `write_network` made, as it was before its normalisations were folded in; of one in
    whole numbers, as near to it as those are."""
    onnx = require("onnx")
    if not path.is_file():
        raise not_there(path)
    try:
        model = onnx.load(str(path))
        notes = {entry.key: entry.value for entry in model.metadata_props}
        network = built_as(json.loads(notes["described"]))
        plain = {name: torch.tensor(values) for name, values in weights(model).items()}
        if network.shape == view.shape:
            unfold(network, plain, torch.from_numpy(view.examples))
    except HansuError:
        raise
    except Exception as error:  # a damaged file makes onnx raise classes of its own
        gist = (str(error).splitlines() or ["?"])[0]
        raise HansuError(
            "{path} holds no network that can be trained on: {gist}",
            "give a file that a training of hansu wrote",
            path=path,
            gist=gist,
        ) from None
    return network, notes


def export_champion(folder: Path) -> Path:
    """Write `champion.onnx` of a run (or of any `.npz` with a network) from its arrays."""
    source = folder if folder.suffix == ".npz" else Run(folder).champion
    if not source.is_file():
        raise HansuError("there is no champion in {folder} yet", "name the folder of a run", folder=folder)
    from hansu.learn.export import write_network

    network, notes = load_network(source)
    path = source.with_suffix(".onnx")
    write_network(network, path, notes)
    return path
