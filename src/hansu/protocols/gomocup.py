"""The Gomocup (piskvork) protocol as an engine: lines in, lines out. docs/gomocup.md lists what is spoken.

Source: "Gomoku AI protocol" by Petricek and Lastovicka, with `SWAP2BOARD`; the `YX...` words are Yixin's.

    manager   START 15        INFO timeout_turn 1000     BEGIN          TURN 7,8       END
    engine    OK                                         7,7            6,8

One thread reads, so that `STOP` and `END` are heard while the other thinks; everything else is served in the order in
which it came. Bad input is answered with `ERROR` or `UNKNOWN` and changes nothing; `INFO` is never answered. A move
comes before the time is up even if the mind oversleeps: then a watchdog answers with the best move that was told.

The protocol knows neither the rules nor the search: a `Mind` thinks. `gomocup_driver` is the other side: a player
that drives an engine.
"""

from __future__ import annotations

import gc
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from typing import TextIO

from hansu.core import Control, HansuError, Limit
from hansu.protocols.clock import Clock
from hansu.protocols.gomocup_mind import Mind, Situation
from hansu.protocols.own_process import LONGEST_LINE, lines_of, resident
from hansu.protocols.uai import Info

SMALLEST, LARGEST = 5, 20  # sizes of the board
OWN, OTHER, NOBODY = 1, 2, 3  # what BOARD calls the stones
BLACK, WHITE = 1, 2  # what a mind calls them
RENJU, STANDARD, FREESTYLE = "renju", "standard", "freestyle"
EXACT_BIT, CONTINUOUS_BIT, RENJU_BIT, CARO_BIT = 1, 2, 4, 8
WAITING_LINES = 10_000
BATCH_SECONDS = 0.1  # an END so soon after a question came with it, from a script: the question is still answered
MOST_NUMBER = 1 << 62


@dataclass(frozen=True)
class Line:
    """A line that was read: its number, when, and what it says."""

    number: int
    read_at: float
    text: str


