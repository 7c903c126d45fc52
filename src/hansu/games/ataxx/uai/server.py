"""The engine side of UAI, the Universal Ataxx Interface: UCI with Ataxx notation.

There is no formal specification; docs/internals/uai.md lists the commands. `stop`, `quit` and, during a search,
`isready` act at once; other commands wait for the end of the search. Every `go` gets exactly one `bestmove`. Invalid
input gets an `info string` and changes nothing. `driver.py` is the other side: a player that runs an external engine.

The server knows neither the rules nor the search: a `Game` reads positions and moves, a `UaiEngine` searches.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import ClassVar, TextIO

from hansu.core import Action, Control, HansuError, Limit, Position, Report, State, actions, mover, over, play
from hansu.games.ataxx.uai.engine import UaiEngine
from hansu.protocols.clock import Allowance, allowance_of_go
from hansu.protocols.server import ProtocolLine, Server, one_line, told

MOST_NUMBER = 1 << 62
COUNTED_AT_ONCE = 5  # plies of perft per call; `stop` is checked between calls
LONG_WORDS = ("go", "perft", "split", "bench")


class UaiServer(Server):
    """A UAI engine on standard input and output."""

    protocol: ClassVar[str] = "UAI"
    last_word: ClassVar[str] = "quit"

    def __init__(self, engine: UaiEngine, output: TextIO | None = None) -> None:
        super().__init__(output)
        self.engine = engine
        self.state: State = engine.game.first.state
        self._origin = ""
        self._moves: list[str] = []
        self._prepared = False
        self._long_received = self._long_done = -1  # numbers of the last lines with a long-running command
        self.commands = {
            "uai": self._uai, "isready": self._isready, "setoption": self._setoption, "uainewgame": self._newgame,
            "position": self._position, "go": self._go, "print": self._print, "eval": self._eval,
            "perft": self._perft, "split": self._split, "bench": self._bench,
        }  # fmt: skip

    def hear(self, line: ProtocolLine) -> bool:
        if line.word in LONG_WORDS:
            self._long_received = line.number
        elif line.word in ("stop", "quit"):
            self.stop(line.number)
            return line.word == "stop"
        elif line.word == "isready" and self._long_done < self._long_received:
            self.say("readyok")
            return True
        return False

    def take(self, line: ProtocolLine) -> None:
        super().take(line)
        if line.word in LONG_WORDS:
            self._long_done = line.number

    def remark(self, text: str) -> None:
        self.say(f"info string {one_line(text)}")

    refuse = remark

    def refuse_unknown(self, line: ProtocolLine) -> None:
        self.refuse(f"unknown command {line.text.split()[0]!r}")

    # Commands before and between games.

    def _uai(self, rest: str) -> None:
        options = [option.text for option in self.engine.options]
        self.say(f"id name {self.engine.name}", f"id author {self.engine.author}", *options, "uaiok")

    def _isready(self, rest: str) -> None:
        try:
            self._prepare()
        except Exception as error:  # a manager must not wait for readyok for ever
            self.remark(f"not ready: {told(error)}")
        self.answer("readyok")

    def _prepare(self) -> bool:
        """Get ready to search; returns whether there was anything to do."""
        if self._prepared:
            return False
        self.engine.precompile()
        self._prepared = True
        return True

    def _setoption(self, rest: str) -> None:
        text = " ".join(rest.split())
        if not text.lower().startswith("name "):
            raise HansuError("usage: setoption name N [value V]")
        name, _, value = (text[5:] + " ").partition(" value ")  # a value may be empty
        for option in self.engine.options:
            if option.name.lower() == name.strip().lower():
                self._set(option.name, option.read(value.strip()))
                return
        # Options of other engines are ignored.

    def _set(self, name: str, value: str) -> None:
        before = self.engine.game.spec
        self.engine.set_option(name, value)
        self._prepared = False
        if self.engine.game.spec != before:  # replay the moves by the new rules
            words = [self._origin or "startpos", "moves", *self._moves]
            self._origin = ""
            self._position(" ".join(words))

    def _newgame(self, rest: str) -> None:
        self.engine.new_game()

    def _position(self, rest: str) -> None:
        words = rest.split()
        if not words or words[0] not in ("startpos", "fen"):
            raise HansuError("usage: position startpos|fen F [moves ...]")
        at = words.index("moves") if "moves" in words else len(words)
        origin, moves = " ".join(words[:at]), words[at + 1 :]
        game = self.engine.game
        if words[0] == "startpos" and at != 1:
            raise HansuError("position startpos: {word!r} is not `moves`", word=words[1])
        known = len(self._moves)
        if origin == self._origin and moves[:known] == self._moves:
            state = self.state  # the same game, some moves later: managers send all moves each time
        else:
            known = 0
            text = " ".join(words[1:at])
            if words[0] == "fen" and "/" not in text:
                raise HansuError("position fen: {text!r} is not a FEN", text=text)
            state = game.position(text).state if words[0] == "fen" else game.first.state
        for number, move in enumerate(moves[known:], known + 1):
            if over(state):
                raise HansuError("move {number}, {move!r}: the game is already over", number=number, move=move)
            try:
                state = play(state, game.action(state, move))
            except HansuError as error:
                raise HansuError("move {number}: {what}", number=number, what=error.what) from None
        self._origin, self._moves, self.state = origin, moves, state

    # Search.

    def _go(self, rest: str) -> None:
        limit, allowed, endless = self._limits(rest.split())
        best = None if over(self.state) else next(iter(actions(self.state)), None)

        def on_report(report: Report) -> None:
            nonlocal best
            best = report.line[0] if report.line else best
            self._report(report)

        with self.searching(on_report, endless) as control:
            if best is None:
                self.remark("the game is over")
            else:
                try:
                    report = self._search(limit, allowed, control)
                    best = report.line[0] if report.line else best
                except Exception as error:  # a manager must always get a move
                    self.remark(f"the search failed: {told(error)}")
            if endless:
                self.wait_for_stop()
        self.answer(f"bestmove {'0000' if best is None else self.engine.game.move_text(self.state, best)}")

    def _search(self, limit: Limit, allowed: Allowance | None, control: Control) -> Report:
        waited = self.spent
        if self._prepare():
            self._free_at = time.perf_counter() - waited  # preparation does not count
        if allowed is None:
            return self.engine.search(self.state, limit, None, control)
        hard, soft = allowed.less(self.spent)
        return self.engine.search(self.state, Limit(limit.depth, limit.nodes, hard), soft, control)

    def _limits(self, words: list[str]) -> tuple[Limit, Allowance | None, bool]:
        """The limit without its time, the time, and whether `bestmove` must wait for `stop`."""
        numbers: dict[str, int] = {}
        known = ("depth", "nodes", "movetime", "btime", "wtime", "binc", "winc", "movestogo")
        bad = False
        for place, word in enumerate(words):
            if word in known:
                value = words[place + 1] if place + 1 < len(words) else ""
                try:
                    numbers[word] = max(min(int(value), MOST_NUMBER), -MOST_NUMBER)
                except ValueError:
                    bad = True
                    self.remark(f"go {word}: {value!r} is not an integer")
        depth = max(numbers["depth"], 1) if "depth" in numbers else None
        nodes = max(numbers["nodes"], 1) if "nodes" in numbers else None
        allowed = allowance_of_go(numbers, "bw"[mover(self.state)], self.engine.overhead)
        if depth is None and nodes is None and allowed is None:
            if not bad:
                return Limit(), None, True
            depth = 1  # the manager waits for a move
        return Limit(depth, nodes), allowed, "infinite" in words

    def _report(self, report: Report) -> None:
        if len(report.moves) > 1 and all(move.line for move in report.moves):
            for number, move in enumerate(report.moves, 1):
                self._report_line(replace(report, value=move.value, line=move.line), f"multipv {number} ")
        else:
            self._report_line(report)

    def _report_line(self, report: Report, which: str = "") -> None:
        score = f"cp {self.engine.score_of(report)}"
        if report.value is not None and report.plies is not None:
            mate = (report.plies + 1) // 2
            score = f"mate {mate if report.value.to(mover(self.state)) > 0 else -mate}"
        self.say(
            f"info depth {report.depth} seldepth {report.seldepth} {which}score {score} "
            f"time {int(1000 * report.seconds)} nodes {report.nodes} nps {rate(report.nodes, report.seconds)} "
            f"hashfull {self.engine.hashfull()} "
            f"pv {self._line_text(report.line)}"
        )

    def _line_text(self, line: tuple[Action, ...]) -> str:
        texts, state = [], self.state
        for action in line:
            texts.append(self.engine.game.move_text(state, action))
            state = play(state, action)
        return " ".join(texts)

    # Commands for people.

    def _print(self, rest: str) -> None:
        position = Position(self.engine.game, self.state)
        self.say(str(position), position.text)

    def _eval(self, rest: str) -> None:
        self.remark(f"evaluation {self.engine.evaluation(self.state)} for the mover")

    def _perft(self, rest: str) -> None:
        lines = 0
        with self.searching() as control:
            for depth in range(1, _plies(rest) + 1):
                began = time.perf_counter()
                lines = self._count(self.state, depth, control)
                if control.stopped:
                    raise HansuError("perft was stopped")
                spent = time.perf_counter() - began
                self.say(f"info depth {depth} nodes {lines} time {int(1000 * spent)} nps {rate(lines, spent)}")
        self.say(f"nodes {lines}")

    def _split(self, rest: str) -> None:
        depth, total = _plies(rest), 0
        with self.searching() as control:
            for action in () if over(self.state) else tuple(actions(self.state)):
                lines = self._count(play(self.state, action), depth - 1, control)
                if control.stopped:
                    raise HansuError("split was stopped")
                total += lines
                self.say(f"{self.engine.game.move_text(self.state, action)}: {lines}")
        self.say(f"nodes {total}")

    def _count(self, s: State, depth: int, control: Control) -> int:
        """The number of lines of `depth` plies; meaningless if stopped."""
        count = self.engine.game.perft
        assert count is not None
        if depth <= COUNTED_AT_ONCE or over(s):
            return count(s, depth)
        return sum(self._count(play(s, action), depth - 1, control) for action in actions(s) if not control.stopped)

    def _bench(self, rest: str) -> None:
        with self.searching() as control:
            nodes, seconds = self.engine.bench(control)
            if control.stopped:
                raise HansuError("bench was stopped")
        self.remark(f"{nodes} nodes {rate(nodes, seconds)} nps")


def rate(count: int, seconds: float) -> int:
    return int(count / max(seconds, 1e-6))


def _plies(rest: str) -> int:
    if not re.match(r"[1-9][0-9]?(\s|$)", rest):
        raise HansuError("usage: perft N or split N, where N is a number of plies")
    return int(rest.split()[0])
