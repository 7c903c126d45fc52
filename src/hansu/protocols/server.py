"""What the engine protocols share: lines in, lines out, and a search that can be reached while it runs.

One thread reads. It hears at once what must reach a search (`hear`); everything else waits its turn and is served in
the order in which it came, by the thread that searches, too: whatever comes during a search is done after it. A line
that makes no sense is answered with one and changes nothing. The end of the input stops only what would go on for
ever; all else that was asked is still answered.

A protocol is a subclass: a table of commands, the word that ends it, and how remarks and refusals are written.
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

LONGEST_LINE = 1 << 16  # bytes; what is longer is cut
WAITING_LINES = 10_000
CROWDED_SECONDS = 0.1  # that a reader waits to hand a line on before it stops the search that is in the way
LONGEST_REMARK = 200


class ProtocolLine(NamedTuple):
    """A line that was read: its number, when, and what it says."""

    number: int
    read_at: float
    text: str  # never empty

    @property
    def word(self) -> str:
        return self.text.split(None, 1)[0].lower()

    @property
    def rest(self) -> str:
        return (self.text.split(None, 1) + [""])[1]


class Server(ABC):
    """Talks with one manager, from the first line to the last word or the end of the input."""

    protocol: ClassVar[str]  # its name, for a person who has come here by chance
    last_word: ClassVar[str]

    def __init__(self, output: TextIO | None = None) -> None:
        self.commands: dict[str, Callable[[str], None]] = {}  # by their word in small letters; they get the rest
        self.line = ProtocolLine(-1, 0.0, "-")  # that is being served
        self.mute = False  # nothing is said any more
        self._output = output or sys.stdout
        self._print_lock = threading.Lock()
        self._waiting: queue.Queue[ProtocolLine | None] = queue.Queue(WAITING_LINES)
        self._free_at = 0.0  # when the last answer was given
        self._lock = threading.Lock()  # guards what follows
        self._control: Control | None = None  # of the search that runs
        self._began = 0.0  # when it did
        self._endless = False  # it goes on until it is stopped
        self._stop_before = -1  # searches for lines before this one are to stop
        self._input_ended = False
        self._stopped = threading.Event()

    # Reading.

    def serve(self) -> None:
        """Talk on standard input and output."""
        from hansu.compile.native import first_time_notice
        from hansu.compile.notices import Once

        first_time_notice.append(Once(self.remark))
        if sys.stdin.isatty():
            text = Message(
                "this engine speaks {protocol} with a program; {word} or Ctrl-D ends it, people play with `hansu play`",
                protocol=self.protocol, word=self.last_word.upper(),
            )  # fmt: skip
            print(in_the_terminals(text), file=sys.stderr, flush=True)
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", errors="replace")
        # Unbuffered: a reader that still waits on a buffered stream when the process ends makes Python abort.
        self.run(lines_of(FileIO(sys.stdin.fileno(), closefd=False)))

    def run(self, lines: Iterable[str]) -> None:
        """Serve every line of an iterable."""
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        while not self.mute:
            while self._waiting.empty() and self._rest():
                pass
            line = self._waiting.get()
            if line is None or line.word == self.last_word:
                break
            self.take(line)

    def _read(self, lines: Iterable[str]) -> None:
        """In a thread of its own: hand the lines on."""
        try:
            for number, text in enumerate(lines):
                if text := text.strip():
                    line = ProtocolLine(number, time.perf_counter(), text)
                    if not self.hear(line):
                        self._hand_on(line)
                    if line.word == self.last_word:
                        break
        finally:
            with self._lock:
                self._input_ended = True
                self._halt_endless()
            self._waiting.put(None)

    def _rest(self) -> bool:
        try:
            return self.idle()
        except Exception as error:
            self.remark(told(error))
            return False

    def _hand_on(self, line: ProtocolLine) -> None:
        while True:
            try:
                self._waiting.put(line, timeout=CROWDED_SECONDS)
                return
            except queue.Full:  # what would stop the search might be among the lines that we cannot read
                with self._lock:
                    self._halt()

    def hear(self, line: ProtocolLine) -> bool:
        """In the reading thread, as soon as a line is there: does it need no turn of its own?"""
        return False

    def idle(self) -> bool:
        """Some milliseconds of work while nobody waits for us; is there more to do?"""
        return False

    def take(self, line: ProtocolLine) -> None:
        """Serve one line, whatever it does."""
        self.line = line
        try:
            self.obey(line)
        except HansuError as error:
            self.refuse(str(error))
        except Exception as error:  # whatever a line may do, the next one is served
            self.refuse(f"{line.text.split()[0]} failed: {told(error)}")

    def obey(self, line: ProtocolLine) -> None:
        command = self.commands.get(line.word)
        if command is None:
            self.refuse_unknown(line)
        else:
            command(line.rest)

    # Writing.

    def say(self, *lines: str) -> None:
        with self._print_lock:
            if self.mute:
                return
            try:
                print(*lines, sep="\n", file=self._output, flush=True)
            except (OSError, ValueError):
                self.mute = True  # nobody listens any more
        if self.mute:
            self.stop(self.line.number + 1)

    def answer(self, *lines: str) -> None:
        """What the manager waits for: from now on its next question has its own time."""
        self.say(*lines)
        self._free_at = time.perf_counter()

    @abstractmethod
    def remark(self, text: str) -> None:
        """Say something that nobody waits for."""

    @abstractmethod
    def refuse(self, text: str) -> None:
        """Answer a line that cannot be obeyed."""

    @abstractmethod
    def refuse_unknown(self, line: ProtocolLine) -> None:
        """Answer a line whose first word is no command."""

    # Searching.

    @property
    def spent(self) -> float:
        """The seconds that this line has taken. What was sent while we were busy is timed from when we were free."""
        return time.perf_counter() - max(self.line.read_at, self._free_at)

    @contextmanager
    def searching(self, on_report: Callable[[Report], None] | None = None, endless: bool = False) -> Iterator[Control]:
        """A search, or whatever else takes long: the control that it gets hears `stop`."""
        control = Control(on_report)
        with self._lock:
            self._control, self._began, self._endless = control, time.perf_counter(), endless
            self._stopped.clear()
            if self.line.number < self._stop_before:  # that came before we began
                self._halt()
            if self._input_ended:
                self._halt_endless()
        try:
            yield control
        finally:
            with self._lock:
                self._control, self._endless = None, False

    def stop(self, before: int) -> None:
        """End all searches for lines before this one, the one that runs and those that wait."""
        with self._lock:
            self._stop_before = max(before, self._stop_before)
            self._halt()

    def searched_for(self) -> float:
        """How many seconds the search that runs has had; 0 where there is none."""
        with self._lock:
            return time.perf_counter() - self._began if self._control is not None else 0.0

    def wait_for_stop(self) -> None:
        """A search that knows all it can know still has to wait where it was told to go on."""
        self._stopped.wait()

    def _halt(self) -> None:
        if self._control is not None:
            self._control.stop()
            self._stopped.set()

    def _halt_endless(self) -> None:
        if self._endless:
            self._halt()


def told(error: Exception) -> str:
    """A mistake of our own in one line."""
    return f"{type(error).__name__}: {error}"


def one_line(text: str) -> str:
    """One short line of ASCII."""
    return re.sub(r"[^ -~]+", " ", " ".join(text.split()))[:LONGEST_REMARK]


def lines_of(stream: RawIOBase | BinaryIO) -> Iterator[str]:
    """The lines of a stream of bytes. Of a line that is too long only the beginning is kept in memory."""
    line = b""
    while piece := stream.read(1 << 16):
        *ends, rest = piece.split(b"\n")
        for end in ends:
            yield (line + end)[:LONGEST_LINE].decode("utf-8", "replace")
            line = b""
        line = (line + rest)[:LONGEST_LINE]
    if line:
        yield line.decode("utf-8", "replace")
