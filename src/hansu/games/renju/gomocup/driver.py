"""A player that drives an outside engine over the Gomocup protocol: any "brain" that reads and writes lines.

A new engine gets START and then INFO about the rule, the time and the memory. An engine that has followed the game so
far gets BEGIN or TURN, any other the whole BOARD. Lines that are no answer (MESSAGE, DEBUG, chatter) are passed over.
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

SLOWEST_SECONDS = 10.0  # for a limit without a time: most engines know no other
ROOM = 4  # times its memory in addresses: programs map more than they use
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
    """Subclass with a `kind` for the games whose engines speak it."""

    stop_word: ClassVar[str] = "YXSTOP"
    heeds_stop: ClassVar[bool] = False  # those who do not know it take their time
    farewell: ClassVar[str] = "END"
    own_folder: ClassVar[bool] = True  # engines look there for their networks and settings
    memory: int = option(
        1024,
        Message("megabytes that it is told to keep within"),
        low=10,
        high=1 << 16,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._extra: tuple[int | None, int | None] = (None, None)  # limits of depth and nodes that it was told
        self._board = (0, 0)  # size and rule that it was started with
        self._known: tuple[tuple[int, int], ...] | None = None  # the stones that it has on its board; None: a game past

    @abstractmethod
    def protocol_position(self, position: Position) -> GomocupPosition:
        """A position in the protocol's terms; raises HansuError where it has none."""

    @abstractmethod
    def action(self, position: Position, cell: int) -> Action:
        """The legal action that puts a stone there; raises HansuError that says why there is none."""

    def _start(self, size: int, rule: int) -> None:
        """Ready for a position of another game, in the same process if it can."""
        if self._program is not None and self._program.alive and self._board == (size, rule):
            if self._known == ():
                return
            self._send("RESTART")
            if self._confirmed():
                self._known = ()
                return
        self.close()
        self._launch(max(MEMORY_LIMIT, ROOM * self.memory << 20))
        self._send(f"START {size}")
        if not self._confirmed():
            raise PlayerFault(f"{self.name} does not know START")
        self._send("INFO timeout_match 0")
        self._send(f"INFO max_memory {self.memory << 20}")
        self._send(f"INFO game_type {OPPONENT_IS_AN_ENGINE}")
        self._send(f"INFO rule {rule}")
        self._board, self._known = (size, rule), ()

    def _confirmed(self) -> bool:
        """OK, or UNKNOWN? An ERROR is a fault."""
        end, allowed = self._starting()
        while True:
            word, _, rest = (self._wait(end, allowed) or "").strip().partition(" ")
            if word.upper() in ("OK", "UNKNOWN"):
                return word.upper() == "OK"
            if word.upper() == "ERROR":
                raise PlayerFault(f"{self.name} refuses the game: {rest or 'no reason given'}")

    def new_game(self) -> None:
        self._known = None

    def close(self) -> None:
        super().close()
        self._known = None

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        query = self.protocol_position(position)
        with self._faults_are_kept():
            seconds = self._ask(query, limit)
            started = time.perf_counter()
            told, answer = self._answer(_MOVE, seconds, control)
            spent = time.perf_counter() - started
            cell = self._cell(query, answer)
            try:
                action = self.action(position, cell)
            except HansuError as error:
                raise PlayerFault(f"{self.name} answered {self._text(query, cell)}: {error.what}") from None
        self._known = (*query.stones, (cell, query.colour))
        move = position.move_text(action)
        why = Message("{move}: the engine says {told}", move=move, told=told or Message("nothing about it"))
        return Decision(action=action, why=why, report=Report(line=(action,), seconds=spent))

    def _ask(self, query: GomocupPosition, limit: Limit) -> float:
        """Send the question, and give the seconds that the engine may take."""
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
        """Start it where need be, tell the limits, and give the seconds that it may take."""
        if not (self._follows(query) and self._extra == (limit.depth, limit.nodes)):
            if self._extra != (limit.depth, limit.nodes):
                self.close()  # no word takes such a limit back
            self._start(query.size, query.rule)
        self._extra = (limit.depth, limit.nodes)
        no_time = limit.depth is not None or limit.nodes is not None
        seconds = limit.time or (SLOWEST_SECONDS if no_time else DEFAULT_SECONDS)
        self._send(f"INFO timeout_turn {max(int(1000 * seconds), 1)}")
        self._send(f"INFO time_left {UNLIMITED}")
        if limit.depth is not None:  # Yixin's words, which some know
            self._send(f"INFO max_depth {limit.depth}")
        if limit.nodes is not None:
            self._send(f"INFO max_node {limit.nodes}")
        return seconds

    def opening(self, query: GomocupPosition, limit: Limit, control: Control) -> tuple[int, ...]:
        """What it chooses in the opening of swap2: three stones, one, two, or none to swap."""
        with self._faults_are_kept():
            seconds = self._ready(query, limit)
            self._send("SWAP2BOARD")
            for cell, _ in query.stones:
                self._send(self._text(query, cell))
            self._send("DONE")
            _, answer = self._answer(_CHOICE, seconds, control)
            return tuple(self._cell(query, text) for text in answer.split()) if answer.upper() != "SWAP" else ()

    def _follows(self, query: GomocupPosition) -> bool:
        """Is the position one move of the opponent away from what the engine has on its board?"""
        if self._known is None or self._board != (query.size, query.rule) or not query.stones:
            return False
        *before, last = query.stones
        return tuple(before) == self._known and last[1] != query.colour

    @staticmethod
    def _text(query: GomocupPosition, cell: int) -> str:
        return f"{cell % query.size},{cell // query.size}"

    def _answer(self, wanted: re.Pattern[str], seconds: float, control: Control) -> tuple[str, str]:
        """The last thing it said about it, and the answer."""
        told = complaint = ""

        def answer_in(line: str) -> str | None:
            nonlocal told, complaint
            word = line.partition(" ")[0].upper()
            if word == "SUGGEST":
                self._send(f"PLAY {line[8:].strip()}")
            elif word == "MESSAGE":
                told = line[8:].strip() or told
            elif word in ("ERROR", "UNKNOWN"):
                complaint = line  # perhaps only about an INFO
            return line if wanted.fullmatch(line) else None

        try:
            answer = self._listen(seconds, control, answer_in)
        except PlayerFault as error:
            raise PlayerFault(error.what + (f"; it said {complaint!r}" if complaint else "")) from None
        return told, answer

    def _cell(self, query: GomocupPosition, text: str) -> int:
        x, y = map(int, text.split(","))
        if x >= query.size or y >= query.size:
            raise PlayerFault(f"{self.name} answered {text!r}, which is not on the board")
        return y * query.size + x
