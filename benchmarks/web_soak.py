"""Does the web server leak? python benchmarks/web_soak.py [SECONDS]

Thirty visitors come and go for SECONDS (40 unless told): they play four games against several players, ask for hints,
analyses and X-rays, and leave in the middle; some keep no rules (say nothing, take nothing, flood). Every few seconds
the server's memory, threads and descriptors are printed. Before that, others come until everything is compiled. The
peer is the server itself: when everybody has left after the second half, it must hold no more threads and descriptors
than after the first, and hardly more memory.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from measure import claim
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

VISITORS = 30
MOST_ROUNDS = 6
PLAYERS = ["human", "random", "minimax:depth=2", "alphabeta:depth=3", "mcts:simulations=200", "iterative:depth=3"]
GAMES = ["tictactoe", "connect_four", "ataxx", "pacman:layout=testClassic"]
PING = b"\x89\x80\0\0\0\0"


class Held(NamedTuple):
    """What a process holds."""

    megabytes: float
    threads: int
    descriptors: int

    def __str__(self) -> str:
        return f"{self.megabytes:.0f} MB, {self.threads} threads, {self.descriptors} descriptors"


def held(pid: int) -> Held:
    words = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    memory, threads = int(words["VmRSS"].split()[0]), int(words["Threads"])
    return Held(memory / 1024, threads, len(os.listdir(f"/proc/{pid}/fd")))


async def play(page: ClientConnection, chance: random.Random, until: float, done: Counter[str]) -> None:
    """Some things that people do, in no order."""
    name = chance.choice(GAMES)
    opening = {"game": name, "first": chance.choice(PLAYERS), "second": chance.choice(PLAYERS)}
    await page.send(json.dumps({"type": "open", **opening, "limit": {"time": 0.05}}))
    state: dict[str, Any] = {"type": "state", "choices": [], "plies": 0}
    steps = chance.randrange(40)
    while steps and time.monotonic() < until:
        try:
            told = json.loads(await asyncio.wait_for(page.recv(), chance.uniform(0.1, 0.5)))
            done[told["type"]] += 1
        except TimeoutError:
            told = state  # nothing happens: the visitor does something
        if told["type"] != "state":
            continue
        state, steps = told, steps - 1
        await page.send(json.dumps(something(state, chance)))


def something(state: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    ways: list[dict[str, Any]] = [
        {"type": "analyse", "player": "iterative", "seconds": 0.2},
        {"type": "xray", "player": chance.choice(["alphabeta:depth=2", "mcts:simulations=30"])},
        {"type": chance.choice(["hint", "undo", "swap", "stop", "picture"])},
        {"type": "jump", "ply": chance.randrange(state["plies"] + 1)},
    ]
    move = {"type": "move", "action": chance.choice(state["choices"])["action"]} if state["choices"] else None
    return move if move and chance.random() < 0.6 else chance.choice(ways)


async def visit(port: int, chance: random.Random, until: float, done: Counter[str]) -> None:
    while time.monotonic() < until:
        done["visits"] += 1
        try:
            if chance.random() < 0.15:
                await misbehave(port, chance, until)
                continue
            async with connect(f"ws://127.0.0.1:{port}/play", max_size=None, compression=None) as page:
                while time.monotonic() < until and chance.random() < 0.8:
                    await play(page, chance, until, done)
                if chance.random() < 0.3:
                    page.transport.abort()  # it leaves without a word
        except (OSError, ConnectionClosed, TimeoutError) as error:
            done[type(error).__name__] += 1


async def misbehave(port: int, chance: random.Random, until: float) -> None:
    """Say nothing, take nothing, or flood."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 10)
    try:
        what = chance.randrange(3)
        if what:
            key = base64.b64encode(chance.randbytes(16)).decode()
            head = f"GET /play HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            writer.write(f"{head}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
        if what == 1:
            writer.write(20_000 * PING)
        if what == 2:
            for text in (b'{"type":"open","game":"pacman"}', *(300 * [b'{"type":"jump","ply":0}'])):
                writer.write(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
        await asyncio.sleep(min(chance.uniform(0, 5), until - time.monotonic()))
    finally:
        writer.transport.abort()


async def crowd(port: int, pid: int, seconds: float, seed: int, done: Counter[str]) -> None:
    until = time.monotonic() + seconds
    visitors = [asyncio.ensure_future(visit(port, random.Random(f"{seed} {i}"), until, done)) for i in range(VISITORS)]
    began = time.monotonic()
    while not all(visitor.done() for visitor in visitors):
        await asyncio.wait(visitors, timeout=max(seconds / 8, 1.0))
        print(f"  after {time.monotonic() - began:4.0f} s: {held(pid)}", flush=True)
    for visitor in visitors:
        visitor.result()


def rest(port: int, pid: int) -> Held:
    """What the server holds when everybody has left."""
    for _ in range(600):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status", timeout=60) as answer:
            status = json.loads(answer.read())
        if status["connections"] == 1 and not status["searching"] and not status["sessions"]:
            time.sleep(0.5)  # the last connection's own descriptor
            return held(pid)
        time.sleep(0.1)
    sys.exit(f"not everybody could leave: {status}")


def settle(port: int, pid: int, seconds: float) -> None:
    """Visitors come until the server has compiled and loaded what they need: until a round of them leaves hardly more
    behind than the one before. A leak does not settle."""
    before = 0.0
    for number in range(MOST_ROUNDS):
        print(f"round {number + 1} until it has settled")
        asyncio.run(crowd(port, pid, seconds, -number, Counter()))
        now = rest(port, pid).megabytes
        if now < 1.1 * before:
            break
        before = now


def main(seconds: float) -> None:
    if not Path("/proc/self/fd").is_dir():
        sys.exit("this needs /proc, which only Linux has")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "hansu", "serve", "--port", str(port)], stdout=subprocess.PIPE)
    done: Counter[str] = Counter()
    try:
        assert server.stdout is not None
        server.stdout.readline()
        settle(port, server.pid, max(seconds / 2, 20))
        found = []
        for half in (1, 2):
            print(f"half {half}, {VISITORS} visitors for {seconds / 2:g} s")
            asyncio.run(crowd(port, server.pid, seconds / 2, half, done))
            found.append(rest(port, server.pid))
            print(f"  everybody has left: {found[-1]}")
    finally:
        server.terminate()
        server.wait(20)
    print(", ".join(f"{count:,} {what}" for what, count in done.most_common()))
    first, second = found
    claim("threads after the first half", first.threads, second.threads, "after the second", 1, "")
    claim("descriptors after the first half", first.descriptors, second.descriptors, "after the second", 1, "")
    claim("memory after the first half", first.megabytes, second.megabytes, "after the second", 0.8, " MB")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 40)
