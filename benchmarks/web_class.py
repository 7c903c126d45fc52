"""A class of 40 comes to a server that was never started before, all within a second, to all seven games.

Nothing is compiled yet, so whoever plays meets a stand-in until its player is ready: what is measured is the time from
a move to the machine's answer, first and later, and that nobody is refused. Then, on a server that is ready, 40 people
play while others have games reviewed and searches opened as fast as a page may ask: the peer is the same class
without them.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from measure import claim
from web_load import Tally, crowd, one_person, told
from websockets.asyncio.client import ClientConnection, connect

from hansu.core import registry

PEOPLE = 40
COLD_SECONDS = 60.0
STUDY_SECONDS = 20.0
STUDENTS = 4  # of each kind
PAUSE = 1.0
GAME = ["1", "5", "2", "3", "4", "7"]  # of tic-tac-toe
BREATH = 0.05  # seconds between two questions: a page may not send more messages a second


@contextmanager
def server(cache: str | None = None) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = os.environ | ({"HANSU_CACHE": cache} if cache else {})
    command = [sys.executable, "-m", "hansu", "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status").read()
                break
            except ConnectionError:
                time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait(20)


async def heard(page: ClientConnection, *kinds: str) -> dict[str, Any]:
    while True:
        answer: dict[str, Any] = json.loads(await asyncio.wait_for(page.recv(), 120))
        if answer["type"] == "error":
            raise RuntimeError(answer["text"]["en"])
        if answer["type"] in kinds and not answer.get("searching"):
            return answer


async def newcomer(port: int, seed: int, until: float, first: Tally, later: Tally) -> None:
    """Opens a game as its page does, and plays by chance against whoever sits there."""
    chance = random.Random(seed)
    name = registry.names()[seed % len(registry.names())]
    await asyncio.sleep(chance.random())
    try:
        async with connect(f"ws://127.0.0.1:{port}/play", max_size=None, compression=None) as page:
            tally = first
            while time.perf_counter() < until:
                opponent = registry.built_in(name).opponent
                await page.send(json.dumps({"type": "open", "game": name, "second": opponent, "limit": {"time": 1}}))
                state = await heard(page, "state")
                while not state["over"] and time.perf_counter() < until:
                    await asyncio.sleep(chance.expovariate(1 / PAUSE))
                    action = chance.choice(state["choices"])["action"]
                    began = time.perf_counter()
                    await page.send(json.dumps({"type": "move", "action": action, "ply": state["ply"]}))
                    state = await heard(page, "state")
                    tally.latencies.append(time.perf_counter() - began)
                    tally = later
    except Exception as error:
        first.failures += 1
        print(f"{name}, person {seed}: {type(error).__name__}: {error}", file=sys.stderr)


async def student(port: int, until: float, tally: Tally, ask: dict[str, Any]) -> None:
    """Asks for the same again and again."""
    try:
        async with connect(f"ws://127.0.0.1:{port}/play", max_size=None, compression=None) as page:
            await page.send(json.dumps({"type": "open", "game": "tictactoe", "moves": GAME[: ask.pop("plies")]}))
            await heard(page, "state")
            while time.perf_counter() < until:
                began = time.perf_counter()
                await page.send(json.dumps(ask))
                await heard(page, ask["type"])
                tally.latencies.append(time.perf_counter() - began)
                await asyncio.sleep(BREATH)
    except Exception as error:
        tally.failures += 1
        print(f"{ask['type']}: {type(error).__name__}: {error}", file=sys.stderr)


def all_of(jobs: Callable[[float], list[Awaitable[None]]], seconds: float) -> None:
    async def run() -> None:
        await asyncio.gather(*jobs(time.perf_counter() + seconds))

    asyncio.run(run())


def cold() -> tuple[float, float]:
    first, later = Tally(), Tally()
    with tempfile.TemporaryDirectory() as cache, server(cache) as port:
        all_of(lambda until: [newcomer(port, seed, until, first, later) for seed in range(PEOPLE)], COLD_SECONDS)
    slowest = max(first.latencies)
    half = told(f"{PEOPLE} people, cold, first move", first)[0]
    told(f"{PEOPLE} people, cold, every later move in {COLD_SECONDS:g} s", later)
    print(f"the slowest first move: {slowest:.2f} s")
    return half, slowest


def studied() -> tuple[float, float]:
    reviews, xrays, moves = Tally(), Tally(), Tally()
    review = {"type": "review", "player": "minimax", "seconds": 5, "plies": 6}
    xray = {"type": "xray", "player": "alphabeta:depth=4", "most": 400, "plies": 3}

    def jobs(port: int) -> Callable[[float], list[Awaitable[None]]]:
        return lambda until: [
            *(one_person(port, seed, until, PAUSE, moves) for seed in range(PEOPLE)),
            *(student(port, until, reviews, dict(review)) for _ in range(STUDENTS)),
            *(student(port, until, xrays, dict(xray)) for _ in range(STUDENTS)),
        ]

    with server() as port:
        crowd(port, 4, 8, 0.1)
        alone = told(f"{PEOPLE} people who play", crowd(port, PEOPLE, STUDY_SECONDS, PAUSE))
        all_of(jobs(port), STUDY_SECONDS)
    together = told(f"the same beside {STUDENTS} who review and {STUDENTS} who look into searches", moves)
    for what, tally in (("reviews", reviews), ("X-rays", xrays)):
        middle = statistics.median(tally.latencies)
        print(f"{what}: {len(tally.latencies)}, {tally.failures} failures, half of them within {1000 * middle:.0f} ms")
        if tally.failures:
            sys.exit(1)
    return alone[0], together[0]


def main() -> None:
    alone, together = studied()
    half, slowest = cold()
    claim("a class alone, half of the moves within", alone, together, "beside reviews and X-rays", 0.02, " s")
    claim("cold, half of the first moves within", half, slowest, "the slowest", 0.01, " s")


if __name__ == "__main__":
    main()
