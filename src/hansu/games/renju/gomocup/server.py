"""The Gomocup (piskvork) protocol as an engine. docs/internals/gomocup.md lists the supported commands.

Source: "Gomoku AI protocol" by Petricek and Lastovicka, with `SWAP2BOARD`; the `YX...` commands are Yixin's.

    manager   START 15        INFO timeout_turn 1000     BEGIN          TURN 7,8       END
    engine    OK                                         7,7            6,8

Invalid input is answered with `ERROR` or `UNKNOWN` and changes nothing. `INFO` is never answered. Slow work is done
before an `OK` or while the server is idle. If the search exceeds its time, a watchdog answers with the best move
reported so far.

The server knows neither the rules nor the search; a `GomocupEngine` provides them. `driver.py` is the client.
"""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar, TextIO

from hansu.core import Control, HansuError, Limit, Report
from hansu.core.machine import memory_bytes, resident
from hansu.games.renju.gomocup.board import LARGEST, OTHER, OWN, SMALLEST, GomocupBoard, numbers
from hansu.games.renju.gomocup.engine import BLACK, FREESTYLE, RENJU, STANDARD, GomocupEngine, Situation
from hansu.protocols.clock import Allowance, Clock
from hansu.protocols.server import ProtocolLine, Server, one_line, told

EXACT_BIT, CONTINUOUS_BIT, RENJU_BIT, CARO_BIT = 1, 2, 4, 8
BATCH_SECONDS = 0.1  # an END so soon after a command is part of a script: the command is still answered
LEAST_WATCHED = 0.002  # seconds
MOST_NUMBER = 1 << 62
MOST_THREADS = 64
SWAP2_ANSWERS = {0: (3,), 3: (0, 1, 2), 5: (0, 1)}  # stones on the board -> possible numbers of stones in the answer


