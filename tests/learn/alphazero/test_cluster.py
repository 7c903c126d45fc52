"""Self-play on a cluster: actors and packed games on their own, then real Ray clusters, some of whose nodes die."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.commands import Run as Command

pytest.importorskip("torch")
import torch

from hansu.arena.game_transfer import PackedGame
from hansu.compile import cache
from hansu.core import Game, HansuError, generic, registry, unpack
from hansu.core.ray_session import check_address, joined
from hansu.learn.alphazero.actor import Actor, ActorSettings, GameBatch
from hansu.learn.alphazero.builder import Builder
from hansu.learn.alphazero.cluster import MAX_FAILED_STARTS, Cluster
from hansu.learn.alphazero.games import Openings
from hansu.learn.alphazero.self_play import PhaseTimer
from hansu.learn.alphazero.settings import AlphaZeroSettings, filled, for_actor
from hansu.learn.cuda import device_name
from hansu.learn.encoding import Encoding
from hansu.learn.networks import Size, build, description
from hansu.learn.recipe import Job
from hansu.learn.recipes.alphazero import AlphaZeroRecipe
from hansu.learn.run import Run
from hansu.learn.samples import Board

TINY = {"channels": "8", "blocks": "1", "games": "16", "simulations": "4", "batch": "32", "min_window": "64",
        "reuse": "0.5", "log_seconds": "0.2", "checkpoint_seconds": "1", "rating_opponents": "none",
        "minutes": "60", "keep": "0"}  # fmt: skip


def actor_settings_for(game: Game, **more: Any) -> tuple[ActorSettings, Any]:
    """The settings of an actor with a small network, and the network."""
    settings = filled(AlphaZeroSettings(games=16, simulations="4", **more), game, "cpu")
    network = build("tower", Encoding(game).shape, Size(8, 1)).eval()
    board = Board(game)
    openings = Builder(game, settings, lambda: 0.0, print).openings()
    openings = Openings(board.without_handles(openings.states), openings.random_share, openings.random_plies)
    return ActorSettings(PackedGame.of(game), settings, description(network), openings, 1), network


def arrays(network: Any) -> dict[str, Any]:
    return {name: value.numpy().copy() for name, value in network.state_dict().items()}


def played(actor: Actor, *weights: Any) -> Any:
    """The actor's next batch that contains games; `weights` go with the first call."""
    batch = actor.play(0.0, 0.0, *(weights or (0, None)))
    while batch.finished is None:
        batch = actor.play(0.05, 0.0, 0, None)
    return batch


@pytest.mark.parametrize("name", ["tictactoe", "tree"])
def test_an_actor_sends_games_without_handles(name: str) -> None:
    """The board of `tree` has a handle, which is invalid on another machine."""
    game = registry.game(name)
    given, network = actor_settings_for(game)
    batch = played(Actor(given), 5, arrays(network))
    samples, board = batch.finished.samples, Board(game)
    assert batch.weights == 5 and batch.process == os.getpid() and batch.clock.simulations > 0 and batch.device == "cpu"
    assert not samples.state[:, list(board.handles)].any()
    assert set(samples.game.tolist()) <= set(range(len(batch.finished.results)))
    for words in board.with_handles(samples.state.copy()):
        assert not generic.over(unpack(board.first.state, words))


def test_an_actor_continues_its_games() -> None:
    """A batch ends in the middle of games; a later one has them."""
    given, network = actor_settings_for(registry.game("tictactoe"), random_share=0.0)
    actor = Actor(given)
    actor.play(0.0, 0.0, 1, arrays(network))
    batches = [played(actor).finished for _ in range(3)]
    for finished in batches:
        samples = finished.samples
        for number, length in enumerate(finished.lengths):
            assert sorted(samples.ply[samples.game == number].tolist()) == list(range(length))


