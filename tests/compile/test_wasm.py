"""The WebAssembly target: every game's rules and the searches over them give in Node what they give natively."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from support.commands import ROOT
from support.wasm import NODE, START, built, run

from hansu.compile import compiled, wasm
from hansu.compile.memory_image import MemoryImage
from hansu.core import Control, Game, HansuError, registry
from hansu.core.control import NODES
from hansu.search.alphabeta import alphabeta
from hansu.search.chance import step_chance
from hansu.search.mcts import mcts, new_tree
from hansu.search.perft import perft
from hansu.search.playout import playout
from hansu.search.tree import Tree

SHELF = sorted(str(path) for path in (ROOT / "examples" / "games").glob("*.py"))
GAMES = [*registry.names(), *SHELF]
DEPTHS = {"pacman": 2, "renju": 1, "ataxx": 3}
SIMULATIONS, PLIES = 300, 200

pytestmark = pytest.mark.skipif(NODE is None, reason="there is no node")


def visits(tree: Tree) -> list[tuple[int, int, float]]:
    """What a tree knows of each root move."""
    children = range(int(tree.first[0]), int(tree.first[0] + tree.count[0]))
    return [(int(tree.action[c]), int(tree.visits[c]), float(tree.mean[c])) for c in children]


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: Path(spec).stem)
def test_searches_equal_the_native_ones(spec: str, tmp_path: Path) -> None:
    game: Game = registry.game(spec)
    position = step_chance(game.first, random.Random(1))
    s, unit = position.state, game.score_range
    depth = DEPTHS.get(Path(spec).stem, 3)
    seed = np.array([12345], np.int64)
    tree, control = new_tree(1 << 12), Control()
    functions = {
        "perft": (perft, (s, 1)),
        "playout": (playout, (s, seed, PLIES)),
        "alphabeta": (alphabeta, (s, 1, False, -1.0, 1.0, True, 0, 0)),
        "mcts": (mcts, (s, tree.handle, 1, 1.0, unit, PLIES, seed, 0)),
    }
    path = built(tmp_path / "game.wasm", functions, type(s))

    image = MemoryImage(START)
    state, seeds, again = image.state(position), image.place(seed), image.place(seed.copy())
    words = [image.place(np.zeros(4096, np.int64)) for _ in range(2)]
    handle = image.row(tree._words, [v for k, v in vars(tree).items() if isinstance(v, np.ndarray) and k != "_words"])
    calls = [
        ("perft", (state, depth)),
        *[("playout", (state, seeds, PLIES))] * 20,
        ("alphabeta", (state, depth, 0, -1e300, 1e300, 1, 0, words[0])),
        ("mcts", (state, handle, SIMULATIONS, 1.0, unit, PLIES, again, words[1])),
    ]
    kept = [root_of(tree.first), root_of(tree.mean)]
    read = [(words[0], 64), *((image.address_of(array), array.nbytes) for array in kept)]
    results, (counts, *columns) = run(path, image, calls, read)

    assert results[0] == compiled(perft, type(s))(s, depth)
    assert results[1:21] == [compiled(playout, type(s))(s, seed, PLIES) for _ in range(20)]
    assert results[21] == compiled(alphabeta, type(s))(s, depth, False, -1e300, 1e300, True, 0, control.address)
    assert np.frombuffer(counts, np.int64)[NODES] == control.nodes
    for array, content in zip(kept, columns, strict=True):
        array[:] = np.frombuffer(content, array.dtype)
    native, watcher = new_tree(1 << 12), Control()
    seed[0] = 12345
    compiled(mcts, type(s))(s, native.handle, SIMULATIONS, 1.0, unit, PLIES, seed, watcher.address)
    assert visits(tree) == visits(native) and sum(count for _, count, _ in visits(native)) > SIMULATIONS / 2


def root_of(array: np.ndarray) -> np.ndarray:
    """The array that a view looks into."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def test_a_missing_linker_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm.shutil, "which", lambda name: None)
    monkeypatch.setattr(wasm, "find_spec", lambda name: None)
    with pytest.raises(HansuError) as caught:
        wasm.find_linker()
    assert "hansu[export]" in caught.value.hint


def test_a_linker_that_fails_is_reported() -> None:
    with pytest.raises(HansuError, match="failed"):
        wasm.link(b"no object", ["f"], wasm.find_linker())