class GomocupServer(Server):
    """Serves one manager with an engine."""

    protocol: ClassVar[str] = "Gomocup"
    last_word: ClassVar[str] = "end"

    def __init__(self, engine: GomocupEngine, output: TextIO | None = None) -> None:
        super().__init__(output)
        self.engine = engine
        self.rule = FREESTYLE
        self.clock = Clock()
        self._board: GomocupBoard | None = None  # None before START
        self._max_memory = 0  # bytes; 0: no limit
        self._settings_applied = False  # the engine has received all settings
        self._depth: int | None = None
        self._nodes: int | None = None
        self._warnings: list[str] = []  # about invalid INFO values; sent before the next answer
        self._collecting = ""  # BOARD, YXBOARD or SWAP2BOARD, until its DONE
        self._collected: list[str] = []
        self.commands = {
            "start": self._start, "rectstart": self._rectstart, "restart": self._restart, "begin": self._begin,
            "turn": self._turn, "play": self._play, "takeback": self._takeback, "board": self._collect,
            "yxboard": self._collect, "swap2board": self._collect, "info": self._info, "about": self._about,
            "yxshowforbid": self._show_forbidden,
        }  # fmt: skip
        self._settings: dict[str, Callable[[int], None]] = {
            "timeout_turn": self.clock.set_turn, "timeout_match": self.clock.set_match,
            "time_left": self.clock.set_left, "max_memory": self._set_memory, "rule": self._set_rule,
            "max_depth": self._set_depth, "max_node": self._set_nodes, "thread_num": self._set_threads,
        }  # fmt: skip

    @property
    def board(self) -> GomocupBoard:
        """The board; raises HansuError before START."""
        if self._board is None:
            raise HansuError("there is no game", "send START first")
        return self._board

    def hear(self, line: ProtocolLine) -> bool:
        """Handle STOP at once, and END during a long search."""
        if line.word in ("stop", "yxstop"):
            self.stop(line.number)
            return True
        if line.word == "end" and self.searched_for() > BATCH_SECONDS:
            self.mute = True
            self.stop(line.number)
        return False

    def idle(self) -> bool:
        """Apply settings and grow the table while no command waits."""
        return self._board is not None and self._apply_settings() and self.engine.grow()

    def obey(self, line: ProtocolLine) -> None:
        """Serve a command, or collect a line of a BOARD."""
        if self._collecting and line.word not in self.commands:
            self._collect_line(line)
            return
        if self._collecting and line.word != "info":
            unfinished, self._collecting = self._collecting, ""
            self.refuse(f"{unfinished} was not finished by DONE")
        super().obey(line)

    def answer(self, *lines: str) -> None:
        """Send pending warnings and an answer."""
        warnings, self._warnings = self._warnings, []
        for warning in warnings:
            self.remark(warning)
        super().answer(*lines)

    def remark(self, text: str) -> None:
        """Send a MESSAGE."""
        self.say(f"MESSAGE {one_line(text)}")

    def refuse(self, text: str) -> None:
        """Answer ERROR."""
        self.answer(f"ERROR {one_line(text)}")

    def refuse_unknown(self, line: ProtocolLine) -> None:
        """Answer UNKNOWN."""
        self.answer(f"UNKNOWN {one_line(line.word.upper())}")

    # Starting a game.

    def _start(self, rest: str) -> None:
        self._begin_game(numbers(rest, 1, "START size")[0])

    def _rectstart(self, rest: str) -> None:
        width, height = numbers(rest, 2, "RECTSTART width,height")
        if width != height:
            raise HansuError("only square boards are supported", "send START size")
        self._begin_game(width)

    def _restart(self, rest: str) -> None:
        self._begin_game(self.board.size)

    def _begin_game(self, size: int) -> None:
        if not SMALLEST <= size <= LARGEST:
            raise HansuError(
                "the board size {size} is not supported",
                "choose a size from {smallest} to {largest}",
                size=size,
                smallest=SMALLEST,
                largest=LARGEST,
            )
        before, self._board = self._board, GomocupBoard(size)
        try:
            if before is None or before.size != size:
                self._prepare()
            self._apply_settings()
            while self.engine.grow():
                pass
        except BaseException:
            self._board, self._settings_applied = before, False
            raise
        self.clock.new_game()
        self.engine.new_game()
        self.answer("OK")

    def _prepare(self) -> None:
        """Compile and load before the clock of a move runs."""
        self._settings_applied = False
        self.engine.configure(self.board.size, self.rule)
        self.engine.precompile()
        gc.collect()
        gc.freeze()  # loaded objects stay, so the garbage collector need not scan them during a move

    def _apply_settings(self) -> bool:
        """Pass changed settings to the engine, which takes milliseconds. Always True."""
        if not self._settings_applied:
            self.engine.configure(self.board.size, self.rule)
            self.engine.allow(self._table_bytes())
            self._settings_applied = True
        return True

    def _table_bytes(self) -> int | None:
        """The memory that `max_memory` (at most half of the machine's) leaves for tables, after the measured memory of
        the rest of the process. None: no limit."""
        if not self._max_memory:
            return None
        others, most = resident() - self.engine.table_bytes, min(self._max_memory, memory_bytes() // 2)
        if others > most:
            self._warn(
                f"max_memory is {most >> 20} MB, but the process takes {others >> 20} MB without tables: using the "
                "smallest tables"
            )
        return max(most - others, 0)

    def _about(self, rest: str) -> None:
        engine = self.engine
        self.answer(f'name="{engine.name}", version="{engine.version}", author="{engine.author}", country="KOR"')

    # INFO, which has no answer.

    def _info(self, rest: str) -> None:
        key, _, value = rest.partition(" ")
        setting = self._settings.get(key.lower())
        if setting is None:
            return  # keys that are not supported are ignored
        if not re.fullmatch(r"[+-]?[0-9]{1,30}", value.strip()):
            self._warn(f"INFO {key.lower()} expects an integer, not {one_line(value)!r}")
            return
        setting(max(min(int(value), MOST_NUMBER), -MOST_NUMBER))

    def _warn(self, text: str) -> None:
        if text not in self._warnings:
            self._warnings.append(text)

    def _set_rule(self, bits: int) -> None:
        before = self.rule
        if bits & RENJU_BIT or bits == CONTINUOUS_BIT:  # Yixin and its board use 2 for renju
            self.rule = RENJU
        else:
            self.rule = STANDARD if bits & (EXACT_BIT | CARO_BIT) else FREESTYLE
        if bits & CARO_BIT:
            self._warn(f"the rule caro is not supported: playing {self.rule}")
        elif bits & CONTINUOUS_BIT and bits != CONTINUOUS_BIT:
            self._warn(f"continuous games are not supported: playing {self.rule}, the first win ends the game")
        self._settings_applied &= self.rule == before

    def _set_memory(self, size: int) -> None:
        before, self._max_memory = self._max_memory, max(size, 0)
        self._settings_applied &= self._max_memory == before

    def _set_threads(self, count: int) -> None:
        threads = min(max(count, 1), MOST_THREADS)
        used = self.engine.use_threads(threads)
        if threads != count:
            self._warn(f"thread_num must be 1 to {MOST_THREADS}: using {used}")
        elif used < threads:
            self._warn(f"thread_num exceeds the number of cores: using {used}")

    def _set_depth(self, depth: int) -> None:
        self._depth = depth if depth > 0 else None

    def _set_nodes(self, nodes: int) -> None:
        self._nodes = nodes if nodes > 0 else None

    # Stones.

    def _begin(self, rest: str) -> None:
        if self.board.stones:
            raise HansuError("BEGIN needs an empty board", "send RESTART first, or use BOARD")
        self._search()

    def _turn(self, rest: str) -> None:
        self.board.stones[self.board.free_cell(rest, "TURN x,y")] = OTHER
        self._search()

    def _play(self, rest: str) -> None:
        cell = self.board.free_cell(rest, "PLAY x,y")
        self.board.stones[cell] = OWN
        self.answer(self.board.text(cell))

    def _takeback(self, rest: str) -> None:
        cell = self.board.cell(rest, "TAKEBACK x,y")
        if cell not in self.board.stones:
            raise HansuError("there is no stone on {point}", "send a taken point", point=self.board.text(cell))
        del self.board.stones[cell]
        self.answer("OK")

    def _collect(self, rest: str) -> None:
        self._collecting, self._collected = self.line.word.upper(), []

    def _collect_line(self, line: ProtocolLine) -> None:
        """A line of a BOARD, or the DONE that ends it."""
        if line.word != "done":
            if len(self._collected) <= LARGEST * LARGEST:  # longer lists are invalid anyway
                self._collected.append(line.text)
            return
        kind, self._collecting = self._collecting, ""
        if kind == "SWAP2BOARD":
            self._swap2(self.board.opening(self._collected, kind))
            return
        self.board.read(self._collected, kind)
        if kind == "BOARD":
            self._search()

    def _show_forbidden(self, rest: str) -> None:
        size, situation = self.board.size, self.board.situation()
        self._apply_settings()
        cells = sorted(self.engine.forbidden(situation.board)) if self.rule == RENJU else ()
        self.answer(f"FORBID {''.join(f'{cell % size:02}{cell // size:02}' for cell in cells)}.")

    # Searching.

    def _limit(self, allowed: Allowance) -> Limit:
        return Limit(1 if self.clock.hurried else self._depth, self._nodes, allowed.hard)

    def _search(self) -> None:
        situation = self.board.situation()
        if self.board.full:
            raise HansuError("the board is full", "send RESTART")
        allowed, last = self.clock.share(len(self.board.stones) // 2)
        answer = MoveReply(lambda cell: self._move(situation, cell))

        def on_report(report: Report) -> None:
            with answer.lock:
                if not answer.sent:
                    answer.best = int(report.line[0])
                    self._send_report(report, situation)

        with self.searching(on_report) as control:
            watchdog = threading.Timer(max(last - self.spent, LEAST_WATCHED), answer.expire, (control,))
            watchdog.daemon = True
            watchdog.start()
            try:
                self._apply_settings()
                allowed = allowed.less(self.spent)
                final = self.engine.search(situation, self._limit(allowed), allowed.soft, control)
                answer.best = int((*final.line, -1)[0])
            except Exception as error:  # a manager must receive a move in any case
                self.say(f"DEBUG {one_line(f'the search failed: {told(error)}')}")
            finally:
                watchdog.cancel()
        answer.send()

    def _send_report(self, report: Report, situation: Situation) -> None:
        score = f"eval {self.engine.score_of(report)}"
        if report.value is not None and report.plies is not None:
            wins = report.value.to(situation.colour - BLACK) > 0
            score = f"win {(report.plies + 1) // 2}" if wins else "lost"
        self.say(
            f"MESSAGE depth {report.depth}-{report.seldepth} {score} nodes {report.nodes} "
            f"time {int(1000 * report.seconds)} pv {' '.join(map(self.board.name, report.line))}"
        )

    def _move(self, situation: Situation, cell: int) -> None:
        """Play this cell; if it is not an empty cell, another one."""
        if not (0 <= cell < len(situation.board) and situation.board[cell] == 0):
            cell = self._any_cell(situation)
        spent = self.spent
        if cell < 0:
            self.refuse("there is no legal move")
        else:
            self.board.stones[cell] = OWN
            self.answer(self.board.text(cell))
        self.clock.spend(spent)

    def _any_cell(self, situation: Situation) -> int:
        """The empty cell nearest to the centre that is not forbidden, or -1."""
        size, middle = self.board.size, (self.board.size - 1) / 2
        free = {cell for cell, stone in enumerate(situation.board) if not stone}
        if self.rule == RENJU and situation.colour == BLACK:
            with suppress(Exception):
                free -= set(self.engine.forbidden(situation.board))
        return min(free, key=lambda cell: (cell % size - middle) ** 2 + (cell // size - middle) ** 2, default=-1)

    def _swap2(self, stones: tuple[int, ...]) -> None:
        if len(stones) not in SWAP2_ANSWERS:
            raise HansuError("SWAP2BOARD with {count} stones", "send 0, 3 or 5 stones before DONE", count=len(stones))
        with self.searching() as control:
            self._apply_settings()
            allowed, _ = self.clock.share(len(stones) // 2)
            chosen = self.engine.swap2(stones, self._limit(allowed.less(self.spent)), control)
        if len(chosen) not in SWAP2_ANSWERS[len(stones)] or len({*stones, *chosen}) != len(stones) + len(chosen):
            raise HansuError("the engine has no answer to this opening", "send other stones")
        spent = self.spent
        self.answer(" ".join(map(self.board.text, chosen)) or "SWAP")
        self.clock.spend(spent)


class MoveReply:
    """The answer to one search, sent exactly once: by the search, or by the watchdog if the search exceeds its time."""

    def __init__(self, move: Callable[[int], None]) -> None:
        self.lock = threading.RLock()
        self.best = -1  # the best cell reported so far
        self.sent = False
        self._move = move

    def expire(self, control: Control) -> None:
        """The watchdog's call: stop the search and send the best move."""
        control.stop()
        self.send()

    def send(self) -> None:
        """Play the best cell, unless a move was sent already."""
        with self.lock:  # held until the move is sent, so that the search's thread does not serve the next line before
            if not self.sent:
                self.sent = True
                self._move(self.best)
