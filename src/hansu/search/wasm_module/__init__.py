"""A game as a WebAssembly module with a JavaScript wrapper, for people who build their own page.

    write_module(game, Path("my_page"))

writes `NAME.wasm`, `NAME.js`, `NAME.d.ts` and a README into the folder. The wrapper needs no
library, and no server but one that serves files; it runs in browsers and in Node.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np

from hansu.compile.memory_image import MemoryImage
from hansu.compile.wasm import module
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.generic import CHANCE, legal, mover, next_action, over, play, probability, score
from hansu.core.options import did_you_mean
from hansu.search.mcts import new_tree
from hansu.search.object_state import needs_object_state
from hansu.search.wasm_module.tree_search import action_of_child, child_count, search, value_of_child, visits_of_child

HERE = Path(__file__).parent
START = 1 << 20  # where the wrapper's memory begins; the module's own constants lie below
MAX_NODES = 1 << 16
WATCH_WORDS = 4096
TREE = ("search", "child_count", "action_of_child", "visits_of_child", "value_of_child")
FUNCTIONS = {
    "legal": ("legal", "next_action"),
    "play": ("play", "over", "legal"),
    "over": ("over",),
    "score": ("score",),
    "mover": ("mover",),
    "probability": ("probability",),
    "best_move": ("over", *TREE),
}
"""What can be asked for, and what the module must export for it."""


def write_module(game: Game, folder: Path, functions: Sequence[str] = ()) -> list[Path]:
    """Write the module, its wrapper, types and README into a new or empty folder; the files that were written.

    `functions` are some of FUNCTIONS; all of them if none is named.
    """
    for name in functions:
        if name not in FUNCTIONS:
            raise HansuError("there is no function {name!r}", did_you_mean(name, FUNCTIONS, "functions"), name=name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):  # before the work
        raise HansuError("{folder} is not an empty folder", "name a new folder: -o FOLDER", folder=folder)
    if needs_object_state(game.first.state):
        raise HansuError(
            "{name} cannot be compiled: its state is not a NamedTuple of integers",
            "docs/tutorial/your_own_game.md shows such a state",
            name=game.name,
        )
    code, facts = _module(game, {export for name in functions or FUNCTIONS for export in FUNCTIONS[name]})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = {
            f"{game.name}.wasm": code,
            f"{game.name}.js": _filled("wrapper.js", game, facts),
            f"{game.name}.d.ts": _filled("wrapper.d.ts", game, facts),
            "README.md": _filled("README.md", game, facts),
        }
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise HansuError("cannot write into {folder}: {reason}", folder=folder, reason=error.strerror) from None
    return [folder / name for name in files]


def _module(game: Game, exports: Set[str]) -> tuple[bytes, dict[str, Any]]:
    """The module, and what the wrapper must know: where things lie in memory, and the first position."""
    position = game.first
    s = position.state
    tree, seed = new_tree(MAX_NODES), np.array([1], np.int64)
    known: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "legal": (legal, (s, 0)),
        "next_action": (next_action, (s, 0)),
        "play": (play, (s, 0)),
        "over": (over, (s,)),
        "score": (score, (s,)),
        "mover": (mover, (s,)),
        "probability": (probability, (s, 0)),
        "search": (search, (s, tree.handle, 1, 1.0, 1.0, 1, seed, 0)),
        "child_count": (child_count, (tree.handle,)),
        "action_of_child": (action_of_child, (tree.handle, 0)),
        "visits_of_child": (visits_of_child, (tree.handle, 0)),
        "value_of_child": (value_of_child, (tree.handle, 0)),
    }
    code = module({name: known[name] for name in known if name in exports}, type(s))
    tree.scale[:] = 0  # the wrapper computes it
    image = MemoryImage(START)
    state = image.state(position)
    words = image.words_of(state)
    facts: dict[str, Any] = {
        "seats": [str(seat) for seat in game.seats],
        "unit": game.score_range,
        "start": [str(word) for word in words],
        "state": state,
        "after": image.place(np.zeros(len(words), np.int64)),
    }
    if "search" in exports:
        arrays = [v for k, v in vars(tree).items() if isinstance(v, np.ndarray) and k != "_words"]
        facts["tree"] = {
            "tree": image.row(tree._words, arrays),
            "scale": image.address_of(tree.scale),
            "scaleLength": len(tree.scale),
            "seed": image.place(seed),
            "watch": image.place(np.zeros(WATCH_WORDS, np.int64)),
            "watchBytes": 8 * WATCH_WORDS,
        }
    facts["end"] = image.end
    facts["memory"] = [[at, base64.b64encode(content).decode()] for at, content in image.parts()]
    return code, facts


def _filled(template: str, game: Game, facts: dict[str, Any]) -> bytes:
    text = (HERE / template).read_text(encoding="utf-8")
    parts = {"name": game.name, "title": str(game.title), "chance": str(CHANCE), "facts": json.dumps(facts)}
    for name, value in parts.items():
        text = text.replace("{" + name + "}", value)
    return text.encode()
