"""Runs `hansu` commands without their start-up time: a process that has imported everything forks for each command.

`python forked.py REQUESTS REPLIES` (two file descriptors). A request is a line of JSON that names files for standard
input, output and error. The reply is the exit status. This saves half a second to a second of imports per command, for
hundreds of commands.
"""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import random
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

TIMEOUT = 900  # seconds


class Forks:
    """Runs commands as forks of one process, which the first command starts. Close it after use."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(
        self, words: tuple[str, ...], input: str, cwd: Path | None, env: dict[str, str] | None
    ) -> subprocess.CompletedProcess[str]:
        if self._process is None:
            self._start()
        with tempfile.TemporaryDirectory(prefix="hansu-command-") as folder:
            files = [Path(folder) / name for name in ("in", "out", "err")]
            files[0].write_text(input)
            request = {
                "words": words, "files": [str(file) for file in files], "cwd": str(cwd or Path.cwd()),
                "env": dict(os.environ if env is None else env),
            }  # fmt: skip
            self._requests.write(json.dumps(request) + "\n")
            self._requests.flush()
            code = int(self._replies.readline())
            return subprocess.CompletedProcess(words, code, files[1].read_text(), files[2].read_text())

    def _start(self) -> None:
        request_end, requests = os.pipe()
        replies, reply_end = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(request_end), str(reply_end)], pass_fds=(request_end, reply_end),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(request_end)
        os.close(reply_end)
        self._requests, self._replies = os.fdopen(requests, "w"), os.fdopen(replies)

    def close(self) -> None:
        if self._process is not None:
            self._requests.close()
            self._process.wait()
            self._replies.close()


def serve(requests: int, replies: int) -> None:
    """Fork for every request until the pipe is closed."""
    import numba

    import hansu.arena
    import hansu.commands
    import hansu.search.players
    import hansu.ui

    for package in (hansu.arena, hansu.commands, hansu.ui):
        for module in pkgutil.iter_modules(package.__path__):
            if not module.ispkg and "worker" not in module.name:
                importlib.import_module(f"{package.__name__}.{module.name}")
    for game in hansu.names():
        hansu.core.registry.built_in(game)
    numba.njit(lambda x: x + 1)(1)  # triggers Numba's one-time initialisation
    gc.freeze()  # otherwise a child copies pages that it only reads
    lines = os.fdopen(requests)
    while line := lines.readline():
        request = json.loads(line)
        if request["words"][:1] == ["train"]:  # only training needs torch
            with suppress(ImportError):
                importlib.import_module("torch")
        child = multiprocessing.get_context("fork").Process(target=command, args=(request,))
        child.start()
        child.join()
        os.write(replies, f"{child.exitcode}\n".encode())


def command(request: dict[str, Any]) -> None:
    """Run one command in the forked process."""
    from hansu.cli import main

    signal.alarm(TIMEOUT)
    random.seed()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    for number, file in enumerate(request["files"]):
        opened = os.open(file, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.argv = ["hansu", *request["words"]]
    main()


if __name__ == "__main__":
    serve(*map(int, sys.argv[1:]))
