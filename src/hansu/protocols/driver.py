"""Base class of players that drive an external engine: command line, timeouts, and a log of the communication.

A crash, a timeout or an illegal move loses the game for the engine, and the log is written to a file.
"""

from __future__ import annotations

import re
import shlex
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TextIO, TypeVar

from hansu.core import Control, HansuError, Message, Player, option
from hansu.core.errors import PlayerFault
from hansu.protocols.program import MEMORY_LIMIT, Program

DEFAULT_SECONDS = 1.0  # per move, without a limit
POLL_SECONDS = 0.02  # between two checks of the stop flag
STOP_SECONDS = 1.0  # to answer a stop request
EXIT_SECONDS = 1.0  # to exit after the quit command
KEPT_LINES = 2000
MAX_LINE = 1000  # characters of a line in the log
HOSTS = re.compile(r"(python|pypy|wine|java|node|mono|env|(ba|da|z)?sh|perl)[\d.]*(64)?(\.exe)?$")

T = TypeVar("T")


@dataclass
class Driver(Player):
    """Subclass it for a protocol, and subclass that with a `kind` for a game."""

    stop_word: ClassVar[str]  # the line that asks for a move now
    heeds_stop: ClassVar[bool]  # whether every engine of the protocol supports that line
    farewell: ClassVar[str]  # the quit command
    own_folder: ClassVar[bool] = False  # run the engine in its own folder

    cmd: str = option("", Message("command line of the engine"), program=True)
    grace: float = option(
        0.5,
        Message("seconds by which the engine may exceed its time before it loses"),
        low=0,
        high=60,
    )
    start: float = option(
        30.0,
        Message("seconds that the engine may take to start"),
        low=0.1,
        high=3600,
    )
    log: str = option(
        "",
        Message("file for a log of the communication; without it, a log is only written after a fault"),
    )

    def __post_init__(self) -> None:
        try:
            self._command = shlex.split(self.cmd)
        except ValueError as error:
            raise HansuError(
                "{kind}: cannot read cmd={cmd}: {error}", kind=self.kind, cmd=self.cmd, error=error
            ) from None
        if not self._command:
            raise HansuError("{kind} needs an engine", "name one: {kind}:cmd=path/to/engine", kind=self.kind)
        if self.log and not Path(self.log).expanduser().parent.is_dir():
            raise HansuError("{kind}: there is no folder for log={log}", kind=self.kind, log=self.log)
        self._program: Program | None = None
        self._said: deque[str] = deque(maxlen=KEPT_LINES)
        self._since_sent = 0  # lines of the engine since our last one
        self._log: TextIO | None = None

    def _launch(self, memory_limit: int = MEMORY_LIMIT) -> None:
        folder = home(self._command) if self.own_folder else None
        command = [str(Path(word).absolute()) if folder and Path(word).is_file() else word for word in self._command]
        self._program = Program(command, self.name, memory_limit, folder)

    def _note(self, mark: str, line: str) -> None:
        self._since_sent = 0 if mark == ">" else self._since_sent + 1
        if self._since_sent > KEPT_LINES:
            return  # endless output
        text = f"{time.strftime('%H:%M:%S')} {mark} {line[:MAX_LINE]}"
        self._said.append(text)
        if self.log:
            if self._log is None:
                self._log = Path(self.log).expanduser().open("a", encoding="utf-8", errors="replace", buffering=1)
            self._log.write(text + "\n")

    @contextmanager
    def _faults_are_kept(self) -> Iterator[None]:
        """After a fault, end the engine and name the log file in the message, unless the engine never started."""
        try:
            yield
        except PlayerFault as error:
            if self._program is None:
                raise
            for line in self._program.errors:
                self._note("!", line)
            self._note("=", error.what)
            self._program.kill()
            self.close()
            where = self.log
            if not where:
                with tempfile.NamedTemporaryFile(
                    "w", prefix=f"hansu-{self.kind}-", suffix=".log", delete=False, encoding="utf-8"
                ) as file:
                    file.writelines(line + "\n" for line in self._said)
                where = file.name
            raise PlayerFault("{what}; see the log {where}", error.hint, what=error.what, where=where) from None

    def _send(self, line: str) -> None:
        assert self._program is not None
        self._note(">", line)
        self._program.send(line)

    def _starting(self) -> tuple[float, str]:
        """Arguments of `_wait` while the engine starts."""
        return time.perf_counter() + self.start, f"{self.start:.3g} s (start=)"

    def _listen(self, seconds: float, control: Control, read: Callable[[str], T | None]) -> T:
        """Read lines until `read` returns a result; raises PlayerFault after `seconds` and the grace."""
        end = time.perf_counter() + seconds + self.grace
        allowed = f"{seconds:.3g} s plus {self.grace:.3g} s (grace=)"
        asked_to_stop = False
        while True:
            if control.stopped and not asked_to_stop:
                asked_to_stop = True
                self._send(self.stop_word)
                if self.heeds_stop:
                    end = min(end, time.perf_counter() + max(self.grace, STOP_SECONDS))
            result = read((self._wait(end, allowed) or "").strip())
            if result is not None:
                return result

    def _wait(self, end: float, allowed: str) -> str | None:
        """The next line; None after a moment without one. Raises PlayerFault at `end`; `allowed` describes the time
        limit in the message."""
        left = end - time.perf_counter()
        assert self._program is not None
        if left <= 0:
            self._program.kill()
            raise PlayerFault("{name} did not answer within {allowed}", name=self.name, allowed=allowed)
        line = self._program.wait(min(POLL_SECONDS, left))
        if line is not None:
            self._note("<", line)
        return line

    def close(self) -> None:
        if self._program is not None:
            with suppress(PlayerFault):  # the engine may have ended
                self._program.send(self.farewell)
            self._program.kill(after=EXIT_SECONDS)
            self._program = None
        if self._log is not None:
            self._log.close()
            self._log = None


def home(command: list[str]) -> Path | None:
    """The folder of the program of a command; if the program is an interpreter, of its script."""
    files = [word for word in command if Path(word).is_file()]
    if len(files) > 1 and files[0] == command[0] and HOSTS.search(files[0]):
        files = files[1:]
    return Path(files[0]).resolve().parent if files else None
