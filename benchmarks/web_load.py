"""200 people at once: every one plays Connect Four in a browser's stead against `rule`, which answers at once.

A move's latency is the time from sending it to hearing the machine's answer: two states, two pictures. People pause a
second or so between moves; the peer is one person alone on the same server. Then the same without any pause, as fast
as the server can: its peer is the same games decided and drawn in one process without the web between.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from typing import Any

from measure import claim
from websockets.asyncio.client import connect

from hansu import player
from hansu.core import registry
from hansu.scene.svg import svg

PEOPLE = 200
PAUSE = 1.0  # seconds between two moves of a person, on average
ARRIVAL = 5.0  # seconds within which they come
WARM_UP = 3.0


class Tally:
    def __init__(self) -> None:
        self.latencies: list[float] = []
        self.games = 0
        self.failures = 0


async def one_person(port: int, seed: int, until: float, pause: float, tally: Tally) -> None:
    chance = random.Random(seed)
    await asyncio.sleep(ARRIVAL * chance.random() * bool(pause))
    try:
        async with connect(f"ws://127.0.0.1:{port}/play", max_size=None, compression=None) as page:

            async def hear() -> dict[str, Any]:
                while True:
                    told = json.loads(await asyncio.wait_for(page.recv(), 60))
                    if told["type"] == "error":
                        raise RuntimeError(told["text"]["en"])
                    if told["type"] == "state" and not told["searching"]:
                        return told

            while time.perf_counter() < until:
                await page.send('{"type": "open", "game": "connect_four", "second": "rule"}')
                state = await hear()
                while not state["over"] and time.perf_counter() < until:
                    if pause:
                        await asyncio.sleep(chance.expovariate(1 / pause))
                    action = chance.choice(state["choices"])["action"]
                    began = time.perf_counter()
                    await page.send(json.dumps({"type": "move", "action": action, "ply": state["ply"]}))
                    state = await hear()
                    tally.latencies.append(time.perf_counter() - began)
                tally.games += state["over"]
    except Exception as error:
        tally.failures += 1
        print(f"person {seed}: {type(error).__name__}: {error}", file=sys.stderr)


def crowd(port: int, people: int, seconds: float, pause: float) -> Tally:
    async def run() -> Tally:
        tally = Tally()
        until = time.perf_counter() + seconds
        await asyncio.gather(*(one_person(port, seed, until, pause, tally) for seed in range(people)))
        return tally

    return asyncio.run(run())


def told(what: str, tally: Tally) -> tuple[float, float]:
    cuts = statistics.quantiles(tally.latencies, n=100)
    p50, p99 = cuts[49], cuts[98]
    print(
        f"{what}: {len(tally.latencies):,} moves, {tally.games} whole games, {tally.failures} failures, "
        f"p50 {1000 * p50:.1f} ms, p99 {1000 * p99:.1f} ms"
    )
    if tally.failures:
        sys.exit(1)
    return p50, p99


def without_the_web(seconds: float) -> float:
    """Moves a second where nobody talks: two moves and two pictures each."""
    machine = player("rule", registry.game("connect_four"))
    chance, done, began = random.Random(1), 0, time.perf_counter()
    at = registry.game("connect_four").first
    while time.perf_counter() < began + seconds:
        if at.over:
            at = registry.game("connect_four").first
        at = at.play(chance.choice(at.actions))
        svg(at.scene, sheet=False)
        if not at.over:
            at = at.play(machine.decide(at).action)
            svg(at.scene, sheet=False)
        done += 1
    return done / (time.perf_counter() - began)


def main() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "hansu", "serve", "--port", str(port)], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        server.stdout.readline()
        crowd(port, 4, ARRIVAL + WARM_UP, 0.1)
        alone = told("one person alone", crowd(port, 1, 12, 0.05))
        together = told(f"{PEOPLE} people, {PAUSE:g} s between moves", crowd(port, PEOPLE, 25, PAUSE))
        rushed = crowd(port, PEOPLE, 10, 0.0)
        told(f"{PEOPLE} people without a pause", rushed)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status") as answer:
            print(f"afterwards: {answer.read().decode()}")
    finally:
        server.terminate()
        server.wait(20)
    claim("one person alone, half of the moves within", alone[0], together[0], f"{PEOPLE} people", 0.05, " s")
    claim("one person alone, 99 of 100 moves within", alone[1], together[1], f"{PEOPLE} people", 0.01, " s")
    claim("moves through the web", len(rushed.latencies) / 10, without_the_web(4), "no web between", 0.05)


if __name__ == "__main__":
    main()
