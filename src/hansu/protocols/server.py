"""Base class of engine servers: lines in, lines out, and searches that can be stopped while they run.

A reader thread reads all lines. It handles urgent lines at once (`hear`), such as `stop`. All other lines are queued,
and the search thread serves them in order, so a line that arrives during a search is served after it. An invalid line
gets an error message and has no effect. The end of the input stops only endless searches; all other queued lines are
still answered.

A protocol is a subclass: a table of commands, the quit command, and the format of remarks and error messages.
"""

from __future__ import annotations

import queue
import re
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import FileIO, RawIOBase
from typing import BinaryIO, ClassVar, NamedTuple, TextIO

from hansu.core import Control, HansuError, Message, Report
from hansu.core.terminal_language import localize as in_the_terminals

LONGEST_LINE = 1 << 16  # bytes; longer lines are truncated
QUEUED_LINES = 10_000
FULL_SECONDS = 0.1  # that the reader waits for a full queue before it stops the running search
LONGEST_REMARK = 200


class ProtocolLine(NamedTuple):
    """A line of the manager: its number, its time and its text."""

    number: int
    read_at: float
    text: str  # never empty

    @property
    def word(self) -> str:
        """The first word in lower case."""
        return self.text.split(None, 1)[0].lower()

    @property
    def rest(self) -> str:
        """The text after the first word."""
        return (self.text.split(None, 1) + [""])[1]


