"""The exported files for Kaggle: they need no hansu, agree with the solver and onnxruntime, and play in Kaggle's
environment."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Run

from hansu.core import registry
from hansu.core.reading import arrays_of
from hansu.games.connect_four.kaggle import network as alone
from hansu.games.connect_four.kaggle import solver as agent
from hansu.games.connect_four.kaggle.export import NETWORK, PLAYERS, packed, submission, weights
from hansu.games.connect_four.rules import four, planes
from hansu.games.connect_four.solver.book import OpeningBook
from hansu.games.connect_four.solver.engine import SolverSearcher, new_table
from hansu.games.connect_four.solver.repertoire import SHIPPED, STONES, column_of
from hansu.games.connect_four.solver.standard_board import drop, read_columns, wins_now
from hansu.search.network import Network

AGES = 3600.0  # seconds: more than any machine needs

ALONE = """
import json, sys
scope = {}
exec(open(sys.argv[1]).read(), scope)
last = [each for each in scope.values() if callable(each)][-1]  # the function that Kaggle calls
boards = json.loads(sys.argv[2])
print(json.dumps([last({"board": board, "mark": mark}, {"columns": 7}) for board, mark in boards]))
assert not {"hansu", "numba", "onnxruntime"} & set(sys.modules)
"""


def board(columns: str) -> tuple[list[int], int]:
    """Kaggle's board (row by row from the top) and the mark of the side to move."""
    cells, heights = [0] * 42, [0] * 7
    for number, letter in enumerate(columns):
        column = int(letter) - 1
        cells[(5 - heights[column]) * 7 + column] = 1 + number % 2
        heights[column] += 1
    return cells, 1 + len(columns) % 2


@pytest.fixture(scope="module", params=PLAYERS)
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported file of each player, with little time per move."""
    path = tmp_path_factory.mktemp("kaggle") / f"{request.param}.py"
    path.write_text(submission(request.param, 0.2), encoding="utf-8")
    return path


def test_the_file_needs_no_hansu(file: Path, tmp_path: Path) -> None:
    """The centre first; wins in a column and in a row; a block; replies and their mirror images. In quiet positions the
    solver's move has the book's score."""
    lines = ["", "121212", "445566", "12131", "4", "2", "6", "1", "7"]
    words = [sys.executable, "-I", "-c", ALONE, str(file), json.dumps([board(line) for line in lines])]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    columns = json.loads(done.stdout)
    book = OpeningBook()
    for line, column in zip(lines, columns, strict=True):
        mine, mask = read_columns(line)
        if winning := wins_now(mine, mask):
            assert drop(mask, column) & winning, line
        elif threats := wins_now(mine ^ mask, mask):
            assert drop(mask, column) & threats, line
        elif file.stem == "solver":
            known, after = book.look(mine, mask), book.look(mine ^ mask, mask | drop(mask, column))
            assert known is not None and after is not None and known[0] == -after[0], line
        else:
            assert line or column == 3


@pytest.fixture(scope="module")
def network() -> alone.Network:
    return alone.Network(weights(NETWORK))


def test_the_network_equals_onnxruntime(network: alone.Network) -> None:
    rng = random.Random(1)
    positions = [unfinished(rng, stones) for stones in range(0, 36, 2)]
    planes = alone.planes_of(positions)
    shipped = Network(NETWORK, {"planes": (2, 6, 7)}, {"policy": (7,), "value": (3,)})
    for ours, expected in zip(network(planes), shipped(planes), strict=True):
        assert np.allclose(ours, expected, atol=1e-4)
    packed_network = alone.Network(dict(np.load(io.BytesIO(packed(weights(NETWORK))))))
    assert all(map(np.array_equal, network(planes), packed_network(planes)))


def test_planes_equal_the_games() -> None:
    game, out = registry.game("connect_four"), np.zeros((2, 6, 7), np.float32)
    at = game.position("4435261")
    planes(at.state, out)
    assert np.array_equal(alone.planes_of([(at.state.mine, at.state.mine | at.state.theirs)])[0], out)


def test_the_guided_search(network: alone.Network) -> None:
    """Every leaf counts once at the root, values stay in range, and the search finds a win in three plies."""
    search = alone.Search(network, *read_columns("4455"))  # 3 or 6 makes an open three
    for _ in range(10):
        search.grow()
    root = search.root
    assert sum(root.visits) == 10 * alone.BATCH_SIZE
    assert all(abs(total) <= visits for total, visits in zip(root.totals, root.visits, strict=True))
    assert search.best() in (2, 5)


def test_the_network_player_sees_immediate_wins(network: alone.Network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "_NETWORK", [network])
    rng = random.Random(3)
    for stones in range(6, 41, 2):
        mine, mask = unfinished(rng, stones)
        cell = drop(mask, alone.chosen_column(mine, mask, AGES, most=2))
        assert cell and not wins_now(mine ^ mask, mask | cell), (mine, mask)


def test_the_repertoire_covers_its_own_play() -> None:
    """From either seat, against any reply. Moves in book positions keep the book's score."""
    (keys, columns), book, rng = arrays_of(SHIPPED, "keys", "moves"), OpeningBook(), random.Random(2)
    moves = dict(zip(keys.tolist(), columns.tolist(), strict=True))
    for number in range(400):
        mine = mask = 0
        while mask.bit_count() <= STONES:
            ours = mask.bit_count() % 2 == number % 2
            if wins_now(mine, mask):
                break
            free = [column for column in range(7) if drop(mask, column)]
            column = column_of((mine, mask), moves) if ours else rng.choice(free)
            after = mine ^ mask, mask | drop(mask, column)
            if ours and mask.bit_count() < 8:
                now, then = book.look(mine, mask), book.look(*after)
                assert now is not None and then is not None and now[0] == -then[0]
            mine, mask = after


