"""Self-play beyond one machine: actors and parcels by themselves, then on real clusters of Ray, partly killed."""

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
from hansu.learn.alphazero.actor import Actor, Lot, Role
from hansu.learn.alphazero.builder import Builder
from hansu.learn.alphazero.cluster import FALSE_STARTS, Cluster
from hansu.learn.alphazero.games import Beginnings
from hansu.learn.alphazero.self_play import PhaseTimer
from hansu.learn.alphazero.settings import AlphaZeroSettings, filled, for_actor
from hansu.learn.cuda import where
from hansu.learn.encoding import Encoding
from hansu.learn.networks import Size, build, description
from hansu.learn.recipe import Job
from hansu.learn.recipes.alphazero import AlphaZeroRecipe
from hansu.learn.run import Run
from hansu.learn.samples import Board

TINY = {"channels": "8", "blocks": "1", "games": "16", "simulations": "4", "batch": "32", "min_window": "64",
        "reuse": "0.5", "log_seconds": "0.2", "checkpoint_seconds": "1", "rating_opponents": "none",
        "minutes": "60", "keep": "0"}  # fmt: skip


def role_for(game: Game, **more: Any) -> tuple[Role, Any]:
    """A role in a small network's games, and the network."""
    settings = filled(AlphaZeroSettings(games=16, simulations="4", **more), game, "cpu")
    network = build("tower", Encoding(game).shape, Size(8, 1)).eval()
    board = Board(game)
    found = Builder(game, settings, lambda: 0.0, print).beginnings()
    beginnings = Beginnings(board.without_handles(found.states), found.random_share, found.random_plies)
    return Role(PackedGame.of(game), settings, description(network), beginnings, 1), network


def arrays(network: Any) -> dict[str, Any]:
    return {name: value.numpy().copy() for name, value in network.state_dict().items()}


def played(actor: Actor, *weights: Any) -> Any:
    """Some lots joined into the first that has games in it; `weights` go with the first order."""
    lot = actor.play(0.0, 0.0, *(weights or (0, None)))
    while lot.finished is None:
        lot = actor.play(0.05, 0.0, 0, None)
    return lot


@pytest.mark.parametrize("name", ["tictactoe", "tree"])
def test_an_actor_sends_games_without_handles(name: str) -> None:
    """`tree` has a board of its own, whose handle means nothing on another machine."""
    game = registry.game(name)
    role, network = role_for(game)
    lot = played(Actor(role), 5, arrays(network))
    samples, board = lot.finished.samples, Board(game)
    assert lot.weights == 5 and lot.process == os.getpid() and lot.clock.simulations > 0 and lot.device == "cpu"
    assert not samples.state[:, list(board.handles)].any()
    assert set(samples.game.tolist()) <= set(range(len(lot.finished.results)))
    for words in board.with_handles(samples.state.copy()):
        assert not generic.over(unpack(board.first.state, words))


def test_an_actor_goes_on_where_it_was() -> None:
    """A lot ends in the middle of games; the next one ends them."""
    role, network = role_for(registry.game("tictactoe"), random_share=0.0)
    actor = Actor(role)
    actor.play(0.0, 0.0, 1, arrays(network))
    lots = [played(actor).finished for _ in range(3)]
    for finished in lots:
        samples = finished.samples
        for number, length in enumerate(finished.lengths):
            assert sorted(samples.ply[samples.game == number].tolist()) == list(range(length))


def test_an_actor_takes_newer_weights() -> None:
    role, network = role_for(registry.game("tictactoe"))
    actor = Actor(role)
    actor.play(0.0, 0.0, 1, arrays(network))
    with torch.no_grad():
        for weights in network.parameters():
            weights.zero_()
    lot = actor.play(0.0, 0.0, 2, arrays(network))
    assert lot.weights == 2 and all(not weights.any() for weights in actor._playing.plain.parameters())
    assert actor.play(0.0, 0.0, 2, None).weights == 2


