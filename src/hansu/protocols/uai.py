"""UAI, the Universal Ataxx Interface, as an engine: lines in, lines out, like UCI with other notation.

No formal document exists; docs/ataxx.md lists what is spoken. A search runs in a thread of its own, so that `stop` and
`isready` are answered at once. Every `go` gets exactly one `bestmove`. Bad input gets an `info string` and changes
nothing. `uai_driver` is the other side: a player that drives an engine.

The protocol knows neither the rules nor the search: a `Game` reads positions and moves, a `Mind` thinks.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TextIO

from hansu.core import Action, Control, Game, HansuError, Limit, State, actions, mover, over, play

MOST_SECONDS = 86_400 * 365
MOST_NODES = 1 << 62
DEFAULT_MOVES_TO_GO = 22  # moves that the time on the clock must last for, where nobody says
MOVE_SHARE = 0.4  # of the clock, at most, for one move


@dataclass(frozen=True)
class Info:
    """What a search tells after an iteration. The score is the mover's; `mate` counts moves of the winner, negative
    for a loss."""

    depth: int
    seldepth: int
    score: int
    mate: int | None
    seconds: float
    nodes: int
    hashfull: int
    line: tuple[Action, ...]


@dataclass(frozen=True)
class UaiOption:
    name: str
    kind: str  # spin, check, combo, string or button
    default: str = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        words = f"option name {self.name} type {self.kind}"
        if self.kind != "button":
            words += f" default {self.default or '<empty>'}"
        if self.kind == "spin":
            words += f" min {self.low} max {self.high}"
        return words + "".join(f" var {choice}" for choice in self.choices)

    def read(self, value: str) -> str:
        """The value as it will be handed on; raises if it does not fit."""
        if self.kind == "spin":
            try:
                number = int(value)
            except ValueError:
                raise HansuError(f"{self.name}: {value!r} is not a whole number") from None
            if not self.low <= number <= self.high:
                raise HansuError(f"{self.name}: {number} is not in {self.low} to {self.high}")
            return str(number)
        if self.kind == "check" and value.lower() not in ("true", "false"):
            raise HansuError(f"{self.name}: {value!r} is neither true nor false")
        if self.kind == "combo":
            fitting = [choice for choice in self.choices if choice.lower() == value.lower()]
            if not fitting:
                raise HansuError(f"{self.name}: {value!r} is none of {', '.join(self.choices)}")
            return fitting[0]
        return value.lower() if self.kind == "check" else value


class Mind(Protocol):
    """What thinks behind the protocol. Only one thread at a time calls it."""

    @property
    def name(self) -> str: ...

    @property
    def author(self) -> str: ...

    @property
    def options(self) -> tuple[UaiOption, ...]: ...

    game: Game  # as the options have set it
    overhead: float  # seconds of each move that are left to the way there and back

    def set_option(self, name: str, value: str) -> None: ...

    def new_game(self) -> None: ...

    def prepare(self) -> None:
        """Load and compile whatever a search needs."""

    def search(
        self, s: State, limit: Limit, soft: float | None, control: Control, tell: Callable[[Info], None]
    ) -> Action: ...

    def evaluation(self, s: State) -> int: ...

    def bench(self) -> tuple[int, float]:
        """Nodes and seconds of a fixed set of searches."""


class Server:
    """Talks with one manager, from the first line to `quit` or the end of the input."""

    def __init__(self, mind: Mind, output: TextIO | None = None) -> None:
        self.mind = mind
        self._output = output or sys.stdout
        self._print_lock = threading.Lock()
        self._lock = threading.Lock()  # guards what follows
        self._control: Control | None = None  # of the search that runs
        self._worker: threading.Thread | None = None
        self._stopped = threading.Event()
        self._later: list[Callable[[], None]] = []  # what waits for the search to end
        self._prepared = False
        self._deaf = False
        self._origin = ""
        self._moves: list[str] = []
        self._state: State = mind.game.first.state
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uai": self._uai, "isready": self._isready, "setoption": self._setoption, "uainewgame": self._newgame,
            "position": self._position, "go": self._go, "stop": self._stop, "print": self._print, "eval": self._eval,
            "perft": self._perft, "split": self._split, "bench": self._bench,
        }  # fmt: skip

    def run(self, lines: Any) -> None:
        """Serve every line of an iterable; its end is a `quit`."""
        for line in lines:
            words = line.split()
            if not words:
                continue
            if words[0] == "quit":
                break
            self.take(words)
            if self._deaf:
                break
        self._stop([])
        worker = self._worker
        if worker is not None:
            worker.join()

    def take(self, words: list[str]) -> None:
        """Serve one line."""
        command = self._commands.get(words[0])
        if command is None:
            self._say(f"info string unknown command {words[0]!r}")
            return
        try:
            command(words[1:])
        except HansuError as error:
            self._complain(error)
        except Exception as error:  # whatever a line may do, the next one is served
            self._say(f"info string {words[0]} failed: {type(error).__name__}: {' '.join(str(error).split())}")

    def _say(self, *lines: str) -> None:
        with self._print_lock:
            try:
                print(*lines, sep="\n", file=self._output, flush=True)
            except (OSError, ValueError):
                self._deaf = True  # nobody listens any more

    def _complain(self, error: HansuError) -> None:
        self._say("info string " + " ".join(str(error).split()))

    # What a manager says before and between games.

    def _uai(self, words: list[str]) -> None:
        options = [option.text for option in self.mind.options]
        self._say(f"id name {self.mind.name}", f"id author {self.mind.author}", *options, "uaiok")

    def _isready(self, words: list[str]) -> None:
        with self._lock:
            idle = self._worker is None
        if idle and not self._prepared:
            try:
                self.mind.prepare()
                self._prepared = True
            except Exception as error:  # a manager that waits for readyok must not wait for ever
                self._say(f"info string not prepared: {type(error).__name__}: {' '.join(str(error).split())}")
        self._say("readyok")

    def _setoption(self, words: list[str]) -> None:
        text = " ".join(words)
        if not text.lower().startswith("name "):
            raise HansuError("setoption name N [value V]")
        name, _, value = text[5:].partition(" value ")
        for option in self.mind.options:
            if option.name.lower() == name.strip().lower():
                self._when_idle(partial(self._set, option.name, option.read(value.strip())))
                return
        # Names that another engine knows are no mistake.

    def _set(self, name: str, value: str) -> None:
        before = self.mind.game.spec
        self.mind.set_option(name, value)
        self._prepared = False
        if self.mind.game.spec != before:  # the same moves, by other rules
            words = (self._origin or "startpos").split() + ["moves"] + self._moves
            self._origin = ""
            self._position(words)

    def _newgame(self, words: list[str]) -> None:
        self._when_idle(self.mind.new_game)

    def _when_idle(self, deed: Callable[[], None]) -> None:
        """Now, or as soon as the search that runs has given its move."""
        with self._lock:
            if self._worker is not None:
                self._later.append(deed)
                return
        deed()

    # Positions.

    def _position(self, words: list[str]) -> None:
        if not words or words[0] not in ("startpos", "fen"):
            raise HansuError("position startpos|fen F [moves ...]")
        at = words.index("moves") if "moves" in words else len(words)
        origin, moves = " ".join(words[:at]), words[at + 1 :]
        game = self.mind.game
        if words[0] == "startpos" and at != 1:
            raise HansuError(f"position startpos: {words[1]!r} is not `moves`")
        known = len(self._moves)
        if origin == self._origin and moves[:known] == self._moves:
            state = self._state  # the same game, some moves on: managers send all of it each time
        else:
            known = 0
            text = " ".join(words[1:at])
            if words[0] == "fen" and "/" not in text:
                raise HansuError(f"position fen: {text!r} is no FEN")
            state = game.position(text).state if words[0] == "fen" else game.first.state
        for number, move in enumerate(moves[known:], known + 1):
            if over(state):
                raise HansuError(f"move {number}, {move!r}: the game is over already")
            try:
                state = play(state, game.action(state, move))
            except HansuError as error:
                raise HansuError(f"move {number}: {error.what}") from None
        self._origin, self._moves, self._state = origin, moves, state

    # Thinking.

    def _go(self, words: list[str]) -> None:
        received = time.perf_counter()
        with self._lock:
            if self._worker is not None:
                raise HansuError("go: already searching")
            limit, soft, waits = self._limits(words)
            self._stopped.clear()
            self._control = Control()
            thinking = (self._state, limit, soft, waits, self._control, received)
            self._worker = threading.Thread(target=self._think, args=thinking, daemon=True)
            self._worker.start()

    def _limits(self, words: list[str]) -> tuple[Limit, float | None, bool]:
        """The limit, the seconds after which no deeper look is begun, and whether the move must wait for `stop`."""
        numbers: dict[str, int] = {}
        wanted = ("depth", "nodes", "movetime", "btime", "wtime", "binc", "winc", "movestogo")
        bad = False
        for place, word in enumerate(words):
            if word in wanted:
                value = words[place + 1] if place + 1 < len(words) else ""
                try:
                    numbers[word] = min(int(value), MOST_NODES)
                except ValueError:
                    bad = True
                    self._say(f"info string go {word}: {value!r} is not a whole number")
        depth = max(numbers["depth"], 1) if "depth" in numbers else None
        nodes = max(numbers["nodes"], 1) if "nodes" in numbers else None
        seconds, soft = self._seconds(numbers)
        if depth is None and nodes is None and seconds is None:
            if not bad:
                return Limit(), None, True
            depth = 1  # a manager waits for its move
        return Limit(depth, nodes, seconds), soft, "infinite" in words

    def _seconds(self, numbers: dict[str, int]) -> tuple[float | None, float | None]:
        """The most seconds for this move, and how many are meant for it."""
        most = None
        if "movetime" in numbers:
            most = min(max(numbers["movetime"] / 1000 - self.mind.overhead, 0.001), MOST_SECONDS)
        side = "bw"[mover(self._state)]
        if f"{side}time" not in numbers and f"{side}inc" not in numbers:
            return most, None
        clock = min(max(numbers.get(f"{side}time", 0) / 1000 - self.mind.overhead, 0.001), MOST_SECONDS)
        gain = max(numbers.get(f"{side}inc", 0), 0) / 1000
        moves = max(numbers.get("movestogo", DEFAULT_MOVES_TO_GO), 1)
        soft = min(clock / min(moves + 1, DEFAULT_MOVES_TO_GO) + 0.7 * gain, MOVE_SHARE * clock)
        hard = min(2 * soft, MOVE_SHARE * clock)
        return (hard if most is None else min(hard, most)), soft

    def _think(
        self, state: State, limit: Limit, soft: float | None, waits: bool, control: Control, received: float
    ) -> None:
        move = "0000"
        first = next(iter(actions(state)), None) if not over(state) else None
        if first is None:
            self._say("info string the game is over")
        else:
            best = first
            try:
                if not self._prepared:  # the clock of a move does not run while code is compiled
                    self.mind.prepare()
                    self._prepared = True
                    received = time.perf_counter()
                if limit.time is not None:
                    left = max(limit.time - (time.perf_counter() - received), 0.001)
                    limit = Limit(limit.depth, limit.nodes, left)
                best = self.mind.search(state, limit, soft, control, lambda info: self._info(state, info))
            except Exception as error:  # a manager must get its move whatever happens
                self._say(f"info string the search failed: {type(error).__name__}: {error}")
            move = self.mind.game.move_text(state, best)
        if waits:
            self._stopped.wait()
        with self._lock:  # whoever reacts to the move finds us idle
            self._say(f"bestmove {move}")
            later, self._later = self._later, []
            for deed in later:
                try:
                    deed()
                except HansuError as error:
                    self._complain(error)
            self._worker = self._control = None

    def _info(self, state: State, info: Info) -> None:
        score = f"cp {info.score}" if info.mate is None else f"mate {info.mate}"
        per_second = int(info.nodes / max(info.seconds, 1e-6))
        self._say(
            f"info depth {info.depth} seldepth {info.seldepth} score {score} time {int(1000 * info.seconds)} "
            f"nodes {info.nodes} nps {per_second} hashfull {info.hashfull} pv {self._line(state, info.line)}"
        )

    def _line(self, state: State, line: tuple[Action, ...]) -> str:
        texts = []
        for action in line:
            texts.append(self.mind.game.move_text(state, action))
            state = play(state, action)
        return " ".join(texts)

    def _stop(self, words: list[str]) -> None:
        with self._lock:
            if self._control is not None:
                self._control.stop()
            self._stopped.set()

    # Extras for people.

    def _idle(self, what: str) -> None:
        with self._lock:
            if self._worker is not None:
                raise HansuError(f"{what}: stop the search first")

    def _print(self, words: list[str]) -> None:
        from hansu.core import Position

        position = Position(self.mind.game, self._state)
        self._say(str(position), position.text)

    def _eval(self, words: list[str]) -> None:
        self._idle("eval")
        self._say(f"info string evaluation {self.mind.evaluation(self._state)} for the mover")

    def _counter(self, words: list[str]) -> tuple[int, Callable[[State, int], int]]:
        if not words or not words[0].isdecimal() or not 0 < int(words[0]) < 100:
            raise HansuError("perft N, split N: N is a number of plies")
        assert self.mind.game.perft is not None
        return int(words[0]), self.mind.game.perft

    def _perft(self, words: list[str]) -> None:
        depth, count = self._counter(words)
        for n in range(1, depth + 1):
            began = time.perf_counter()
            lines = count(self._state, n)
            spent = time.perf_counter() - began
            self._say(f"info depth {n} nodes {lines} time {int(1000 * spent)} nps {int(lines / max(spent, 1e-6))}")
        self._say(f"nodes {lines}")

    def _split(self, words: list[str]) -> None:
        depth, count = self._counter(words)
        total = 0
        for action in () if over(self._state) else tuple(actions(self._state)):
            lines = count(play(self._state, action), depth - 1)
            total += lines
            self._say(f"{self.mind.game.move_text(self._state, action)}: {lines}")
        self._say(f"nodes {total}")

    def _bench(self, words: list[str]) -> None:
        self._idle("bench")
        nodes, seconds = self.mind.bench()
        self._say(f"info string {nodes} nodes {int(nodes / max(seconds, 1e-6))} nps")


def serve(mind: Mind) -> None:
    """Talk on standard input and output."""
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    Server(mind).run(iter(sys.stdin.readline, ""))
