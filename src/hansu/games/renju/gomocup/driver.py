"""The Gomocup protocol as a client: a player that runs an external engine (a "brain").

A new engine receives START, and INFO about the rule, the time and the memory. An engine that has followed the game
receives BEGIN or TURN; any other receives the whole BOARD. Lines that are not answers (MESSAGE, DEBUG and others) are
skipped.
"""

from __future__ import annotations

import re
import time
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from hansu.core import Action, Control, Decision, HansuError, Limit, Message, Position, Report, option
from hansu.core.errors import PlayerFault
from hansu.protocols.clock import UNLIMITED
from hansu.protocols.driver import DEFAULT_SECONDS, Driver
from hansu.protocols.program import MEMORY_LIMIT

SLOWEST_SECONDS = 10.0  # sent with limits of depth or nodes, because most engines support only a time
ADDRESS_FACTOR = 4  # address space allowed, as a multiple of the memory: programs map more than they use
OPPONENT_IS_AN_ENGINE = 1
_MOVE = re.compile(r"\d{1,3}\s*,\s*\d{1,3}")
_CHOICE = re.compile(r"(?i)SWAP|\d{1,3},\d{1,3}( +\d{1,3},\d{1,3}){0,2}")


class GomocupPosition(NamedTuple):
    """A position in the protocol's terms. A cell is y * size + x, with y from the top."""

    size: int
    rule: int  # the protocol's bits: 0 freestyle, 1 standard, 4 renju
    stones: tuple[tuple[int, int], ...]  # (cell, colour) in the order of play
    colour: int  # of the mover