class Server(ABC):
    """Serves one manager until its quit command or the end of the input."""

    protocol: ClassVar[str]  # name of the protocol, for people
    last_word: ClassVar[str]  # the quit command

    def __init__(self, output: TextIO | None = None) -> None:
        self.commands: dict[
            str, Callable[[str], None]
        ] = {}  # by the first word in lower case; the argument is the rest of the line
        self.line = ProtocolLine(-1, 0.0, "-")  # the line that is being served
        self.mute = False  # no more output
        self._output = output or sys.stdout
        self._print_lock = threading.Lock()
        self._queue: queue.Queue[ProtocolLine | None] = queue.Queue(QUEUED_LINES)
        self._free_at = 0.0  # time of the last answer
        self._lock = threading.Lock()  # guards the attributes below
        self._control: Control | None = None  # of the running search
        self._search_started = 0.0
        self._endless = False  # the search runs until it is stopped
        self._stop_before = -1  # searches of earlier lines must stop
        self._input_ended = False
        self._stopped = threading.Event()

    # Reading

    def serve(self) -> None:
        """Serve on standard input and output."""
        from hansu.compile.native import first_time_notice
        from hansu.compile.notices import Once

        first_time_notice.append(Once(self.remark))
        if sys.stdin.isatty():
            text = Message(
                "this engine waits for {protocol} commands of a program; {word} or Ctrl-D quits,"
                " `hansu play` is for people",
                protocol=self.protocol, word=self.last_word.upper(),
            )  # fmt: skip
            print(in_the_terminals(text), file=sys.stderr, flush=True)
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", errors="replace")
        # Unbuffered: Python aborts at exit if a thread still reads a buffered stream.
        self.run(lines_of(FileIO(sys.stdin.fileno(), closefd=False)))

    def run(self, lines: Iterable[str]) -> None:
        """Serve every line of an iterable."""
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        while not self.mute:
            while self._queue.empty() and self._work_while_idle():
                pass
            line = self._queue.get()
            if line is None or line.word == self.last_word:
                break
            self.take(line)

    def _read(self, lines: Iterable[str]) -> None:
        """The reader thread: queue the lines."""
        try:
            for number, text in enumerate(lines):
                if text := text.strip():
                    line = ProtocolLine(number, time.perf_counter(), text)
                    if not self.hear(line):
                        self._enqueue(line)
                    if line.word == self.last_word:
                        break
        finally:
            with self._lock:
                self._input_ended = True
                self._halt_endless()
            self._queue.put(None)

    def _work_while_idle(self) -> bool:
        try:
            return self.idle()
        except Exception as error:
            self.remark(told(error))
            return False

    def _enqueue(self, line: ProtocolLine) -> None:
        while True:
            try:
                self._queue.put(line, timeout=FULL_SECONDS)
                return
            except queue.Full:  # a line that stops the search may be waiting behind the full queue
                with self._lock:
                    self._halt()

    def hear(self, line: ProtocolLine) -> bool:
        """In the reader thread: handle an urgent line. True if the line needs no further handling."""
        return False

    def idle(self) -> bool:
        """Do some milliseconds of background work. True if more is left."""
        return False

    def take(self, line: ProtocolLine) -> None:
        """Serve one line, and report its errors."""
        self.line = line
        try:
            self.obey(line)
        except HansuError as error:
            self.refuse(str(error))
        except Exception as error:  # the next line must still be served
            self.refuse(f"{line.text.split()[0]} failed: {told(error)}")

    def obey(self, line: ProtocolLine) -> None:
        """Run the command of a line."""
        command = self.commands.get(line.word)
        if command is None:
            self.refuse_unknown(line)
        else:
            command(line.rest)

    # Writing

    def say(self, *lines: str) -> None:
        """Write lines to the manager."""
        with self._print_lock:
            if self.mute:
                return
            try:
                print(*lines, sep="\n", file=self._output, flush=True)
            except (OSError, ValueError):
                self.mute = True  # no reader is left
        if self.mute:
            self.stop(self.line.number + 1)

    def answer(self, *lines: str) -> None:
        """Write an answer that the manager waits for. The time of its next line starts now."""
        self.say(*lines)
        self._free_at = time.perf_counter()

    @abstractmethod
    def remark(self, text: str) -> None:
        """Write a remark, which no manager waits for."""

    @abstractmethod
    def refuse(self, text: str) -> None:
        """Write an error message as the answer to a line."""

    @abstractmethod
    def refuse_unknown(self, line: ProtocolLine) -> None:
        """Answer a line whose first word is not a command."""

    # Searching

    @property
    def spent(self) -> float:
        """The seconds spent on the current line, not counting the time that it waited for another line."""
        return time.perf_counter() - max(self.line.read_at, self._free_at)

    @contextmanager
    def searching(self, on_report: Callable[[Report], None] | None = None, endless: bool = False) -> Iterator[Control]:
        """Run a search, or other long work, with a control that `stop` reaches."""
        control = Control(on_report)
        with self._lock:
            self._control, self._search_started, self._endless = control, time.perf_counter(), endless
            self._stopped.clear()
            if self.line.number < self._stop_before:  # stopped before the search started
                self._halt()
            if self._input_ended:
                self._halt_endless()
        try:
            yield control
        finally:
            with self._lock:
                self._control, self._endless = None, False

    def stop(self, before: int) -> None:
        """Stop all searches of lines before this one, running or queued."""
        with self._lock:
            self._stop_before = max(before, self._stop_before)
            self._halt()

    def searched_for(self) -> float:
        """The seconds since the running search started; 0 if there is none."""
        with self._lock:
            return time.perf_counter() - self._search_started if self._control is not None else 0.0

    def wait_for_stop(self) -> None:
        """Wait for `stop`, as a finished infinite search must."""
        self._stopped.wait()

    def _halt(self) -> None:
        if self._control is not None:
            self._control.stop()
            self._stopped.set()

    def _halt_endless(self) -> None:
        if self._endless:
            self._halt()


def told(error: Exception) -> str:
    """An unexpected error in one line."""
    return f"{type(error).__name__}: {error}"


def one_line(text: str) -> str:
    """The text as one short line of ASCII."""
    return re.sub(r"[^ -~]+", " ", " ".join(text.split()))[:LONGEST_REMARK]


def lines_of(stream: RawIOBase | BinaryIO) -> Iterator[str]:
    """The lines of a stream of bytes. Long lines are truncated while they are read."""
    line = b""
    while chunk := stream.read(1 << 16):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield (line + end)[:LONGEST_LINE].decode("utf-8", "replace")
            line = b""
        line = (line + rest)[:LONGEST_LINE]
    if line:
        yield line.decode("utf-8", "replace")
