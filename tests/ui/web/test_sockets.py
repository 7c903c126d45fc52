"""Below the messages: connections that say nothing, take nothing, or flood; and how workers and memory are shared."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.web_page import MORE, PING, TEXT, Page, RawSocket, Server, frame, running
from support.web_players import Stubborn, toy
from websockets.exceptions import WebSocketException

from hansu.core.machine import memory_bytes
from hansu.ui.web.connections import Connections, FrameCount
from hansu.ui.web.limits import Bounds

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is this machine on Linux only")


def still_plays(server: Server) -> None:
    page = None
    while page is None:
        with contextlib.suppress(OSError, EOFError, WebSocketException):  # too busy to keep to its bounds
            page = Page(server)
    page.change("open", game="tictactoe")
    assert page.change("move", move="5")["plies"] == 1
    page.close()


# Connections.


def test_whoever_asks_for_nothing_is_closed() -> None:
    with running(request_seconds=0.2) as server:
        silent, slow = RawSocket(server.port, upgrade=False), RawSocket(server.port, upgrade=False)
        with contextlib.suppress(ConnectionError):  # closed already
            slow.send(b"GET /api/status HTTP/1.1\r\nHost: ")
        assert silent.rest() == slow.rest() == b""
        still_plays(server)


def test_whoever_does_not_go_on_asking_is_closed() -> None:
    """A whole request, and then half of another."""
    with running(answer_seconds=0.2) as server:
        slow = RawSocket(server.port, upgrade=False)
        slow.send(f"GET /api/status HTTP/1.1\r\nHost: {server.address}\r\n\r\nGET ".encode())
        assert slow.rest().startswith(b"HTTP/1.1 200")


def test_whoever_takes_no_answer_is_closed() -> None:
    with running(answer_seconds=0.2) as server:
        greedy = RawSocket(server.port, upgrade=False)
        with contextlib.suppress(ConnectionError):  # closed already
            for _ in range(40):  # more than the buffers on the way hold
                greedy.send(f"GET /api/catalogue HTTP/1.1\r\nHost: {server.address}\r\n\r\n".encode())
        server.wait_until(connections=1)  # only the one that asks for the status
        greedy.close()


def test_a_page_that_takes_nothing_is_cut_off() -> None:
    """Not only its session is gone, but also its descriptor and what waits for it."""
    with running(send_seconds=0.2, linger_seconds=0.2) as server:
        deaf = [RawSocket(server.port) for _ in range(3)]
        for each in deaf:
            with contextlib.suppress(OSError):
                each.say(type="open", game="pacman:layout=originalClassic")
                for _ in range(400):  # each answer is a picture of some 60,000 characters
                    each.say(type="jump", ply=0)
        server.wait_until(sessions=0, connections=1)
        for each in deaf:
            each.close()


def test_there_is_room_for_so_many_connections() -> None:
    with running(connections=4) as server:
        silent = [RawSocket(server.port, upgrade=False) for _ in range(4)]
        pages = []
        for one in silent:  # the one that has been silent longest makes way
            pages.append(Page(server))
            assert one.rest() == b""
        with pytest.raises((OSError, EOFError, WebSocketException)):  # pages do not
            Page(server)
        for page in pages:
            assert page.change("open", game="tictactoe")["ply"] == 0
        for each in pages:
            each.close()
        server.wait_until(connections=1)


class FakeTransport(asyncio.Transport):
    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 1)})
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


def test_an_address_takes_only_its_own_places() -> None:
    connections = Connections(Bounds(connections=4, connections_of_an_address=2))
    other = FakeTransport("192.168.0.8")
    assert connections.enter(other) is not None
    own = [FakeTransport("192.168.0.9") for _ in range(4)]
    for each in own[:3]:
        assert connections.enter(each) is not None
    assert [each.aborted for each in own[:3]] == [True, False, False] and not other.aborted
    for each in own[1:3]:
        assert connections.upgrade(each) is not None
    assert connections.enter(own[3]) is None  # both of its places are pages now
    assert connections.total == 3 and not other.aborted


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are counted otherwise")
def test_descriptors_do_not_run_out() -> None:
    """150 that say nothing, where 100 files may be open: who has something to say is heard, and the log is empty."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = f"ulimit -n 100; exec {sys.executable} -m hansu serve --port {port}"
    process = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        process.stdout.readline()
        silent = [RawSocket(port, upgrade=False) for _ in range(150)]
        for path in ("/api/status", "/", "/static/main.js"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=600) as answer:
                assert answer.status == 200
        for each in silent:
            each.close()
    finally:
        process.terminate()
        _, log = process.communicate(timeout=600)
    assert log == ""


# Frames.


def test_frames_are_counted_however_they_arrive() -> None:
    sent = [frame(TEXT, bytes(n)) for n in (0, 1, 125, 126, 300, 65_535)] + [frame(PING), frame(MORE, b"x", False)]
    sent.append(b"\x82\xff" + (70_000).to_bytes(8, "big") + bytes(4 + 70_000))
    stream = b"".join(sent * 2)
    for size in (1, 2, 7, 1_000, len(stream)):
        counter = FrameCount()
        assert sum(counter.count(stream[i : i + size]) for i in range(0, len(stream), size)) == 2 * len(sent)


@pytest.mark.parametrize(
    "flood", [frame(PING), frame(PING, b"x" * 125), frame(MORE, b"", False)], ids=["pings", "long pings", "parts"]
)
def test_a_flood_of_frames_closes_the_socket(server_of_frames: Server, flood: bytes) -> None:
    with contextlib.suppress(ConnectionError):
        raw = RawSocket(server_of_frames.port)
        raw.send(frame(TEXT, b"", False) + 5_000 * flood)
    assert len(raw.rest()) < 5_000 * len(flood)  # not every ping was answered, and the server has closed it
    still_plays(server_of_frames)
    server_of_frames.wait_until(sessions=0)


