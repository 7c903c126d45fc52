"""`hansu export wasm`: a module with its wrapper plays in Node by the same rules, and its search is the native one."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from support.commands import ROOT, Run
from support.wasm import NODE, built

from hansu.compile import compiled
from hansu.core import Control, HansuError, Position, registry
from hansu.search.chance import step_chance
from hansu.search.mcts import mcts, new_tree
from hansu.search.wasm_module import write_module

pytestmark = pytest.mark.skipif(NODE is None or shutil.which("wasm-ld") is None, reason="needs node and wasm-ld")

PLAY = """
import { load } from "./NAME.js";
const game = await load();
let state = game.start();
const seen = [];
for (const action of ACTIONS) {
  seen.push({ legal: game.legal(state), mover: game.mover(state), over: game.over(state) });
  state = game.play(state, action);
}
const search = game.over(state) ? null : game.bestMove(state, { simulations: 200, seed: 7, playoutPlies: 50 });
const score = game.over(state) ? game.score(state) : null;
console.log(JSON.stringify({ seen, over: game.over(state), score, search }));
"""


def node(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    assert NODE is not None
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "main.js").write_text(code)
    return subprocess.run([NODE, "main.js"], cwd=folder, capture_output=True, text=True, timeout=120)


def random_game(spec: str, plies: int) -> list[Position]:
    chance = random.Random(5)
    positions = [registry.game(spec).first]
    while not positions[-1].over and len(positions) <= plies:
        at = positions[-1]
        after = step_chance(at, chance)
        positions.append(after if after is not at else at.play(chance.choice(at.actions)))
    return positions


@pytest.mark.parametrize("spec", ["tictactoe", "triangles:points=6", str(ROOT / "examples" / "games" / "pig.py")])
def test_a_page_plays_by_the_same_rules(spec: str, tmp_path: Path) -> None:
    positions = random_game(spec, 12)
    game, last = positions[0].game, positions[-1]
    files = write_module(game, tmp_path / "page")
    assert [file.name for file in files] == [f"{game.name}.wasm", f"{game.name}.js", f"{game.name}.d.ts", "README.md"]
    code = PLAY.replace("NAME", game.name).replace("ACTIONS", json.dumps(list(last.history)))
    done = node(tmp_path / "page", code)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    for at, seen in zip(positions, answer["seen"], strict=False):
        assert (seen["legal"], seen["mover"], seen["over"]) == (list(at.actions), at.mover, False)
    assert answer["over"] == last.over
    if last.over:
        assert answer["score"] == last.score
        return
    tree, control, seed = new_tree(1 << 16), Control(), np.array([7], np.int64)
    s = last.state
    compiled(mcts, type(s))(s, tree.handle, 200, 1.0, game.score_range, 50, seed, control.address)
    children = range(int(tree.first[0]), int(tree.first[0] + tree.count[0]))
    wanted = [(int(tree.action[c]), int(tree.visits[c])) for c in children]
    assert [(move["action"], move["visits"]) for move in answer["search"]["moves"]] == wanted
    assert answer["search"]["action"] == max(wanted, key=lambda move: move[1])[0]


def test_what_a_page_gets_wrong_throws(tmp_path: Path) -> None:
    write_module(registry.game("tictactoe"), tmp_path / "page", ["legal", "play"])
    code = """
    import { load } from "./tictactoe.js";
    const game = await load();
    const state = game.start();
    const caught = [];
    for (const wrong of [() => game.play(state, 9), () => game.play([1], 0), () => game.bestMove(state)]) {
      try { wrong(); } catch (error) { caught.push(error.message); }
    }
    console.log(JSON.stringify(caught));
    """
    done = node(tmp_path / "page", code)
    assert done.returncode == 0, done.stderr
    illegal, foreign, missing = json.loads(done.stdout)
    assert illegal == "9 is not a legal action here" and "start() or play()" in foreign and "without" in missing


def test_bad_input_is_told_before_the_work(tmp_path: Path) -> None:
    game = registry.game("tictactoe")
    with pytest.raises(HansuError, match="did you mean 'legal'"):
        write_module(game, tmp_path / "page", ["legall"])
    (tmp_path / "file").write_text("")
    for folder in (tmp_path, tmp_path / "file"):
        with pytest.raises(HansuError, match="not an empty folder"):
            write_module(game, folder)
    assert not (tmp_path / "page").exists()


def test_the_command(hansu: Run, tmp_path: Path) -> None:
    done = hansu("export", "wasm", "tictactoe", "legal", "play", "-o", "page", cwd=tmp_path)
    assert done.returncode == 0 and "tictactoe.wasm" in done.stdout, done.stderr
    again = hansu("export", "wasm", "tictactoe", "-o", "page", cwd=tmp_path)
    assert again.returncode == 2 and "not an empty folder" in again.stderr and "Traceback" not in again.stderr
    missing = hansu("export", "wasm", "tictacto", cwd=tmp_path)
    assert missing.returncode == 2 and "did you mean" in missing.stderr


def test_the_module_is_small(tmp_path: Path) -> None:
    """The whole search of any game of the shelf is below 20 KB."""
    tree, seed = new_tree(64), np.array([1], np.int64)
    for path in sorted((ROOT / "examples" / "games").glob("*.py")):
        game = registry.game(str(path))
        s = game.first.state
        functions = {"mcts": (mcts, (s, tree.handle, 1, 1.0, 1.0, 200, seed, 0))}
        assert built(tmp_path / f"{game.name}.wasm", functions, type(s)).stat().st_size < 20_000
