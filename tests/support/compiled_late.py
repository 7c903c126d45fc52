"""A server of a protocol on standard input and output that tells, when it ends, what it compiled (or loaded) after its
first OK or readyok: a fresh process, because each loads its code only once."""

from __future__ import annotations

import sys
from typing import Any

from hansu.compile.native import Compiled
from hansu.core import registry
from hansu.games.ataxx.uai.ataxx_engine import AtaxxEngine
from hansu.games.ataxx.uai.server import UaiServer
from hansu.games.renju.gomocup.renju_engine import RenjuEngine
from hansu.games.renju.gomocup.server import GomocupServer
from hansu.protocols.server import Server

names: list[str] = []
ready_at: list[int] = []
compile_it, say = Compiled._compile, Server.say


def noting_compile(self: Compiled, args: tuple[Any, ...]) -> None:
    names.append(self.name)
    compile_it(self, args)


def noting_say(self: Server, *lines: str) -> None:
    if lines[0] in ("OK", "readyok"):
        ready_at.append(len(names))
    say(self, *lines)


if __name__ == "__main__":
    Compiled._compile, Server.say = noting_compile, noting_say  # type: ignore[method-assign]
    server = GomocupServer(RenjuEngine()) if sys.argv[1] == "renju" else UaiServer(AtaxxEngine(registry.game("ataxx")))
    server.serve()
    print("early", *names[: ready_at[0]])
    print("late", *names[ready_at[0] :])