@pytest.fixture(scope="module")
def server_of_frames() -> Iterator[Server]:
    with running() as made:
        yield made


def test_a_message_in_parts_is_read(server_of_frames: Server) -> None:
    page = RawSocket(server_of_frames.port)
    text = b'{"type": "open", "id": 7, "game": "tictactoe"}'
    parts = [text[i : i + 1] for i in range(len(text))]
    page.send(b"".join(frame(MORE if i else TEXT, part, i == len(parts) - 1) for i, part in enumerate(parts)))
    heard = b""
    while b'"re":7' not in heard:
        heard += page.socket.recv(1 << 16)
    page.close()


def test_nonsense_leaves_nothing_in_the_log(server_of_frames: Server, caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("uvicorn.error")
    logger.addHandler(caplog.handler)  # it hands nothing up
    try:
        raw = RawSocket(server_of_frames.port)
        raw.send(frame(TEXT, b"\xff\xfe"))
        assert raw.rest().endswith(b"\x88\x02\x03\xef")  # 1007: not UTF-8
        for nonsense in (
            b"nonsense\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        ):
            raw = RawSocket(server_of_frames.port, upgrade=False)
            raw.send(nonsense)
            assert raw.socket.recv(100).startswith(b"HTTP/1.1 4")
            raw.close()
        raw = RawSocket(server_of_frames.port)
        raw.send(b"\xff" * 20)
        raw.rest()
    finally:
        logger.removeHandler(caplog.handler)
    assert caplog.records == []


# Messages.


def test_a_message_that_is_dropped_is_answered() -> None:
    """Or the page that sent it would wait for ever."""
    with running(messages_a_second=0.001, burst=3) as server:
        page = Page(server)
        page.change("open", game="tictactoe")
        numbers = [page.say("picture") for _ in range(30)]
        answered = [page.hear("picture", "error") for _ in numbers]
        assert [told["re"] for told in answered if told["type"] == "error"] == numbers[2:]
        assert {told["code"] for told in answered if told["type"] == "error"} == {"rate"}
        page.close()


def test_heads_can_be_asked_for(server_of_frames: Server) -> None:
    for path in ("/", "/api/status", "/api/catalogue", "/static/main.js"):
        status, headers, text = server_of_frames.get(path, "HEAD")
        assert status == 200 and text == "" and "content-security-policy" in headers, path


# Workers.


@LINUX
def test_whoever_holds_all_workers_gives_one_up() -> None:
    with running(workers=2, share_seconds=0.1) as server:
        greedy = [Page(server), Page(server)]
        for page in greedy:
            page.change("open", game="connect_four", first="iterative", limit={"time": 60.0})
            page.hear("progress")
        other = Page(server, source_address=("127.0.0.2", 0))
        other.change("open", game="tictactoe", first="random")
        assert other.settled()["plies"] == 1
        server.wait_until(searching=1)  # the second of the others still thinks
        for page in (*greedy, other):
            page.close()


@LINUX
def test_turns_go_round_and_a_full_queue_has_room_for_others() -> None:
    with running([toy()], workers=1, queue=3) as server:
        greedy = [Page(server) for _ in range(4)]
        for number, page in enumerate(greedy):
            page.change("open", game="toy", first="stubborn")
            if number == 0:
                assert Stubborn.entered.acquire(timeout=600)
            server.wait_until(searching=1, queued=number)
        other = Page(server, source_address=("127.0.0.2", 0))
        other.change("open", game="toy", first="stubborn")
        assert greedy[3].hear("error")["code"] == "busy"  # the newest of the one who waits most
        while not any(told["type"] == "thinking" and told["queued"] for told in other.heard):
            other.hear("thinking")
        Stubborn.gate.set()
        assert other.settled()["plies"] == 1
        finished = [page.settled()["plies"] for page in greedy[:3]]
        assert finished == [1, 1, 1]
        Stubborn.gate.clear()
        for page in (*greedy, other):
            page.close()


# Memory.

LIMIT = "memory.limit_in_bytes"


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="the machine does not tell")
@pytest.mark.parametrize(
    ("groups", "files", "most"),
    [
        ("0::/\n", {"memory.max": "1000000\n"}, 1_000_000),
        ("0::/\n", {"memory.max": "max\n"}, None),
        ("0::/a/b\n", {"a/memory.max": "2000000\n", "a/b/memory.max": "max\n"}, 2_000_000),
        ("0::/outside/of/the/container\n", {"memory.max": "3000000\n"}, 3_000_000),
        ("3:cpu:/x\n4:memory:/x/y\n0::/\n", {"memory/x/y/memory.limit_in_bytes": "4000000\n"}, 4_000_000),
        ("4:cpu,memory:/x\n", {"memory/memory.limit_in_bytes": "5000000", "memory/x/" + LIMIT: "9" * 19}, 5_000_000),
        ("4:memory:/../../etc\n", {}, None),
        (None, {}, None),
    ],
)  # fmt: skip
def test_a_containers_limit_counts(tmp_path: Path, groups: str | None, files: dict[str, str], most: int | None) -> None:
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if groups is not None:
        (tmp_path / "proc" / "self").mkdir(parents=True)
        (tmp_path / "proc" / "self" / "cgroup").write_text(groups)
    for name, text in files.items():
        file = tmp_path / "sys" / "fs" / "cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert memory_bytes(tmp_path) == (machine if most is None else most)
    assert 0 < Bounds().memory_bytes <= machine // 2
