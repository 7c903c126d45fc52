"""Self-play on many machines, through Ray: the learner runs here, actors run wherever there are free cores or cards.

    learner    weights ──(Ray's object store, once per machine)──> actors
               samples <──(Ray's object store, in batches)──────── actors

Every actor has two tasks at a time, so that it never waits for the learner. A task carries the newest weights if the
actor does not have them yet. When a batch arrives, its actor gets the next task. If an actor's machine or process dies,
its tasks fail: the actor is removed, and another one starts where there is capacity, possibly on a new machine."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from hansu.core.errors import HansuError
from hansu.core.ray_session import trouble_of
from hansu.learn.alphazero.actor import Actor, ActorSettings, GameBatch
from hansu.learn.alphazero.games import FinishedGames
from hansu.learn.alphazero.self_play import PhaseTimer
from hansu.learn.alphazero.settings import AlphaZeroSettings
from hansu.learn.cuda import Stream
from hansu.learn.samples import Board

TASKS_PER_ACTOR = 2  # it works on the second while the batch of the first travels
BATCH_SECONDS = 1.0  # shortest playing time of a batch
SECONDS_PER_ACTOR = 0.01  # this process's time for each batch: with more actors, batches take longer
CHECK_SECONDS = 1.0  # between checks of the cluster's machines
MAX_FAILED_STARTS = 3  # consecutive actors without a batch, after which a machine is not used any more


class Capacity(NamedTuple):
    """How many actors a machine can hold, and what each of them uses."""

    node: str
    actors: int
    cores: float
    cards: int


@dataclass
class ActorState:
    """An actor, as the learner sees it."""

    handle: Any
    node: str
    number: int
    sent: int = 0  # version of the newest weights sent to it
    weights: int = 0  # version that its last batch was played with
    batches: int = 0  # that it has sent


class Cluster:
    """Has the interface of `SelfPlay`, and receives weights like a `PlayingNetwork`.

    `actor_settings(device, threads, number)` returns the settings of an actor, `finished` receives the games that
    ended, `log` rows about actors and their messages.
    """

    def __init__(self, ray: Any, settings: AlphaZeroSettings, board: Board,
                 actor_settings: Callable[[str, int, int], ActorSettings], share: Callable[[], float],
                 finished: Callable[[FinishedGames], None], log: Callable[[dict[str, Any]], None]) -> None:  # fmt: skip
        self._settings, self._board, self._actor_settings, self._share = settings, board, actor_settings, share
        self._finished, self._log = finished, log
        self._ray = ray
        self._here = ray.get_runtime_context().get_node_id()
        self._actors: list[ActorState] = []
        self._tasks: dict[Any, ActorState] = {}  # by the reference to their batch
        self._failed_starts: Counter[str] = Counter()  # by machine
        self._last_error = ""
        self._started = self._lost = self._batches = 0
        self._check_at = 0.0
        self._clock = PhaseTimer()
        self._lock = threading.Lock()
        self._published: dict[str, Any] | None = None
        self._weights: Any = None  # in Ray's object store
        self._version = 0  # of these

    # Weights.

    def publish(self, network: Any, source: Stream) -> None:
        """Provide newer weights, from the learner's thread."""
        with source:
            arrays = {name: value.detach().cpu().numpy().copy() for name, value in network.state_dict().items()}
        with self._lock:
            self._published = arrays

    def _store_weights(self) -> None:
        with self._lock:
            published, self._published = self._published, None
        if published is not None:
            self._weights = self._ray.put(published)
            self._version += 1

    # Games.

    def begin(self) -> None:
        """Wait for the first batch, so that the run's clock does not include the start of the actors."""
        self._start_actors()
        if not self._actors:
            raise HansuError(
                "no machine of the cluster has the resources for an actor",
                "an actor takes {cores:g} cores; see --actor-cores",
                cores=self._actor_cores,
            )
        self.run(lambda: self._batches == 0)

    def run(self, continues: Callable[[], bool]) -> None:
        """Let the actors play as long as `continues()` is true."""
        while continues():
            self._store_weights()
            if time.monotonic() >= self._check_at:
                self._start_actors()
            if not self._tasks:
                time.sleep(CHECK_SECONDS / 10)  # until a machine joins
                continue
            self._ray.wait(list(self._tasks), num_returns=1, timeout=CHECK_SECONDS / 4)
            ready, _ = self._ray.wait(list(self._tasks), num_returns=len(self._tasks), timeout=0)
            for reference in ready:
                self._receive(reference)

    def _receive(self, reference: Any) -> None:
        actor = self._tasks.pop(reference, None)
        if actor is None:
            return  # the actor was removed a moment ago
        try:
            batch: GameBatch = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            self._remove(actor, error)
            return
        if not actor.batches:
            self._log_actor(actor, "playing", host=batch.host, process=batch.process, device=batch.device)
        for text in batch.messages:
            self._log_actor(actor, "told", text=text)
        actor.batches += 1
        actor.weights = batch.weights
        self._batches += 1
        self._failed_starts.pop(actor.node, None)
        self._submit_task(actor)
        self._clock.add(batch.clock)
        if batch.finished is not None:
            samples = batch.finished.samples
            states = self._board.with_handles(samples.state.copy())
            self._finished(replace(batch.finished, samples=replace(samples, state=states)))

    def _submit_task(self, actor: ActorState) -> None:
        """All actors of a machine share one copy of the weights."""
        weights = self._weights if actor.sent < self._version else None
        actor.sent = self._version
        seconds = max(BATCH_SECONDS, SECONDS_PER_ACTOR * len(self._actors))
        self._tasks[actor.handle.play.remote(seconds, self._share(), self._version, weights)] = actor

    # Actors.

    def _start_actors(self) -> None:
        """Start actors on machines with free capacity."""
        self._check_at = time.monotonic() + CHECK_SECONDS
        capacities = self._capacities()
        most = self._settings.actors or sum(capacity.actors for capacity in capacities)
        while len(self._actors) < most:
            used = Counter(actor.node for actor in self._actors)
            free = [capacity for capacity in capacities if used[capacity.node] < capacity.actors]
            if not free:
                break
            self._start(min(free, key=lambda capacity: used[capacity.node] / capacity.actors))
        if not self._actors and self._last_error and not capacities:
            raise HansuError("no actor can play: {trouble}", trouble=self._last_error)

    def _capacities(self) -> list[Capacity]:
        """Of the machines that are alive and on which actors have not failed too often."""
        capacities = []
        for node in self._ray.nodes():
            if node["Alive"] and self._failed_starts[node["NodeID"]] < MAX_FAILED_STARTS:
                capacities.append(self._capacity(node["NodeID"], node["Resources"]))
        return [capacity for capacity in capacities if capacity.actors]

    @property
    def _actor_cores(self) -> float:
        return self._settings.actor_cores

    def _capacity(self, node: str, resources: dict[str, float]) -> Capacity:
        """One actor per graphics card, with an equal share of the cores; without a card, one actor per core. On the
        learner's machine one core is reserved for the learner, if there are two."""
        cores, cards = resources.get("CPU", 0.0), int(resources.get("GPU", 0))
        if self._settings.device == "cpu" or cores < cards:
            cards = 0
        if node == self._here and cores >= 1 + (cards or self._actor_cores):
            cores -= 1
        if cards:
            return Capacity(node, cards, cores // cards, 1)
        return Capacity(node, int(cores / self._actor_cores), self._actor_cores, 0)

    def _start(self, capacity: Capacity) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self._started += 1
        device, threads = "cuda" if capacity.cards else "cpu", max(1, int(capacity.cores))
        settings = self._actor_settings(device, threads, self._started)
        remote = self._ray.remote(Actor).options(
            num_cpus=capacity.cores, num_gpus=capacity.cards, max_restarts=0, max_task_retries=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(capacity.node, soft=False),
        )  # fmt: skip
        actor = ActorState(remote.remote(settings), capacity.node, self._started)
        self._actors.append(actor)
        self._log_actor(actor, "begun")
        for _ in range(TASKS_PER_ACTOR):
            self._submit_task(actor)

    def _remove(self, actor: ActorState, error: Exception) -> None:
        """Remove a lost actor; only its unsent games are lost."""
        self._actors.remove(actor)
        self._tasks = {reference: owner for reference, owner in self._tasks.items() if owner is not actor}
        self._lost += 1
        self._failed_starts[actor.node] += 0 if actor.batches else 1
        self._last_error = trouble_of(error)
        self._ray.kill(actor.handle)
        self._log_actor(actor, "lost", text=self._last_error)

    def _log_actor(self, actor: ActorState, event: str, **more: Any) -> None:
        self._log({"kind": "actor", "event": event, "actor": actor.number, "node": actor.node, **more})

    # Statistics and the end.

    def lap(self) -> PhaseTimer:
        """The times of all actors since the last call."""
        clock, self._clock = self._clock, PhaseTimer()
        return clock

    def statistics(self) -> dict[str, Any]:
        """More numbers for the log."""
        behind = [self._version - actor.weights for actor in self._actors if actor.batches]
        return {
            "actors": len(self._actors), "nodes": len({actor.node for actor in self._actors}),
            "lost_actors": self._lost, "lots": self._batches, "weights": self._version,
            "weights_behind": max(behind, default=0),
        }  # fmt: skip

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor.handle)
        self._actors, self._tasks = [], {}