def unfinished(rng: random.Random, stones: int) -> tuple[int, int]:
    """A random position in which nobody can win at once and the mover has at least two safe moves."""
    while True:
        mine = mask = 0
        for _ in range(stones):
            cell = drop(mask, rng.choice([column for column in range(7) if drop(mask, column)]))
            mine, mask = mine ^ mask, mask | cell
            if four(mine ^ mask, 6):
                break
        else:
            safe = agent.safe_moves(mask, agent.wins(mine ^ mask))
            if not wins_now(mine, mask) and safe & safe - 1:
                return mine, mask


def sign(score: int) -> int:
    return (score > 0) - (score < 0)


def test_the_search_agrees_with_the_solver() -> None:
    searcher, rng = SolverSearcher(new_table(32)), random.Random(4)
    searcher.precompile()
    for stones in range(16, 41):
        for _ in range(8):
            mine, mask = unfinished(rng, stones)
            threats = agent.wins(mine ^ mask)
            value = agent.Search(float("inf")).value(
                mine, mask, stones, threats, agent.safe_moves(mask, threats), -agent.WIN, agent.WIN, agent.END
            )
            assert sign(value) == sign(searcher.score(mine, mask, weak=True)), (mine, mask)


def test_moves_keep_the_result() -> None:
    searcher, rng = SolverSearcher(new_table(32)), random.Random(5)
    searcher.precompile()

    def after(mine: int, mask: int, column: int) -> int:
        cell = drop(mask, column)
        if four(mine | cell, 6):
            return 1
        mine, mask = mine ^ mask, mask | cell
        return 0 if mask == agent.BOARD else -sign(searcher.score(mine, mask, weak=True))

    for stones in range(14, 41, 2):
        mine, mask = unfinished(rng, stones)
        column = agent.chosen_column(mine, mask, AGES)
        best = max(after(mine, mask, other) for other in range(7) if drop(mask, other))
        assert after(mine, mask, column) == best, (mine, mask)


def test_a_move_without_time() -> None:
    rng = random.Random(6)
    for stones in range(9, 40, 3):
        mine, mask = unfinished(rng, stones)
        assert drop(mask, agent.chosen_column(mine, mask, 0.0))


def test_the_command(hansu: Run, tmp_path: Path) -> None:
    words = ("export", "kaggle", "connect_four")
    done = hansu(*words, "--player", "solver", "--seconds", "0.5", "-o", "submission.py", cwd=tmp_path)
    assert done.returncode == 0 and "SECONDS = 0.5" in (tmp_path / "submission.py").read_text(encoding="utf-8")
    done = hansu(*words, "--player", "puct", "-o", "network.py", cwd=tmp_path)
    assert done.returncode == 0 and "class Network" in (tmp_path / "network.py").read_text(encoding="utf-8")
    for more, message in ((("-p", "mcts", "-o", "x.py"), "solver"), (("-o", "no/such/x.py"), "cannot write")):
        failed = hansu(*words, *more, cwd=tmp_path)
        assert failed.returncode == 2 and message in failed.stderr and "Traceback" not in failed.stderr


def kaggle_results(kaggle: Any, first: str, second: str) -> list[tuple[str, int]]:
    """The status and reward of both sides after a game in Kaggle's environment."""
    game = kaggle.make("connectx")
    game.run([first, second])
    return [(side.status, side.reward) for side in game.steps[-1]]


def test_it_plays_in_kaggles_environment(file: Path) -> None:
    kaggle = pytest.importorskip("kaggle_environments")
    assert kaggle_results(kaggle, str(file), "random") == [("DONE", 1), ("DONE", -1)]


@pytest.mark.long
@pytest.mark.parametrize("player", PLAYERS)
def test_it_wins_in_kaggles_environment(player: str, tmp_path: Path) -> None:
    """With the usual time per move."""
    kaggle = pytest.importorskip("kaggle_environments")
    path = tmp_path / "submission.py"
    path.write_text(submission(player), encoding="utf-8")
    for other in ("negamax", "random"):
        assert kaggle_results(kaggle, str(path), other) == [("DONE", 1), ("DONE", -1)], other
        assert kaggle_results(kaggle, other, str(path)) == [("DONE", -1), ("DONE", 1)], other