def test_an_actor_uses_newer_weights() -> None:
    given, network = actor_settings_for(registry.game("tictactoe"))
    actor = Actor(given)
    actor.play(0.0, 0.0, 1, arrays(network))
    with torch.no_grad():
        for weights in network.parameters():
            weights.zero_()
    batch = actor.play(0.0, 0.0, 2, arrays(network))
    assert batch.weights == 2 and all(not weights.any() for weights in actor._playing.network.parameters())
    assert actor.play(0.0, 0.0, 2, None).weights == 2


def test_messages_come_with_the_next_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(builder: Builder, playing: Any, *more: Any) -> Any:
        builder._log("this is slower")
        return group(builder, playing, *more)

    group = Builder.group
    monkeypatch.setattr(Builder, "group", slow)
    given, _ = actor_settings_for(registry.game("tictactoe"))
    actor = Actor(given)
    assert [actor.play(0.0, 0.0, 0, None).messages for _ in range(2)] == [("this is slower",), ()]


def test_device_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"card {device.index}")
    weights = SimpleNamespace(device=torch.device("cuda", 1))
    assert device_name(SimpleNamespace(parameters=lambda: iter([weights]))) == "cuda (card 1)"
    assert device_name(torch.nn.Linear(1, 1)) == "cpu"


def test_another_version_of_hansu_is_rejected() -> None:
    given, _ = actor_settings_for(registry.game("tictactoe"))
    with pytest.raises(HansuError, match=r"the learner 0\.0\.0 .*same version"):
        Actor(ActorSettings(given.game, given.settings, given.described, given.openings, 1, "0.0.0")).play(
            0.0, 0.0, 0, None
        )


def test_a_game_by_path_is_sent_with_its_imports(
    nim_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, there = tmp_path / "home", tmp_path / "there"
    home.mkdir()
    (home / "beside_nim.py").write_text("MOST_STONES = 15\n")
    (home / "unused.py").write_text("")
    (home / "own_nim.py").write_text("import beside_nim\n" + nim_path.read_text())
    packed = PackedGame.of(registry.game(f"{home}/own_nim.py:heap=2"))
    assert set(packed.files) == {"own_nim.py", "beside_nim.py"} and packed.spec == "own_nim.py:heap=2"
    monkeypatch.setenv("HANSU_CACHE", str(there))
    cache.own_folder.cache_clear()
    try:
        game = packed.unpacked()
        assert game.path is not None and Path(game.path).is_relative_to(there) and game.settings == {"heap": 2}
        assert game.spec == packed.unpacked().spec  # the same folder for all actors of a machine
    finally:
        cache.own_folder.cache_clear()
    assert PackedGame.of(registry.game("triangles:points=8")) == PackedGame("triangles:points=8", {})


def test_the_number_of_an_actors_games_depends_on_its_device() -> None:
    game = registry.game("connect_four")
    settings = filled(AlphaZeroSettings(channels=96), game, "cuda")
    own = for_actor(settings, {"channels": "96"}, game, "cpu", 1)
    assert (own.games, own.groups, own.threads, own.device) == (128, 1, 1, "cpu")
    assert (own.channels, own.simulations, own.window) == (96, settings.simulations, settings.window)
    assert for_actor(settings, {"games": "4096"}, game, "cpu", 1).games == 4096


# The learner's side, with a mock of Ray.


class MockRay:
    """Machines by name with their resources; actors are only listed."""

    def __init__(self, **machines: dict[str, float]) -> None:
        self.machines = machines
        self.started: list[dict[str, Any]] = []
        self.exceptions = SimpleNamespace(RayError=ConnectionError)

    def nodes(self) -> list[dict[str, Any]]:
        return [{"NodeID": name, "Alive": bool(has), "Resources": has} for name, has in self.machines.items()]

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_node_id=lambda: "here")

    def remote(self, cls: type) -> Any:
        return SimpleNamespace(options=self._options)

    def _options(self, **options: Any) -> Any:
        self.started.append(options)
        return SimpleNamespace(
            remote=lambda settings: SimpleNamespace(play=SimpleNamespace(remote=lambda *_: object()))
        )

    def kill(self, handle: Any) -> None:
        pass

    def get(self, reference: Any) -> Any:
        raise ConnectionError("it is gone")

    @property
    def places(self) -> list[str]:
        return [options["scheduling_strategy"].node_id for options in self.started]


