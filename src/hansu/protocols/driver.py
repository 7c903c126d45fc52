"""What every player that drives an outside program shares: its command line, its limits, and a log of what was said.

A crash, silence past its time or an illegal move is that program's loss; a file keeps the talk that led there.
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

DEFAULT_SECONDS = 1.0  # a move, where no limit is given
LOOK_SECONDS = 0.02  # how often the stop flag is looked at while the engine thinks
STOP_SECONDS = 1.0  # to answer when it is asked to stop
FAREWELL_SECONDS = 1.0  # to end by itself when it is asked to
KEPT_LINES = 2000
KEPT_LENGTH = 1000  # characters of a line
HOSTS = re.compile(r"(python|pypy|wine|java|node|mono|env|(ba|da|z)?sh|perl)[\d.]*(64)?(\.exe)?$")

T = TypeVar("T")


@dataclass
class Driver(Player):
    """Subclass for a protocol; that subclass with a `kind` for a game."""

    stop_word: ClassVar[str]  # the line that asks for its move at once
    heeds_stop: ClassVar[bool]  # every program of the protocol knows that line
    farewell: ClassVar[str]  # the line that asks the program to end
    own_folder: ClassVar[bool] = False  # it runs in the folder that it lies in

    cmd: str = option("", Message("the engine's command line"), program=True)
    grace: float = option(
        0.5,
        Message("seconds that it may overstep its time before it loses"),
        low=0,
        high=60,
    )
    start: float = option(
        30.0,
        Message("seconds until it must be ready; it may have to compile or to load a network"),
        low=0.1,
        high=3600,
    )
    log: str = option(
        "",
        Message("a file that gets everything that is said; without one, only a fault leaves a file"),
    )

    def __post_init__(self) -> None:
        try:
            self._command = shlex.split(self.cmd)
        except ValueError as error:
            raise HansuError(f"{self.kind}: cannot read cmd={self.cmd}: {error}") from None
        if not self._command:
            raise HansuError(f"{self.kind} needs an engine", f"{self.kind}:cmd=path/to/engine")
        if self.log and not Path(self.log).expanduser().parent.is_dir():
            raise HansuError(f"{self.kind}: there is no folder for log={self.log}")
        self._program: Program | None = None
        self._said: deque[str] = deque(maxlen=KEPT_LINES)
        self._since_sent = 0  # lines that it has said since we last said one
        self._log: TextIO | None = None

    def _launch(self, memory_limit: int = MEMORY_LIMIT) -> None:
        folder = home(self._command) if self.own_folder else None
        command = [str(Path(word).absolute()) if folder and Path(word).is_file() else word for word in self._command]
        self._program = Program(command, self.name, memory_limit, folder)

    def _note(self, mark: str, line: str) -> None:
        self._since_sent = 0 if mark == ">" else self._since_sent + 1
        if self._since_sent > KEPT_LINES:
            return  # it talks without an end
        text = f"{time.strftime('%H:%M:%S')} {mark} {line[:KEPT_LENGTH]}"
        self._said.append(text)
        if self.log:
            if self._log is None:
                self._log = Path(self.log).expanduser().open("a", encoding="utf-8", errors="replace", buffering=1)
            self._log.write(text + "\n")

    @contextmanager
    def _faults_are_kept(self) -> Iterator[None]:
        """A fault ends the engine and names the file with what was said, if it could be started at all."""
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
            raise PlayerFault("{what}; its log is {where}", error.hint, what=error.what, where=where) from None

    def _send(self, line: str) -> None:
        assert self._program is not None
        self._note(">", line)
        self._program.send(line)

    def _starting(self) -> tuple[float, str]:
        """For `_wait`, while it gets ready."""
        return time.perf_counter() + self.start, f"{self.start:.3g} s (start=)"

    def _listen(self, seconds: float, control: Control, read: Callable[[str], T | None]) -> T:
        """What `read` finds in the first line that is an answer to a question; past its seconds, a fault."""
        end = time.perf_counter() + seconds + self.grace
        allowed = f"{seconds:.3g} s, nor {self.grace:.3g} s later (grace=)"
        asked_to_stop = False
        while True:
            if control.stopped and not asked_to_stop:
                asked_to_stop = True
                self._send(self.stop_word)
                if self.heeds_stop:
                    end = min(end, time.perf_counter() + max(self.grace, STOP_SECONDS))
            found = read((self._wait(end, allowed) or "").strip())
            if found is not None:
                return found

    def _wait(self, end: float, allowed: str) -> str | None:
        """The next line, None after a moment without one, or a fault if it is silent, or only chatters, to the end of
        what it is allowed."""
        left = end - time.perf_counter()
        assert self._program is not None
        if left <= 0:
            self._program.kill()
            raise PlayerFault(f"{self.name} did not answer within {allowed}")
        line = self._program.wait(min(LOOK_SECONDS, left))
        if line is not None:
            self._note("<", line)
        return line

    def close(self) -> None:
        if self._program is not None:
            with suppress(PlayerFault):  # it may have gone already
                self._program.send(self.farewell)
            self._program.kill(after=FAREWELL_SECONDS)
            self._program = None
        if self._log is not None:
            self._log.close()
            self._log = None


def home(command: list[str]) -> Path | None:
    """The folder of the program that a command runs; of its script, where the program is an interpreter."""
    files = [word for word in command if Path(word).is_file()]
    if len(files) > 1 and files[0] == command[0] and HOSTS.search(files[0]):
        files = files[1:]
    return Path(files[0]).resolve().parent if files else None