def test_what_an_actor_says_comes_with_its_next_lot(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(builder: Builder, playing: Any, *more: Any) -> Any:
        builder._tell("this is slower")
        return group(builder, playing, *more)

    group = Builder.group
    monkeypatch.setattr(Builder, "group", slow)
    role, _ = role_for(registry.game("tictactoe"))
    actor = Actor(role)
    assert [actor.play(0.0, 0.0, 0, None).told for _ in range(2)] == [("this is slower",), ()]


def test_where_a_network_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"card {device.index}")
    weights = SimpleNamespace(device=torch.device("cuda", 1))
    assert where(SimpleNamespace(parameters=lambda: iter([weights]))) == "cuda (card 1)"
    assert where(torch.nn.Linear(1, 1)) == "cpu"


def test_another_hansu_is_refused() -> None:
    role, _ = role_for(registry.game("tictactoe"))
    with pytest.raises(HansuError, match=r"the learner 0\.0\.0 .*same version"):
        Actor(Role(role.game, role.settings, role.described, role.beginnings, 1, "0.0.0")).play(0.0, 0.0, 0, None)


def test_a_game_by_path_travels_with_what_it_imports(
    nim_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, there = tmp_path / "home", tmp_path / "there"
    home.mkdir()
    (home / "beside_nim.py").write_text("MOST_STONES = 15\n")
    (home / "unused.py").write_text("")
    (home / "own_nim.py").write_text("import beside_nim\n" + nim_path.read_text())
    parcel = PackedGame.of(registry.game(f"{home}/own_nim.py:heap=2"))
    assert set(parcel.files) == {"own_nim.py", "beside_nim.py"} and parcel.spec == "own_nim.py:heap=2"
    monkeypatch.setenv("HANSU_CACHE", str(there))
    cache.own_folder.cache_clear()
    try:
        found = parcel.unpacked()
        assert found.path is not None and Path(found.path).is_relative_to(there) and found.settings == {"heap": 2}
        assert found.spec == parcel.unpacked().spec  # the same place for all actors of a machine
    finally:
        cache.own_folder.cache_clear()
    assert PackedGame.of(registry.game("triangles:points=8")) == PackedGame("triangles:points=8", {})


def test_an_actor_has_as_many_games_as_its_own_machine_can_hold() -> None:
    game = registry.game("connect_four")
    settings = filled(AlphaZeroSettings(channels=96), game, "cuda")
    ours = for_actor(settings, {"channels": "96"}, game, "cpu", 1)
    assert (ours.games, ours.groups, ours.threads, ours.device) == (128, 1, 1, "cpu")
    assert (ours.channels, ours.simulations, ours.window) == (96, settings.simulations, settings.window)
    assert for_actor(settings, {"games": "4096"}, game, "cpu", 1).games == 4096


# The learner's side, with machines that are made up.


class MadeUpRay:
    """Machines by name with their resources; actors that are only noted down."""

    def __init__(self, **machines: dict[str, float]) -> None:
        self.machines = machines
        self.begun: list[dict[str, Any]] = []
        self.exceptions = SimpleNamespace(RayError=ConnectionError)

    def nodes(self) -> list[dict[str, Any]]:
        return [{"NodeID": name, "Alive": bool(has), "Resources": has} for name, has in self.machines.items()]

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_node_id=lambda: "here")

    def remote(self, cls: type) -> Any:
        return SimpleNamespace(options=self._options)

    def _options(self, **options: Any) -> Any:
        self.begun.append(options)
        return SimpleNamespace(remote=lambda role: SimpleNamespace(play=SimpleNamespace(remote=lambda *_: object())))

    def kill(self, handle: Any) -> None:
        pass

    def get(self, reference: Any) -> Any:
        raise ConnectionError("it is gone")

    @property
    def places(self) -> list[str]:
        return [options["scheduling_strategy"].node_id for options in self.begun]