def cluster_on(ray: MockRay, **options: Any) -> tuple[Cluster, list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    board = Board(registry.game("tictactoe"))
    settings = AlphaZeroSettings(**options)
    cluster = Cluster(ray, settings, board, lambda *_: None, lambda: 0.0, lambda _: None, rows.append)  # type: ignore[arg-type]
    return cluster, rows


@pytest.fixture
def strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mock of Ray's scheduling strategy."""
    module = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: SimpleNamespace(node_id=node))
    for name in ("ray", "ray.util"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", module)


@pytest.mark.usefixtures("strategies")
def test_actors_start_where_there_is_capacity() -> None:
    ray = MockRay(here={"CPU": 3.0}, large={"CPU": 17.0, "GPU": 2.0}, head={"memory": 1.0}, dead={})
    cluster, _ = cluster_on(ray)
    cluster._start_actors()
    assert sorted(ray.places) == ["here", "here", "large", "large"]  # one core is reserved for the learner
    on_cards = [options for options in ray.started if options["num_gpus"]]
    assert [(options["num_cpus"], options["num_gpus"]) for options in on_cards] == [(8.0, 1), (8.0, 1)]

    # Lost actors are replaced where there is capacity; new machines are used.
    ray.machines["large"] = {}
    for actor in [actor for actor in cluster._actors if actor.node == "large"]:
        cluster._receive(next(reference for reference, owner in cluster._tasks.items() if owner is actor))
    assert cluster.statistics()["actors"] == 2 and cluster.statistics()["lost_actors"] == 2
    ray.machines["new"] = {"CPU": 1.0}
    cluster._start_actors()
    assert ray.places[4:] == ["new"]


@pytest.mark.usefixtures("strategies")
@pytest.mark.parametrize(
    ("cores", "device", "actors"),
    [(8.0, "auto", [(7.0, 1)]), (1.0, "auto", [(1.0, 1)]), (3.0, "cpu", [(1.0, 0), (1.0, 0)])],
)
def test_a_core_is_reserved_for_the_learner_next_to_a_card(
    cores: float, device: str, actors: list[tuple[float, int]]
) -> None:
    ray = MockRay(here={"CPU": cores, "GPU": 1.0})
    cluster_on(ray, device=device)[0]._start_actors()
    assert [(options["num_cpus"], options["num_gpus"]) for options in ray.started] == actors


@pytest.mark.usefixtures("strategies")
def test_the_log_has_the_actors_machine_and_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = iter(
        [
            GameBatch(None, PhaseTimer(), 1, "far", 7, "cuda (card)", ("slow",)),
            GameBatch(None, PhaseTimer(), 1, "far", 7, "cuda (card)"),
        ]
    )
    ray = MockRay(far={"CPU": 1.0, "GPU": 1.0})
    monkeypatch.setattr(ray, "get", lambda reference: next(batches))
    cluster, rows = cluster_on(ray)
    cluster._start_actors()
    for _ in range(2):
        cluster._receive(next(iter(cluster._tasks)))
    about = {"kind": "actor", "actor": 1, "node": "far"}
    assert rows[1:] == [
        {**about, "event": "playing", "host": "far", "process": 7, "device": "cuda (card)"},
        {**about, "event": "told", "text": "slow"},
    ]


@pytest.mark.usefixtures("strategies")
def test_the_number_of_actors_is_limited() -> None:
    ray = MockRay(a={"CPU": 8.0}, b={"CPU": 8.0})
    cluster, _ = cluster_on(ray, actors=3, actor_cores=2.0)
    cluster._start_actors()
    assert sorted(ray.places) in (["a", "a", "b"], ["a", "b", "b"])
    assert {options["num_cpus"] for options in ray.started} == {2.0}


@pytest.mark.usefixtures("strategies")
def test_a_machine_on_which_actors_fail_is_not_used_again() -> None:
    ray = MockRay(broken={"CPU": 1.0})
    cluster, rows = cluster_on(ray)
    for _ in range(MAX_FAILED_STARTS):
        cluster._start_actors()
        cluster._receive(next(iter(cluster._tasks)))
    with pytest.raises(HansuError, match="no actor can play: it is gone"):
        cluster._start_actors()
    assert [row["event"] for row in rows] == ["begun", "lost"] * MAX_FAILED_STARTS
    with pytest.raises(HansuError, match="no machine of the cluster has the resources"):
        cluster_on(MockRay(small={"CPU": 0.5}))[0].begin()


# Addresses.


@pytest.mark.parametrize("address", ["nowhere", "a/b:1", "ray://here:10001", "host:port"])
def test_invalid_addresses(address: str) -> None:
    with pytest.raises(HansuError, match="no address of a Ray cluster"):
        check_address(address)


@pytest.fixture
def listener() -> Iterator[Callable[[bytes], str]]:
    """A server that sends a given answer; returns its address."""
    server = socket.create_server(("127.0.0.1", 0))

    def answering(answer: bytes) -> str:
        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(100)
                connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        return f"127.0.0.1:{server.getsockname()[1]}"

    yield answering
    server.close()


def test_answers_at_an_address(listener: Callable[[bytes], str]) -> None:
    with pytest.raises(HansuError, match="no Ray cluster answers"):
        check_address(listener(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    check_address(listener(bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])))
    with socket.create_server(("127.0.0.1", 0)) as other:
        free = other.getsockname()[1]
    with pytest.raises(HansuError, match="no Ray cluster answers"):
        check_address(f"127.0.0.1:{free}")


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(HansuError, match="needs ray") as error, joined("local"):
        pass
    assert error.value.hint == "pip install 'hansu[cluster]'"


# Real clusters.


class Watched:
    """Collects the rows of a run; `step` is called for each row and stops the run by returning True."""

    def __init__(self, step: Callable[[dict[str, Any]], bool]) -> None:
        self._step = step
        self._stopped = False
        self.rows: list[dict[str, Any]] = []

    def show(self, row: Any) -> None:
        self.rows.append(dict(row))
        if not self._stopped and self._step(self.rows[-1]):
            self._stopped = True
            raise KeyboardInterrupt

    def actors(self, event: str) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["kind"] == "actor" and row["event"] == event]

    @property
    def last(self) -> dict[str, Any]:
        return next((row for row in reversed(self.rows) if row["kind"] == "progress"), {})