@dataclass
class GomocupDriver(Driver):
    """A client of the protocol. Subclasses add a `kind` and translate positions and moves of a game."""

    stop_word: ClassVar[str] = "YXSTOP"
    heeds_stop: ClassVar[bool] = False  # many engines do not support it
    farewell: ClassVar[str] = "END"
    own_folder: ClassVar[bool] = True  # engines look for their networks and settings in their folder
    memory: int = option(
        1024,
        Message("memory limit sent to the engine, in MB"),
        low=10,
        high=1 << 16,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._extra: tuple[int | None, int | None] = (None, None)  # the depth and node limits sent last
        self._board = (0, 0)  # the size and the rule of its START
        self._known: tuple[tuple[int, int], ...] | None = None  # the stones on its board; None: of a finished game

    @abstractmethod
    def protocol_position(self, position: Position) -> GomocupPosition:
        """The position in the protocol's terms; raises HansuError if the protocol cannot express it."""

    @abstractmethod
    def action(self, position: Position, cell: int) -> Action:
        """The legal action that places a stone on a cell; raises HansuError with the reason if there is none."""

    def _start(self, size: int, rule: int) -> None:
        """Prepare the engine for a new game, in the same process if possible."""
        if self._program is not None and self._program.alive and self._board == (size, rule):
            if self._known == ():
                return
            self._send("RESTART")
            if self._confirmed():
                self._known = ()
                return
        self.close()
        self._launch(max(MEMORY_LIMIT, ADDRESS_FACTOR * self.memory << 20))
        self._send(f"START {size}")
        if not self._confirmed():
            raise PlayerFault("{name} does not support START", name=self.name)
        self._send("INFO timeout_match 0")
        self._send(f"INFO max_memory {self.memory << 20}")
        self._send(f"INFO game_type {OPPONENT_IS_AN_ENGINE}")
        self._send(f"INFO rule {rule}")
        self._board, self._known = (size, rule), ()

    def _confirmed(self) -> bool:
        """Wait for OK (True) or UNKNOWN (False). An ERROR raises PlayerFault."""
        end, allowed = self._starting()
        while True:
            word, _, rest = (self._wait(end, allowed) or "").strip().partition(" ")
            if word.upper() in ("OK", "UNKNOWN"):
                return word.upper() == "OK"
            if word.upper() == "ERROR":
                raise PlayerFault(
                    "{name} rejected the game: {reason}",
                    name=self.name,
                    reason=rest or Message("no reason given"),
                )

    def new_game(self) -> None:
        """The next position belongs to another game."""
        self._known = None

    def close(self) -> None:
        """End the engine."""
        super().close()
        self._known = None

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        query = self.protocol_position(position)
        with self._faults_are_kept():
            seconds = self._ask(query, limit)
            started = time.perf_counter()
            message, answer = self._answer(_MOVE, seconds, control)
            spent = time.perf_counter() - started
            cell = self._cell(query, answer)
            try:
                action = self.action(position, cell)
            except HansuError as error:
                raise PlayerFault(
                    "{name} answered {answer}: {what}", name=self.name, answer=self._text(query, cell), what=error.what
                ) from None
        self._known = (*query.stones, (cell, query.colour))
        move = position.move_text(action)
        if message:
            why = Message("{move}: the engine reports {message}", move=move, message=message)
        else:
            why = Message("{move}: the engine's move", move=move)
        return Decision(action=action, why=why, report=Report(line=(action,), seconds=spent))

    def _ask(self, query: GomocupPosition, limit: Limit) -> float:
        """Send the position. Returns the seconds that the engine may take."""
        seconds = self._ready(query, limit)
        if self._follows(query):
            self._send(f"TURN {self._text(query, query.stones[-1][0])}")
        elif not query.stones:
            self._send("BEGIN")
        else:
            self._send("BOARD")
            for cell, colour in query.stones:
                self._send(f"{self._text(query, cell)},{1 if colour == query.colour else 2}")
            self._send("DONE")
        return seconds

    def _ready(self, query: GomocupPosition, limit: Limit) -> float:
        """Start the engine if necessary and send the limits. Returns the seconds that the engine may take."""
        if not (self._follows(query) and self._extra == (limit.depth, limit.nodes)):
            if self._extra != (limit.depth, limit.nodes):
                self.close()  # the protocol cannot remove such a limit
            self._start(query.size, query.rule)
        self._extra = (limit.depth, limit.nodes)
        no_time = limit.depth is not None or limit.nodes is not None
        seconds = limit.time or (SLOWEST_SECONDS if no_time else DEFAULT_SECONDS)
        self._send(f"INFO timeout_turn {max(int(1000 * seconds), 1)}")
        self._send(f"INFO time_left {UNLIMITED}")
        if limit.depth is not None:  # Yixin's keys, which some engines support
            self._send(f"INFO max_depth {limit.depth}")
        if limit.nodes is not None:
            self._send(f"INFO max_node {limit.nodes}")
        return seconds

    def opening(self, query: GomocupPosition, limit: Limit, control: Control) -> tuple[int, ...]:
        """The engine's choice in a swap2 opening: three stones, two, one, or none to swap."""
        with self._faults_are_kept():
            seconds = self._ready(query, limit)
            self._send("SWAP2BOARD")
            for cell, _ in query.stones:
                self._send(self._text(query, cell))
            self._send("DONE")
            _, answer = self._answer(_CHOICE, seconds, control)
            return tuple(self._cell(query, text) for text in answer.split()) if answer.upper() != "SWAP" else ()

    def _follows(self, query: GomocupPosition) -> bool:
        """Is the position one move of the opponent ahead of the engine's board?"""
        if self._known is None or self._board != (query.size, query.rule) or not query.stones:
            return False
        *before, last = query.stones
        return tuple(before) == self._known and last[1] != query.colour

    @staticmethod
    def _text(query: GomocupPosition, cell: int) -> str:
        return f"{cell % query.size},{cell // query.size}"

    def _answer(self, pattern: re.Pattern[str], seconds: float, control: Control) -> tuple[str, str]:
        """The engine's last MESSAGE and its answer, the first line that matches the pattern."""
        message = complaint = ""

        def answer_in(line: str) -> str | None:
            nonlocal message, complaint
            word = line.partition(" ")[0].upper()
            if word == "SUGGEST":
                self._send(f"PLAY {line[8:].strip()}")
            elif word == "MESSAGE":
                message = line[8:].strip() or message
            elif word in ("ERROR", "UNKNOWN"):
                complaint = line  # perhaps only about an INFO
            return line if pattern.fullmatch(line) else None

        try:
            answer = self._listen(seconds, control, answer_in)
        except PlayerFault as error:
            if not complaint:
                raise
            raise PlayerFault("{what}; its last error: {complaint!r}", what=error.what, complaint=complaint) from None
        return message, answer

    def _cell(self, query: GomocupPosition, text: str) -> int:
        x, y = map(int, text.split(","))
        if x >= query.size or y >= query.size:
            raise PlayerFault("{name} answered {answer!r}, which is not on the board", name=self.name, answer=text)
        return y * query.size + x
