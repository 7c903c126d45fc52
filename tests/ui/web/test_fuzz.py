"""Whatever comes over the socket: the session answers in the words of the contract and can be used afterwards."""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.web_page import Page, RawSocket, Server, frame, running

RELAXED = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

GAMES = ["tictactoe", "connect_four", "tree", "ataxx", "triangles:points=5", "pacman:layout=testClassic"]
PLAYERS = ["human", "random", "random:seed=3", "minimax:depth=1,interpreted=true", "mcts:simulations=9"]
MOVES = ["1", "5", "4", "a1", "g2", "A-B", "West", "0000", "", "9" * 41]

valid = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("open"), "game": st.sampled_from(GAMES), "first": st.sampled_from(PLAYERS),
         "second": st.sampled_from(PLAYERS), "moves": st.lists(st.sampled_from(MOVES), max_size=4),
         "start": st.sampled_from(["start", "1 5 9", "X.O/.X./..O", "x5o/7/7/7/7/7/o5x x 0 1"]),
         "auto": st.booleans(), "pace": st.sampled_from([0, 0.01])}
    ),
    st.fixed_dictionaries({"type": st.just("move"), "action": st.integers(-2, 60)}),
    st.fixed_dictionaries({"type": st.just("move"), "move": st.sampled_from(MOVES)}),
    st.fixed_dictionaries({"type": st.sampled_from(["undo", "swap", "resign", "step", "stop", "hint"])}),
    st.fixed_dictionaries({"type": st.just("jump"), "ply": st.integers(-1, 12)}),
    st.fixed_dictionaries({"type": st.just("auto"), "on": st.booleans()}),
    st.fixed_dictionaries({"type": st.just("players"), "first": st.sampled_from(PLAYERS)}),
    st.fixed_dictionaries({"type": st.sampled_from(["analyse", "xray"]), "player": st.sampled_from(PLAYERS)}),
    st.fixed_dictionaries({"type": st.just("line"), "moves": st.lists(st.sampled_from(MOVES), max_size=3)}),
    st.fixed_dictionaries({"type": st.just("picture"), "dark": st.booleans()}),
    st.fixed_dictionaries({"type": st.just("edit")}),
    st.fixed_dictionaries({"type": st.just("arrange"), "letters": st.text(".XOxo-", max_size=49), "mover": st.just(0)}),
    st.fixed_dictionaries({"type": st.just("export"), "format": st.sampled_from(["json", "txt", "pgn", "x"])}),
)  # fmt: skip
scraps = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.sampled_from(GAMES + PLAYERS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A message of the contract with something changed, dropped or added."""
    message: dict[str, Any] = dict(draw(valid))
    for _ in range(draw(st.integers(0, 2))):
        key = draw(st.sampled_from([*message, "id", "limit", "more"]))
        if draw(st.booleans()):
            message[key] = draw(scraps)
        else:
            message.pop(key, None)
    return json.dumps(message)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running(messages_a_second=1e9, burst=1_000_000_000, compile_seconds=1.0) as made:
        yield made


@pytest.fixture(scope="module")
def page(server: Server) -> Iterator[Page]:
    made = Page(server)
    yield made
    made.close()


def survives(page: Page, *messages: str | bytes) -> Counter[str]:
    """Say these, and then begin a game as if nothing had been. Counts what was answered, by type or code."""
    heard = len(page.heard)
    for message in messages:
        page.socket.send(message)
    number = page.say("open", game="tictactoe", moves=["5"])
    while True:
        told = page.hear("state", "error")  # each one is read by the contract
        if told["re"] == number and told.get("game") == "tictactoe":
            break
        assert told.get("code") != "internal", told
    assert page.moves == ["5"]
    assert page.change("move", move="1")["moves"] == ["1"]
    answers = Counter(told.get("code", told["type"]) for told in page.heard[heard:])
    del page.heard[:]
    return answers


@RELAXED
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_bytes_and_texts(page: Page, message: bytes | str) -> None:
    if isinstance(message, str):
        message = message.encode("utf-8", "replace").decode()
    survives(page, message)


@RELAXED
@given(scraps)
def test_any_json(page: Page, message: Any) -> None:
    survives(page, json.dumps(message))


@RELAXED
@given(st.lists(mutated(), min_size=1, max_size=5))
def test_messages_with_something_wrong(page: Page, messages: list[str]) -> None:
    survives(page, *messages)


@RELAXED
@given(st.lists(valid, min_size=1, max_size=12))
def test_any_order_of_messages(page: Page, messages: list[dict[str, Any]]) -> None:
    survives(page, *map(json.dumps, messages))


@settings(RELAXED, max_examples=60)
@given(st.text(max_size=40))
def test_any_address(server: Server, path: str) -> None:
    status, headers, _ = server.get("/" + quote(path.encode("utf-8", "replace"), safe="/:?=&,.%"))
    assert status in (200, 404, 405, 307) and "content-security-policy" in headers


# The long run: many messages and connections, counted.

SEEDS: list[dict[str, Any]] = [
    {"type": "open", "game": "connect_four", "first": "human", "second": "random:seed=3", "limit": {"time": 0.01}},
    {"type": "open", "game": "tictactoe", "start": "1 5 9", "moves": ["2"], "second": "mcts:simulations=9"},
    {"type": "open", "game": "ataxx", "start": "x5o/7/7/7/7/7/o5x x 0 1", "auto": False, "pace": 0.01},
    {"type": "move", "action": 3}, {"type": "move", "move": "5", "ply": 1}, {"type": "undo"}, {"type": "resign"},
    {"type": "swap"}, {"type": "players", "first": "human", "second": "random", "limit": {"depth": 2}},
    {"type": "jump", "ply": 1}, {"type": "auto", "on": True, "pace": 0.01}, {"type": "step"}, {"type": "stop"},
    {"type": "hint", "player": "random", "limit": {"time": 0.01}}, {"type": "line", "moves": ["4", "4"]},
    {"type": "analyse", "player": "minimax:depth=1,interpreted=true", "seconds": 0.1}, {"type": "edit"},
    {"type": "xray", "player": "minimax:depth=1", "most": 20}, {"type": "picture", "dark": True},
    {"type": "arrange", "letters": "X.O.X.O..", "mover": 1}, {"type": "export", "format": "json"},
]  # fmt: skip
ODD: list[Any] = [
    None, True, -1, 0, 2**63, 1e308, "", "x" * 50, "\ud800", [], {}, [[]], {"a": 1}, "random:seed=x", "수",
]  # fmt: skip


def changed(message: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """With a field dropped, replaced or added, and so on inside."""
    made = dict(message)
    key = chance.choice([*made, "id", "more"])
    match chance.randrange(3):
        case 0:
            made.pop(key, None)
        case 1:
            inner = made.get(key)
            made[key] = changed(inner, chance) if isinstance(inner, dict) else chance.choice(ODD)
        case 2:
            made[key] = chance.choice(SEEDS).get(key, chance.choice(ODD))
    return made


def damaged(data: bytes, chance: random.Random) -> bytes:
    """With some bytes changed, dropped or doubled."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        i = chance.randrange(len(made) or 1)
        made[i : i + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
    return bytes(made)


def random_message(chance: random.Random) -> str | bytes:
    message = chance.choice(SEEDS)
    for _ in range(chance.randrange(3)):
        message = changed(message, chance)
    text = json.dumps(message)
    return text if chance.random() < 0.8 else damaged(text.encode(), chance)


@pytest.mark.long
def test_many_messages(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    chance, heard, batches = random.Random(12), Counter[str](), 600
    for _ in range(batches):
        heard += survives(page, *(random_message(chance) for _ in range(40)))
    with capsys.disabled():
        print(f"\n{40 * batches:,} messages; answers: {', '.join(f'{n:,} {what}' for what, n in heard.most_common())}")
    assert heard["malformed"] > 5_000 and heard["state"] > 2_000  # many are wrong, many are not


@pytest.mark.long
def test_many_connections(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """Requests and frames that are almost right."""
    chance, heard = random.Random(13), Counter[str]()
    request = f"GET /api/status?x=1 HTTP/1.1\r\nHost: {server.address}\r\nAccept: */*\r\n\r\n".encode()
    for _ in range(2_000):
        upgraded = chance.random() < 0.6
        raw = RawSocket(server.port, upgrade=upgraded)
        raw.socket.settimeout(0.05)  # who sent half of something gets no answer
        with contextlib.suppress(OSError):
            for _ in range(chance.randint(1, 6)):
                message = random_message(chance)
                payload = message.encode() if isinstance(message, str) else message
                sound = frame(chance.choice([0, 1, 1, 1, 2, 8, 9, 10, 3]), payload[:65_535], chance.random() < 0.9)
                data = sound if upgraded else request
                raw.send(damaged(data, chance) if chance.random() < 0.4 else data)
            answer = raw.socket.recv(1 << 16)
            heard["frames" if upgraded else answer[:12].decode("latin-1") or "closed"] += 1
        raw.close()
    with capsys.disabled():
        print(f"\n2,000 connections; answers: {', '.join(f'{n:,} {what}' for what, n in heard.most_common())}")
    assert heard["HTTP/1.1 200"] and heard["frames"]
    page = Page(server)
    survives(page)
    page.close()


def test_nothing_is_left_behind(server: Server, page: Page) -> None:
    page.close()
    server.wait_until(sessions=0, searching=0, queued=0)
    assert server.app.state.shared.budget.spent == 0