def check_run(folder: Path, game: Game) -> int:
    """A stopped run has saved everything that it counted; returns the number of its positions."""
    run = Run(folder)
    checkpoint = run.last_checkpoint()
    assert checkpoint is not None and run.read_log()[-1]["kind"] == "stopped"
    samples, damaged = run.read_samples(Board(game), 10**9)
    assert not damaged and sum(map(len, samples)) == checkpoint[1]["positions"] > 0
    numbers = np.concatenate([part.game for part in samples])
    assert len(np.unique(numbers)) == checkpoint[1]["games"]
    assert (folder / "champion.npz").is_file()
    return int(checkpoint[1]["positions"])


def test_an_actor_that_is_killed_is_replaced(tmp_path: Path) -> None:
    """On one machine: games arrive, weights are sent, an actor is killed and another one takes its place."""
    pytest.importorskip("ray")
    killed: list[int] = []

    def step(row: dict[str, Any]) -> bool:
        if not killed and len(watched.actors("playing")) == 2:
            killed.append(watched.actors("playing")[0]["process"])
            os.kill(killed[0], signal.SIGKILL)
        replaced = any(row["actor"] == 3 for row in watched.actors("playing"))
        return replaced and watched.last["weights"] - watched.last["weights_behind"] >= 2

    watched = Watched(step)
    settings = {**TINY, "run": str(tmp_path / "run"), "cluster": "local", "actors": "2", "actor_cores": "0.25"}
    game = registry.game("tictactoe")
    AlphaZeroRecipe.from_settings(settings).train(game, Job(show=watched.show))
    assert [row["actor"] for row in watched.actors("lost")] == [watched.actors("playing")[0]["actor"]]
    assert killed[0] not in [row["process"] for row in watched.actors("playing")[2:]]
    assert {row["device"] for row in watched.actors("playing")} == {"cpu"}
    assert watched.last["actors"] == 2 and watched.last["lost_actors"] == 1 and watched.last["steps"] > 0
    positions = check_run(tmp_path / "run", game)

    # The run can be resumed without the cluster.
    settings |= {"resume": "true", "cluster": "", "steps": str(watched.last["steps"] + 5)}
    AlphaZeroRecipe.from_settings(settings).train(game, Job())
    log = Run(tmp_path / "run").read_log()
    assert log[-1]["kind"] == "finished" and log[-1]["positions"] > positions


