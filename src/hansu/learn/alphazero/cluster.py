"""Self-play on many machines, through Ray: the learner here, actors wherever there is room.

    learner    weights ──(Ray's store, once a machine)──> actors
               samples <──(Ray's store, in lots)───────── actors

Every actor has two orders to play at a time, so that it never waits for the learner; with an order go the newest
weights, if it has none so new. A lot that arrives is answered with the next order. An actor whose machine or process
died is noticed by its lots that do not come: it is written off, and another one begins where there is room, be it a
machine that has just come.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from hansu.core.errors import HansuError
from hansu.core.ray_session import trouble_of
from hansu.learn.alphazero.actor import Actor, Lot, Role
from hansu.learn.alphazero.games import FinishedGame
from hansu.learn.alphazero.self_play import PhaseTimer
from hansu.learn.alphazero.settings import AlphaZeroSettings
from hansu.learn.cuda import Lane
from hansu.learn.samples import Board

ORDERS = 2  # of an actor at a time: it plays the second while the lot of the first travels
LOT_SECONDS = 1.0  # of play in a lot at least
SECONDS_AN_ACTOR = 0.01  # the more actors, the longer their lots: this process has so much time for each
LOOK_SECONDS = 1.0  # between looks at the machines
FALSE_STARTS = 3  # actors without a single lot, in a row, after which a machine is left alone


class Room(NamedTuple):
    """Of a machine: how many actors it can hold, and what each of them takes."""

    node: str
    actors: int
    cores: float
    cards: int


@dataclass
class Member:
    """An actor, as the learner sees it."""

    handle: Any
    node: str
    number: int
    sent: int = 0  # the newest weights that it was sent
    weights: int = 0  # those of its last lot
    lots: int = 0  # that it has sent


class Cluster:
    """Plays as `SelfPlay` does, and is offered weights as `Playing` is. `role` makes what an actor is told: for `cpu`
    or `cuda`, with so many threads, by its number; `finished` hears of games that ended, `log` of actors that come and
    go and of what they say."""

    def __init__(self, ray: Any, settings: AlphaZeroSettings, board: Board, role: Callable[[str, int, int], Role],
                 share: Callable[[], float], finished: Callable[[FinishedGame], None],
                 log: Callable[[dict[str, Any]], None]) -> None:  # fmt: skip
        self._settings, self._board, self._role, self._share = settings, board, role, share
        self._finished, self._log = finished, log
        self._ray = ray
        self._here = ray.get_runtime_context().get_node_id()
        self._members: list[Member] = []
        self._orders: dict[Any, Member] = {}  # by the lots that will come of them
        self._false_starts: Counter[str] = Counter()  # of machines
        self._trouble = ""  # the last
        self._begun = self._lost = self._lots = 0
        self._look_at = 0.0
        self._clock = PhaseTimer()
        self._offering = threading.Lock()
        self._offered: dict[str, Any] | None = None
        self._weights: Any = None  # in Ray's store
        self._version = 0  # of these

    # Weights.

    def offer(self, network: Any, made_by: Lane) -> None:
        """Newer weights, from the learner's thread."""
        with made_by:
            arrays = {name: value.detach().cpu().numpy().copy() for name, value in network.state_dict().items()}
        with self._offering:
            self._offered = arrays

    def _publish(self) -> None:
        with self._offering:
            offered, self._offered = self._offered, None
        if offered is not None:
            self._weights = self._ray.put(offered)
            self._version += 1

    # Games.

    def begin(self) -> None:
        """Wait for the first lot, so that no actor is being set up when the run's time begins."""
        self._look()
        if not self._members:
            raise HansuError(
                "no machine of the cluster has room for an actor",
                "an actor takes {cores:g} cores: --actor-cores",
                cores=self._actor_cores,
            )
        self.run(lambda: self._lots == 0)

    def run(self, going_on: Callable[[], bool]) -> None:
        """Let others play until told to stop."""
        while going_on():
            self._publish()
            if time.monotonic() >= self._look_at:
                self._look()
            if not self._orders:
                time.sleep(LOOK_SECONDS / 10)  # until a machine comes
                continue
            self._ray.wait(list(self._orders), num_returns=1, timeout=LOOK_SECONDS / 4)
            arrived, _ = self._ray.wait(list(self._orders), num_returns=len(self._orders), timeout=0)
            for lot in arrived:
                self._take(lot)

    def _take(self, reference: Any) -> None:
        member = self._orders.pop(reference, None)
        if member is None:
            return  # its actor was written off a moment ago
        try:
            lot: Lot = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            self._lose(member, error)
            return
        if not member.lots:
            self._note(member, "playing", host=lot.host, process=lot.process, device=lot.device)
        for text in lot.told:
            self._note(member, "told", text=text)
        member.lots += 1
        member.weights = lot.weights
        self._lots += 1
        self._false_starts.pop(member.node, None)
        self._order(member)
        self._clock.add(lot.clock)
        if lot.finished is not None:
            samples = lot.finished.samples
            states = self._board.with_handles(samples.state.copy())
            self._finished(replace(lot.finished, samples=replace(samples, state=states)))

    def _order(self, member: Member) -> None:
        """What comes over the wire is shared by all actors of a machine."""
        weights = self._weights if member.sent < self._version else None
        member.sent = self._version
        seconds = max(LOT_SECONDS, SECONDS_AN_ACTOR * len(self._members))
        self._orders[member.handle.play.remote(seconds, self._share(), self._version, weights)] = member

    # Actors.

    def _look(self) -> None:
        """Let actors begin where there is room."""
        self._look_at = time.monotonic() + LOOK_SECONDS
        rooms = self._rooms()
        most = self._settings.actors or sum(room.actors for room in rooms)
        while len(self._members) < most:
            taken = Counter(member.node for member in self._members)
            free = [room for room in rooms if taken[room.node] < room.actors]
            if not free:
                break
            self._start(min(free, key=lambda room: taken[room.node] / room.actors))
        if not self._members and self._trouble and not rooms:
            raise HansuError("no actor can play: {trouble}", trouble=self._trouble)

    def _rooms(self) -> list[Room]:
        """Machines that are alive and not left alone."""
        rooms = []
        for node in self._ray.nodes():
            if node["Alive"] and self._false_starts[node["NodeID"]] < FALSE_STARTS:
                rooms.append(self._room(node["NodeID"], node["Resources"]))
        return [room for room in rooms if room.actors]

    @property
    def _actor_cores(self) -> float:
        return self._settings.actor_cores

    def _room(self, node: str, resources: dict[str, float]) -> Room:
        """An actor for each graphics card, the cores divided among them; else one for each core. On the learner's
        machine one core is left to it, if there are two."""
        cores, cards = resources.get("CPU", 0.0), int(resources.get("GPU", 0))
        if self._settings.device == "cpu" or cores < cards:
            cards = 0
        if node == self._here and cores >= 1 + (cards or self._actor_cores):
            cores -= 1
        if cards:
            return Room(node, cards, cores // cards, 1)
        return Room(node, int(cores / self._actor_cores), self._actor_cores, 0)

    def _start(self, room: Room) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self._begun += 1
        role = self._role("cuda" if room.cards else "cpu", max(1, int(room.cores)), self._begun)
        made = self._ray.remote(Actor).options(
            num_cpus=room.cores, num_gpus=room.cards, max_restarts=0, max_task_retries=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(room.node, soft=False),
        )  # fmt: skip
        member = Member(made.remote(role), room.node, self._begun)
        self._members.append(member)
        self._note(member, "begun")
        for _ in range(ORDERS):
            self._order(member)

    def _lose(self, member: Member, error: Exception) -> None:
        """Write an actor off: what it had not sent is lost, nothing else."""
        self._members.remove(member)
        self._orders = {lot: owner for lot, owner in self._orders.items() if owner is not member}
        self._lost += 1
        self._false_starts[member.node] += 0 if member.lots else 1
        self._trouble = trouble_of(error)
        self._ray.kill(member.handle)
        self._note(member, "lost", text=self._trouble)

    def _note(self, member: Member, event: str, **more: Any) -> None:
        self._log({"kind": "actor", "event": event, "actor": member.number, "node": member.node, **more})

    # For the log, and the end.

    def lap(self) -> PhaseTimer:
        """What all actors did since this was last asked."""
        clock, self._clock = self._clock, PhaseTimer()
        return clock

    def told(self) -> dict[str, Any]:
        """What else the log should know."""
        behind = [self._version - member.weights for member in self._members if member.lots]
        return {
            "actors": len(self._members), "nodes": len({member.node for member in self._members}),
            "lost_actors": self._lost, "lots": self._lots, "weights": self._version,
            "weights_behind": max(behind, default=0),
        }  # fmt: skip

    def close(self) -> None:
        for member in self._members:
            self._ray.kill(member.handle)
        self._members, self._orders = [], {}