def cluster_on(ray: MadeUpRay, **settings: Any) -> tuple[Cluster, list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    board = Board(registry.game("tictactoe"))
    made = Cluster(ray, AlphaZeroSettings(**settings), board, lambda *_: None, lambda: 0.0, lambda _: None, rows.append)  # type: ignore[arg-type]
    return made, rows


@pytest.fixture
def strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Placing actors needs no Ray here."""
    module = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: SimpleNamespace(node_id=node))
    for name in ("ray", "ray.util"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", module)


@pytest.mark.usefixtures("strategies")
def test_actors_begin_where_there_is_room() -> None:
    ray = MadeUpRay(here={"CPU": 3.0}, large={"CPU": 17.0, "GPU": 2.0}, head={"memory": 1.0}, dead={})
    cluster, _ = cluster_on(ray)
    cluster._look()
    assert sorted(ray.places) == ["here", "here", "large", "large"]  # a core is left to the learner
    on_cards = [options for options in ray.begun if options["num_gpus"]]
    assert [(options["num_cpus"], options["num_gpus"]) for options in on_cards] == [(8.0, 1), (8.0, 1)]

    # What dies is replaced where there is room; what comes is used.
    ray.machines["large"] = {}
    for member in [member for member in cluster._members if member.node == "large"]:
        cluster._take(next(order for order, owner in cluster._orders.items() if owner is member))
    assert cluster.told()["actors"] == 2 and cluster.told()["lost_actors"] == 2
    ray.machines["new"] = {"CPU": 1.0}
    cluster._look()
    assert ray.places[4:] == ["new"]


@pytest.mark.usefixtures("strategies")
@pytest.mark.parametrize(
    ("cores", "device", "actors"),
    [(8.0, "auto", [(7.0, 1)]), (1.0, "auto", [(1.0, 1)]), (3.0, "cpu", [(1.0, 0), (1.0, 0)])],
)
def test_a_core_is_left_to_the_learner_beside_a_card(
    cores: float, device: str, actors: list[tuple[float, int]]
) -> None:
    ray = MadeUpRay(here={"CPU": cores, "GPU": 1.0})
    cluster_on(ray, device=device)[0]._look()
    assert [(options["num_cpus"], options["num_gpus"]) for options in ray.begun] == actors


@pytest.mark.usefixtures("strategies")
def test_the_log_has_where_an_actor_plays_and_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    lots = iter(
        [
            Lot(None, PhaseTimer(), 1, "far", 7, "cuda (card)", ("slow",)),
            Lot(None, PhaseTimer(), 1, "far", 7, "cuda (card)"),
        ]
    )
    ray = MadeUpRay(far={"CPU": 1.0, "GPU": 1.0})
    monkeypatch.setattr(ray, "get", lambda reference: next(lots))
    cluster, rows = cluster_on(ray)
    cluster._look()
    for _ in range(2):
        cluster._take(next(iter(cluster._orders)))
    about = {"kind": "actor", "actor": 1, "node": "far"}
    assert rows[1:] == [
        {**about, "event": "playing", "host": "far", "process": 7, "device": "cuda (card)"},
        {**about, "event": "told", "text": "slow"},
    ]


@pytest.mark.usefixtures("strategies")
def test_actors_at_most() -> None:
    ray = MadeUpRay(a={"CPU": 8.0}, b={"CPU": 8.0})
    cluster, _ = cluster_on(ray, actors=3, actor_cores=2.0)
    cluster._look()
    assert sorted(ray.places) in (["a", "a", "b"], ["a", "b", "b"])
    assert {options["num_cpus"] for options in ray.begun} == {2.0}


@pytest.mark.usefixtures("strategies")
def test_a_machine_where_no_actor_can_play_is_left_alone() -> None:
    ray = MadeUpRay(broken={"CPU": 1.0})
    cluster, rows = cluster_on(ray)
    for _ in range(FALSE_STARTS):
        cluster._look()
        cluster._take(next(iter(cluster._orders)))
    with pytest.raises(HansuError, match="no actor can play: it is gone"):
        cluster._look()
    assert [row["event"] for row in rows] == ["begun", "lost"] * FALSE_STARTS
    with pytest.raises(HansuError, match="no machine of the cluster has room"):
        cluster_on(MadeUpRay(small={"CPU": 0.5}))[0].begin()


# Addresses.


@pytest.mark.parametrize("address", ["nowhere", "a/b:1", "ray://here:10001", "host:port"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(HansuError, match="not the address of a Ray cluster"):
        check_address(address)


@pytest.fixture
def listener() -> Iterator[Callable[[bytes], str]]:
    """Somebody who answers whatever he is told at an address."""
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


def test_who_answers_at_an_address(listener: Callable[[bytes], str]) -> None:
    with pytest.raises(HansuError, match="no Ray cluster responds"):
        check_address(listener(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    check_address(listener(bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])))
    with socket.create_server(("127.0.0.1", 0)) as other:
        free = other.getsockname()[1]
    with pytest.raises(HansuError, match="no Ray cluster responds"):
        check_address(f"127.0.0.1:{free}")


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(HansuError, match="needs ray") as told, joined("local"):
        pass
    assert told.value.hint == "pip install 'hansu[cluster]'"


# Real clusters.


class Watched:
    """Follows a run by what it shows; `step` is asked at each row and stops the run by saying True."""

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
    """A run that was stopped has everything that it counted; the number of its positions."""
    run = Run(folder)
    found = run.last_checkpoint()
    assert found is not None and run.read_log()[-1]["kind"] == "stopped"
    samples, damaged = run.read_samples(Board(game), 10**9)
    assert not damaged and sum(map(len, samples)) == found[1]["positions"] > 0
    numbers = np.concatenate([part.game for part in samples])
    assert len(np.unique(numbers)) == found[1]["games"]
    assert (folder / "champion.npz").is_file()
    return int(found[1]["positions"])


def test_an_actor_that_is_killed_is_replaced(tmp_path: Path) -> None:
    """On one machine: games arrive, weights go out, an actor is killed and another one takes its place."""
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

    # The folder is that of any run: it goes on here.
    settings |= {"resume": "true", "cluster": "", "steps": str(watched.last["steps"] + 5)}
    AlphaZeroRecipe.from_settings(settings).train(game, Job())
    log = Run(tmp_path / "run").read_log()
    assert log[-1]["kind"] == "finished" and log[-1]["positions"] > positions


def test_an_address_that_is_silent_leaves_no_run_behind(hansu: Command, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    with socket.create_server(("127.0.0.1", 0)) as other:
        free = other.getsockname()[1]
    done = hansu("train", "tictactoe", "alphazero", "--cluster", f"127.0.0.1:{free}", cwd=tmp_path)
    assert done.returncode == 2 and "no Ray cluster responds" in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.long
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_a_card_that_torch_does_not_find(tmp_path: Path) -> None:
    """Ray was told of one, so the actor is placed there; what it says reaches the run."""
    ray = pytest.importorskip("ray")
    ray.init(address="local", num_cpus=2, num_gpus=1, include_dashboard=False, log_to_driver=False)
    watched = Watched(lambda _: False)
    settings = {**TINY, "run": str(tmp_path / "run"), "cluster": "local"}
    try:
        with pytest.raises(HansuError, match=r"no actor can play: no graphics card .*--device cpu"):
            AlphaZeroRecipe.from_settings(settings).train(registry.game("tictactoe"), Job(show=watched.show))
    finally:
        ray.shutdown()
    assert len(watched.actors("lost")) == FALSE_STARTS


@pytest.mark.long
def test_a_machine_that_dies_is_replaced(nim_path: Path, tmp_path: Path) -> None:
    """A cluster of two nodes. One is killed in the middle: its actors are written off, those of the other play on; a
    node that comes gets actors. The game is a file that actors were sent."""
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