class Server:
    """Talks with one manager, from the first line to `END` or the end of the input."""

    def __init__(self, mind: Mind, output: TextIO | None = None) -> None:
        self.mind = mind
        self.size = 0  # 0: not started
        self.rule = FREESTYLE
        self.stones: dict[int, int] = {}  # cell -> OWN, OTHER or NOBODY, in the order in which they came
        self._output = output or sys.stdout
        self._print_lock = threading.Lock()
        self._lock = threading.Lock()  # guards the three that follow
        self._control: Control | None = None  # of the search that runs
        self._began = 0.0  # when it did
        self._stop_before = -1  # searches for lines before this one are to stop
        self._mute = False
        self._clock = Clock()
        self._max_memory = 0
        self._without_tables = 0  # bytes that the process takes before any table
        self._depth: int | None = None
        self._nodes: int | None = None
        self._troubles: list[str] = []  # what an INFO asked and we cannot do: told with the next answer
        self._collecting = ""  # BOARD, YXBOARD or SWAP2BOARD, until its DONE
        self._collected: list[str] = []
        self._free_at = 0.0  # when the last answer was given
        self._line = Line(0, 0.0, "")
        self._commands: dict[str, Callable[[str], None]] = {
            "START": self._start, "RECTSTART": self._rectstart, "RESTART": self._restart, "BEGIN": self._begin,
            "TURN": self._turn, "PLAY": self._play, "TAKEBACK": self._takeback, "BOARD": self._collect,
            "YXBOARD": self._collect, "SWAP2BOARD": self._collect, "INFO": self._info, "ABOUT": self._about,
            "YXSHOWFORBID": self._show_forbidden, "STOP": self._nothing, "YXSTOP": self._nothing,
        }  # fmt: skip
        self._settings: dict[str, Callable[[int], None]] = {
            "timeout_turn": self._clock.set_turn, "timeout_match": self._clock.set_match,
            "time_left": self._clock.set_left, "max_memory": self._set_memory, "rule": self._set_rule,
            "max_depth": self._set_depth, "max_node": self._set_nodes,
        }  # fmt: skip

    # Reading.

    def run(self, lines: Iterable[str]) -> None:
        """Serve every line of an iterable. Without an `END`, what was asked last is still answered."""
        waiting: queue.Queue[Line | None] = queue.Queue(WAITING_LINES)
        threading.Thread(target=self._read, args=(lines, waiting), daemon=True).start()
        while (line := waiting.get()) is not None and not self._mute:
            if self.take(line):
                break

    def _read(self, lines: Iterable[str], waiting: queue.Queue[Line | None]) -> None:
        """In a thread of its own: hand the lines on, and let what must not wait reach the search that runs."""
        try:
            for number, text in enumerate(lines):
                word = (text.split(None, 1) or [""])[0].upper()
                if word in ("STOP", "YXSTOP", "END"):
                    self._interrupt(number, word == "END")
                waiting.put(Line(number, time.perf_counter(), text))
                if word == "END":
                    break
        finally:
            waiting.put(None)

    def _interrupt(self, number: int, ends: bool) -> None:
        with self._lock:
            if not ends:
                self._stop_before = number
                if self._control is not None:
                    self._control.stop()
            elif self._control is not None and time.perf_counter() - self._began > BATCH_SECONDS:
                self._mute = True
                self._control.stop()

    def take(self, line: Line) -> bool:
        """Serve one line. Was it the last?"""
        self._line = line
        words = line.text.strip()[:LONGEST_LINE].split(None, 1)
        if not words:
            return False
        word, rest = words[0].upper(), words[1].strip() if len(words) > 1 else ""
        if word == "END":
            return True
        try:
            if self._collecting and word not in self._commands:
                self._collect_line(word, line.text.strip())
                return False
            if self._collecting and word != "INFO":
                unfinished, self._collecting = self._collecting, ""
                self._answer(f"ERROR {unfinished} was not finished by DONE")
            command = self._commands.get(word)
            if command is None:
                self._answer(f"UNKNOWN {_printable(word)}")
            else:
                command(rest)
        except HansuError as error:
            self._answer(f"ERROR {_printable(str(error))}")
        except Exception as error:  # whatever a line may do, the next one is served
            self._answer(f"ERROR {word} failed: {type(error).__name__}: {_printable(str(error))}")
        return False

    # Writing.

    def _say(self, text: str) -> None:
        with self._print_lock:
            if self._mute:
                return
            try:
                print(text, file=self._output, flush=True)
            except (OSError, ValueError):
                self._mute = True  # nobody listens any more

    def _answer(self, text: str) -> None:
        troubles, self._troubles = self._troubles, []
        for trouble in troubles:
            self._say(f"MESSAGE {trouble}")
        self._say(text)
        self._free_at = time.perf_counter()

    # A game begins.

    def _start(self, rest: str) -> None:
        self._begin_game(_numbers(rest, 1, "START size")[0])

    def _rectstart(self, rest: str) -> None:
        width, height = _numbers(rest, 2, "RECTSTART width,height")
        if width != height:
            raise HansuError("only square boards are played here")
        self._begin_game(width)

    def _begin_game(self, size: int) -> None:
        if not SMALLEST <= size <= LARGEST:
            raise HansuError(f"the size of the board is {SMALLEST} to {LARGEST}")
        before, self.size = self.size, size
        try:
            self._configure()
        except BaseException:
            self.size = before
            raise
        self._forget_game()
        self.mind.new_game()
        self._answer("OK")

    def _restart(self, rest: str) -> None:
        self._need_board()
        self._forget_game()
        self.mind.new_game()
        self._answer("OK")

    def _forget_game(self) -> None:
        self.stones.clear()
        self._clock.new_game()

    def _need_board(self) -> None:
        if not self.size:
            raise HansuError("START comes first")

    def _configure(self) -> None:
        """Compile before anybody's clock runs. What the process takes without tables is measured, not guessed."""
        memory = None
        if self._max_memory:
            if not self._without_tables:
                self.mind.configure(self.size, self.rule, 0)
                self.mind.prepare()
                self._without_tables = resident()
            memory = self._max_memory - self._without_tables
            if memory < 0:
                self._troubles.append(
                    f"max_memory is {self._max_memory >> 20} MB, but this process takes "
                    f"{self._without_tables >> 20} MB without any table: it will do with the smallest ones"
                )
                memory = 0
        self.mind.configure(self.size, self.rule, memory)
        self.mind.prepare()
        gc.freeze()  # all that was loaded stays: no pause for looking through it in the middle of a move

    def _about(self, rest: str) -> None:
        mind = self.mind
        self._answer(f'name="{mind.name}", version="{mind.version}", author="{mind.author}", country="KOR"')

    def _nothing(self, rest: str) -> None:
        """STOP while nothing is being thought about, or after it was heeded."""

    # INFO, which is never answered.

    def _info(self, rest: str) -> None:
        key, _, value = rest.partition(" ")
        setting = self._settings.get(key.lower())
        if setting is None or not re.fullmatch(r"[+-]?[0-9]{1,30}", value.strip()):
            return  # a key that others know, or a value that nobody does
        try:
            setting(max(min(int(value), MOST_NUMBER), -MOST_NUMBER))
        except Exception as error:  # a manager does not listen now; the next answer tells
            self._troubles.append(f"INFO {key}: {type(error).__name__}: {_printable(str(error))}")

    def _set_rule(self, bits: int) -> None:
        before = self.rule
        if bits & RENJU_BIT or bits == CONTINUOUS_BIT:  # Yixin and its board say 2 for renju
            self.rule = RENJU
        else:
            self.rule = STANDARD if bits & (EXACT_BIT | CARO_BIT) else FREESTYLE
        if bits & CARO_BIT:
            self._troubles.append(f"the rule of caro is not known here: playing {self.rule}")
        elif bits & CONTINUOUS_BIT and bits != CONTINUOUS_BIT:
            self._troubles.append(f"continuous games are not known here: playing {self.rule}, one win ends it")
        if self.size and self.rule != before:
            self._configure()

    def _set_memory(self, size: int) -> None:
        before, self._max_memory = self._max_memory, max(size, 0)
        if self.size and self._max_memory != before:
            self._configure()

    def _set_depth(self, depth: int) -> None:
        self._depth = depth if depth > 0 else None

    def _set_nodes(self, nodes: int) -> None:
        self._nodes = nodes if nodes > 0 else None

    # Stones.

    def _cell(self, text: str, usage: str) -> int:
        self._need_board()
        x, y = _numbers(text, 2, usage)
        if not (0 <= x < self.size and 0 <= y < self.size):
            raise HansuError(f"{x},{y} is not on the board of {self.size}x{self.size}")
        return y * self.size + x

    def _free_cell(self, text: str, usage: str) -> int:
        cell = self._cell(text, usage)
        if cell in self.stones:
            raise HansuError(f"{self._text(cell)} is taken already")
        return cell

    def _text(self, cell: int) -> str:
        return f"{cell % self.size},{cell // self.size}"

    def _begin(self, rest: str) -> None:
        self._need_board()
        if self.stones:
            raise HansuError("BEGIN is for an empty board: RESTART, or use BOARD")
        self._think()

    def _turn(self, rest: str) -> None:
        self.stones[self._free_cell(rest, "TURN x,y")] = OTHER
        self._think()

    def _play(self, rest: str) -> None:
        cell = self._free_cell(rest, "PLAY x,y")
        self.stones[cell] = OWN
        self._answer(self._text(cell))

    def _takeback(self, rest: str) -> None:
        cell = self._cell(rest, "TAKEBACK x,y")
        if cell not in self.stones:
            raise HansuError(f"there is no stone on {self._text(cell)}")
        del self.stones[cell]
        self._answer("OK")

    # Lines up to DONE.

    def _collect(self, rest: str) -> None:
        self._collecting = self._line.text.split(None, 1)[0].upper()
        self._collected = []

    def _collect_line(self, word: str, text: str) -> None:
        if word != "DONE":
            if len(self._collected) <= LARGEST * LARGEST:  # one too many is a mistake already
                self._collected.append(text[:LONGEST_LINE])
            return
        kind, self._collecting = self._collecting, ""
        self._need_board()
        if kind == "SWAP2BOARD":
            self._swap2()
            return
        stones: dict[int, int] = {}
        for number, line in enumerate(self._collected, 1):
            x, y, field = _numbers(line, 3, f"stone {number} of {kind} is x,y,field; it")
            if not (0 <= x < self.size and 0 <= y < self.size):
                raise HansuError(f"stone {number} of {kind}: {x},{y} is not on the board of {self.size}x{self.size}")
            if field not in (OWN, OTHER, NOBODY):
                raise HansuError(f"stone {number} of {kind}: the field is 1, 2 or 3, not {field}")
            cell = y * self.size + x
            if cell in stones:
                raise HansuError(f"stone {number} of {kind}: {x},{y} is taken already")
            stones[cell] = field
        self.stones = stones
        if kind == "BOARD":
            self._think()

    def situation(self) -> Situation:
        """The board as a mind sees it: colours instead of owners. Black moved first, so whoever has to move is black if
        both have as many stones, and white if the other has one more; otherwise the first stone is black's. A stone
        that belongs to nobody (a continuous game) is the other's: it stands in the mover's way."""
        owners = [owner for owner in self.stones.values() if owner != NOBODY]
        lead = owners.count(OTHER) - owners.count(OWN)
        regular = lead in (0, 1)
        first_is_own = lead == 0 if regular else owners[0] == OWN
        colour = BLACK if first_is_own else WHITE
        board = bytearray(self.size * self.size)
        for cell, owner in self.stones.items():
            board[cell] = colour if owner == OWN else 3 - colour
        moves: tuple[int, ...] = ()
        if regular and len(owners) == len(self.stones):
            blacks = [cell for cell in self.stones if board[cell] == BLACK]
            whites = [cell for cell in self.stones if board[cell] == WHITE]
            # Where they came in order this gives them back; where not, it is an order that could have been.
            moves = tuple((whites if ply % 2 else blacks)[ply // 2] for ply in range(len(owners)))
        return Situation(bytes(board), colour, moves)

    def _show_forbidden(self, rest: str) -> None:
        self._need_board()
        cells = self.mind.forbidden(self.situation().board) if self.rule == RENJU else ()
        digits = "".join(f"{cell % self.size:02}{cell // self.size:02}" for cell in sorted(cells))
        self._answer(f"FORBID {digits}.")

    # Thinking.

    def _limit(self, moves: int) -> tuple[Limit, float | None, float]:
        """The limit, the seconds after which no deeper look is begun, and those after which the watchdog answers."""
        # What was sent while we were still busy with something else is timed from when we were free.
        spent = time.perf_counter() - max(self._line.read_at, self._free_at)
        hard, soft, last = self._clock.share(moves, spent)
        depth = 1 if self._clock.hurried else self._depth
        return Limit(depth, self._nodes, hard), soft, last

    def _think(self) -> None:
        situation = self.situation()
        if len(self.stones) == self.size * self.size:
            raise HansuError("the board is full")
        limit, soft, last = self._limit(len(self.stones) // 2)
        control = Control()
        thought = _Thought(self, situation, control)
        watchdog = threading.Timer(last, thought.oversleep)
        watchdog.daemon = True
        watchdog.start()
        try:
            with self._listening(control):
                cell = self.mind.search(situation, limit, soft, control, thought.tell)
        except Exception as error:  # a manager must get its move whatever happens
            self._say(f"DEBUG the search failed: {type(error).__name__}: {_printable(str(error))}")
            cell = thought.best
        finally:
            watchdog.cancel()
        thought.answer(cell)

    @contextmanager
    def _listening(self, control: Control) -> Iterator[None]:
        """Meanwhile STOP and END reach the search that `control` belongs to."""
        with self._lock:
            self._control, self._began = control, time.perf_counter()
            if self._line.number < self._stop_before:  # it came before we began
                control.stop()
        try:
            yield
        finally:
            with self._lock:
                self._control = None

    def _swap2(self) -> None:
        counts = {0: (3,), 3: (0, 1, 2), 5: (0, 1)}
        stones: list[int] = []
        for number, line in enumerate(self._collected, 1):
            x, y = _numbers(line, 2, f"stone {number} of SWAP2BOARD is x,y; it")
            cell = y * self.size + x
            if not (0 <= x < self.size and 0 <= y < self.size) or cell in stones:
                raise HansuError(f"stone {number} of SWAP2BOARD: {x},{y} is taken or not on the board")
            stones.append(cell)
        if len(stones) not in counts:
            raise HansuError(f"SWAP2BOARD has no, three or five stones, not {len(stones)}")
        limit, _, _ = self._limit(len(stones) // 2)
        control = Control()
        with self._listening(control):
            answer = self.mind.swap2(tuple(stones), limit, control)
        if len(answer) not in counts[len(stones)] or len({*stones, *answer}) != len(stones) + len(answer):
            raise HansuError("no answer to this opening was found")
        self._answer(" ".join(self._text(cell) for cell in answer) or "SWAP")
        self._clock.spend(time.perf_counter() - max(self._line.read_at, self._free_at))


class _Thought:
    """One search, and the one answer that it gets: from the search, or from the watchdog if that oversleeps."""

    def __init__(self, server: Server, situation: Situation, control: Control) -> None:
        self._server = server
        self._situation = situation
        self._control = control
        self._lock = threading.Lock()
        self._done = False
        self.best = -1

    def tell(self, info: Info) -> None:
        with self._lock:
            if self._done:
                return
            if info.line:
                self.best = int(info.line[0])
            size = self._server.size
            line = " ".join(f"{chr(ord('a') + cell % size)}{size - cell // size}" for cell in info.line)
            score = f"eval {info.score}" if info.mate is None else f"win {info.mate}" if info.mate > 0 else "lost"
            self._server._say(
                f"MESSAGE depth {info.depth}-{info.seldepth} {score} nodes {info.nodes} "
                f"time {int(1000 * info.seconds)} pv {line}"
            )

    def oversleep(self) -> None:
        self._control.stop()
        self.answer(self.best)

    def answer(self, cell: int) -> None:
        with self._lock:
            if self._done:
                return
            self._done = True
        server = self._server
        if not (0 <= cell < len(self._situation.board) and self._situation.board[cell] == 0):
            cell = self._any_cell()
        if cell < 0:
            server._answer("ERROR there is no move left")
        else:
            server.stones[cell] = OWN
            server._answer(server._text(cell))
        server._clock.spend(time.perf_counter() - server._line.read_at)

    def _any_cell(self) -> int:
        """The free cell nearest to the middle that is not forbidden, or -1."""
        board, size = self._situation.board, self._server.size
        middle = (size - 1) / 2
        free = [cell for cell in range(len(board)) if board[cell] == 0]
        if self._server.rule == RENJU and self._situation.colour == BLACK:
            try:
                forbidden = set(self._server.mind.forbidden(board))
            except Exception:
                forbidden = set()
            free = [cell for cell in free if cell not in forbidden]
        return min(free, key=lambda cell: (cell % size - middle) ** 2 + (cell // size - middle) ** 2, default=-1)


def _numbers(text: str, count: int, usage: str) -> Sequence[int]:
    """So many whole numbers with commas between, or a HansuError that says how it should look."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != count or not all(re.fullmatch(r"[+-]?[0-9]{1,9}", part) for part in parts):
        raise HansuError(f"{usage} is not {_printable(text)!r}" if usage.endswith("it") else f"{usage} is expected")
    return [int(part) for part in parts]


def _printable(text: str) -> str:
    """One short line of ASCII."""
    return re.sub(r"[^ -~]+", " ", " ".join(text.split()))[:200]


def serve(mind: Mind) -> None:
    """Talk on standard input and output."""
    from hansu.core.compiled import first_time_notice

    server = Server(mind)
    first_time_notice.append(lambda what: server._say(f"MESSAGE compiling {what}: only this first time"))
    # Unbuffered: a reader that still waits on a buffered stream when the process ends makes Python abort.
    server.run(lines_of(FileIO(sys.stdin.fileno(), closefd=False)))
