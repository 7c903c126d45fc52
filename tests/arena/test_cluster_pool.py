"""Events on a Ray cluster: same games as on one machine, one store, clear errors."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.commands import Run

from hansu import Game
from hansu.arena.adjudication import Adjudication
from hansu.arena.cluster_pool import QUEUED_PAIRS, ClusterPool, Setting, check_players, play_task
from hansu.arena.contestant import read_contestants
from hansu.arena.game_row import GameRow
from hansu.arena.game_transfer import PackedGame
from hansu.arena.openings import Opening, RandomOpenings
from hansu.arena.pool import Pool, event_message, task_message
from hansu.arena.runner import PairTask, TaskResult
from hansu.arena.schedule import RoundRobin
from hansu.arena.store import Store
from hansu.arena.tournament import Tournament
from hansu.core import HansuError, registry
from hansu.core.ray_session import joined

TOE = registry.game("tictactoe")
PLAYERS = ["random:seed=1", "casual:seed=2", "minimax"]


class FakeRay:
    """The part of Ray that a pool needs. Tasks run in this process when they are waited for, unless `lost`."""

    def __init__(self, cores: float = 2.0) -> None:
        self.cores, self.lost = cores, False
        self.exceptions = SimpleNamespace(RayError=ConnectionError)

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": self.cores, "memory": 1.0}

    def put(self, thing: Any) -> Any:
        return thing

    def remote(self, **options: Any) -> Any:
        assert options["num_cpus"] == 1
        return lambda function: SimpleNamespace(remote=lambda *words: _Later(function, words))

    def wait(self, references: list[Any], num_returns: int, timeout: float | None) -> tuple[list[Any], list[Any]]:
        return references[:num_returns], references[num_returns:]

    def get(self, reference: _Later) -> Any:
        if self.lost:
            raise ConnectionError("the machine is gone")
        return reference.function(*reference.words)


class _Later:
    def __init__(self, function: Any, words: Any) -> None:
        self.function, self.words = function, words


def pool_of(ray: FakeRay, names: list[str], game: Game = TOE, workers: int | None = None) -> ClusterPool:
    return ClusterPool(ray, game, read_contestants(names, game), workers)


def results(store: Store, game: Game, names: list[str], pool: Any) -> list[tuple[Any, ...]]:
    """Play three pairs of games per pair of players. Returns the games."""
    who = read_contestants(names, game)
    event = Tournament(store, game, who, RoundRobin(len(who), 3), RandomOpenings(game, 2, 1), 1)
    for _ in event.play(pool):
        pass
    known = store.players()
    return sorted(
        (one.slot, known[one.first].name, known[one.second].name, one.outcome, *store.record(one.id)["moves"])
        for one in store.games()
    )


def test_games_of_a_cluster_are_those_of_a_pool(tmp_path: Path) -> None:
    names = ["minimax", "alphabeta:depth=2", "iterative:depth=1"]  # deterministic players
    with Store(tmp_path / "a", make=True) as store, pool_of(FakeRay(), names) as elsewhere:
        found = results(store, TOE, names, elsewhere)
    with Store(tmp_path / "b", make=True) as store, Pool(TOE, read_contestants(names, TOE), 1) as here:
        assert results(store, TOE, names, here) == found and len(found) == 3 * 3 * 2


def test_a_users_game_is_transferred(nim_path: Path, tmp_path: Path) -> None:
    nim = registry.game(f"{nim_path}:heap=2")
    with Store(tmp_path / "a", make=True) as store, pool_of(FakeRay(), ["random", "minimax"], nim) as pool:
        assert len(results(store, nim, ["random", "minimax"], pool)) == 6


def test_the_queue_is_bounded() -> None:
    ray = FakeRay(cores=3.0)
    pool, task = pool_of(ray, PLAYERS), PairTask(0, 0, 1, Opening(), "1")
    assert pool.workers == 3 and pool_of(ray, PLAYERS, workers=2).workers == 2
    for number in range(3 * QUEUED_PAIRS):
        assert pool.free
        pool.submit(PairTask(number, 0, 1, Opening(), "1"))
    assert not pool.free and pool.busy
    pool.close()
    assert not pool.busy
    pool.submit(task)
    updates = [pool.wait(), pool.wait(), pool.wait()]
    assert [one.game is not None for one in updates if one] == [True, True, False] and updates[-1] == TaskResult(task)
    with pytest.raises(HansuError, match="no machine of the cluster has a core"):
        _ = pool_of(FakeRay(cores=0.5), PLAYERS).free


def test_errors_of_the_cluster_are_reported(tmp_path: Path) -> None:
    ray = FakeRay()
    pool = pool_of(ray, PLAYERS)
    ray.lost = True
    with pytest.raises(HansuError, match=r"cannot be started: the machine is gone"):
        pool.check(Opening())
    pool.submit(PairTask(0, 0, 1, Opening(), "1"))
    with pytest.raises(HansuError, match=r"random:seed=1 against casual:seed=2 crashed 3 worker processes"):
        pool.wait()
    event = json.dumps(event_message(read_contestants(PLAYERS, TOE), Adjudication()))
    old = Setting(PackedGame.of(TOE), event, "0.0.0")
    assert "same version" in check_players(old, "start", ())["hint"]["en"]
    assert "error" in play_task(
        Setting(PackedGame.of(TOE), event), task_message(PairTask(0, 0, 1, Opening(moves=("x",)), "1"), [0])
    )


def test_on_a_real_cluster(tmp_path: Path) -> None:
    """On two cores of this machine: a whole event, another one in the same processes, and a player that cannot be
    built."""
    pytest.importorskip("ray")
    with joined("local") as ray, Store(tmp_path / "games", make=True) as store:
        with ClusterPool(ray, TOE, read_contestants(PLAYERS, TOE), 2) as pool:
            found = results(store, TOE, PLAYERS, pool)
        assert len(found) == 3 * 3 * 2 and all(isinstance(one[3], int) for one in found)
        wrong = tmp_path / "agent.py"
        wrong.write_text("oh no")
        names = ["random", f"{wrong}:Agent"]
        with ClusterPool(ray, TOE, read_contestants(names, TOE), 2) as pool:
            with pytest.raises(HansuError, match=r"agent\.py"):
                pool.check(Opening())
            pool.submit(PairTask(0, 0, 0, Opening(), "1"))
            updates = [pool.wait() for _ in range(3)]
        assert [isinstance(one.game, GameRow) for one in updates if one is not None] == [True, True, False]


def test_a_silent_cluster_is_reported(hansu: Run, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    with socket.create_server(("127.0.0.1", 0)) as other:
        free = other.getsockname()[1]
    cases = (
        ("tournament", f"127.0.0.1:{free}", "no Ray cluster responds"),
        ("sprt", "nowhere", "not the address of a Ray"),
    )
    for command, address, message in cases:
        done = hansu(command, "tictactoe", "random:seed=1", "minimax", "--cluster", address, cwd=tmp_path)
        assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