def test_an_unreachable_cluster_leaves_no_run_behind(hansu: Command, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    with socket.create_server(("127.0.0.1", 0)) as other:
        free = other.getsockname()[1]
    done = hansu("train", "tictactoe", "alphazero", "--cluster", f"127.0.0.1:{free}", cwd=tmp_path)
    assert done.returncode == 2 and "no Ray cluster answers" in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.long
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_a_card_that_torch_does_not_find(tmp_path: Path) -> None:
    """Ray was started with a card, so an actor is placed there; its error reaches the run."""
    ray = pytest.importorskip("ray")
    ray.init(address="local", num_cpus=2, num_gpus=1, include_dashboard=False, log_to_driver=False)
    watched = Watched(lambda _: False)
    settings = {**TINY, "run": str(tmp_path / "run"), "cluster": "local"}
    try:
        with pytest.raises(HansuError, match=r"no actor can play: no CUDA device .*--device cpu"):
            AlphaZeroRecipe.from_settings(settings).train(registry.game("tictactoe"), Job(show=watched.show))
    finally:
        ray.shutdown()
    assert len(watched.actors("lost")) == MAX_FAILED_STARTS


@pytest.mark.long
def test_a_machine_that_dies_is_replaced(nim_path: Path, tmp_path: Path) -> None:
    """A cluster of two nodes. One is killed: its actors are removed, those of the other play on, and a new node gets
    actors. The game is a file that is sent to the actors."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    second = nodes.add_node(num_cpus=1)
    phase, counted = ["both"], [0, 0]

    def playing_on(node: str) -> bool:
        return any(row["node"] == node for row in watched.actors("playing"))

    def step(row: dict[str, Any]) -> bool:
        if phase == ["both"] and playing_on(second.node_id) and len(watched.actors("playing")) == 3:
            nodes.remove_node(second, allow_graceful=False)
            phase[:] = ["one"]
        elif phase == ["one"] and watched.last["lost_actors"] >= 1 and watched.last["nodes"] == 1:
            counted[0] = counted[0] or watched.last["games"]
            if watched.last["games"] > counted[0]:  # the first node plays on
                third = nodes.add_node(num_cpus=1)
                phase[:] = ["new", third.node_id]
        elif phase[0] == "new" and playing_on(phase[1]):
            counted[1] = counted[1] or watched.last["games"]
            return bool(watched.last["games"] > counted[1])
        return False

    watched = Watched(step)
    settings = {**TINY, "run": str(tmp_path / "run"), "cluster": nodes.address, "actor_cores": "0.5"}
    game = registry.game(f"{nim_path}:heap=2")
    try:
        AlphaZeroRecipe.from_settings(settings).train(game, Job(show=watched.show))
    finally:
        nodes.shutdown()
    assert phase[0] == "new" and {row["node"] for row in watched.actors("lost")} == {second.node_id}
    assert watched.last["nodes"] == 2 and watched.last["steps"] > 0
    check_run(tmp_path / "run", game)
