"""A player that drives an outside engine over UAI. A crash, silence past its time or an illegal move is that engine's
loss, and what was said is kept in a file."""

from __future__ import annotations

import shlex
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hansu.core import Action, Control, Decision, HansuError, Limit, Player, Position, korean, option, said
from hansu.core.errors import PlayerFault
from hansu.protocols.process import Outside

START_SECONDS = 60.0  # to uaiok and readyok; an engine may have to compile or to load a network
DEFAULT_SECONDS = 1.0
SLOWEST_SECONDS = 3600.0  # for a limit without a time
KEPT_LINES = 10_000
LOOK_SECONDS = 0.02  # how often the stop flag is looked at while the engine thinks


@dataclass
class Driver(Player):
    """Subclass with a `kind` for the games whose engines speak UAI."""

    cmd: str = option("", said("the engine's command line", "엔진을 실행하는 명령"))
    set: str = option("", said("its options, as in Hash=64;Threads=1", "엔진의 설정, 예: Hash=64;Threads=1"))
    grace: float = option(
        0.5,
        said("seconds that it may overstep its time before it loses", "제한 시간을 넘겨도 되는 시간 (초)"),
        low=0,
        high=60,
    )
    log: str = option(
        "",
        said(
            "a file that gets everything that is said; without one, only a fault leaves a file",
            "주고받은 말을 모두 적을 파일, 없으면 오류가 났을 때만 남깁니다",
        ),
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
        self._outside: Outside | None = None
        self._said: deque[str] = deque(maxlen=KEPT_LINES)

    def _note(self, mark: str, line: str) -> None:
        text = f"{time.strftime('%H:%M:%S')} {mark} {line}"
        self._said.append(text)
        if self.log:
            with Path(self.log).expanduser().open("a", encoding="utf-8") as file:
                file.write(text + "\n")

    @contextmanager
    def _faults_are_kept(self) -> Iterator[None]:
        """A fault ends the engine and names the file with what was said."""
        try:
            yield
        except PlayerFault as error:
            for line in self._outside.errors if self._outside is not None else ():
                self._note("!", line)
            self._note("=", error.what)
            self.close()
            where = self.log
            if not where:
                with tempfile.NamedTemporaryFile(
                    "w", prefix="hansu-uai-", suffix=".log", delete=False, encoding="utf-8"
                ) as file:
                    file.writelines(line + "\n" for line in self._said)
                where = file.name
            raise PlayerFault(f"{error.what}; its log is {where}") from None

    def _send(self, line: str) -> None:
        assert self._outside is not None
        self._note(">", line)
        self._outside.send(line)

    def _read(self, seconds: float) -> str:
        assert self._outside is not None
        line = self._outside.read(seconds)
        self._note("<", line)
        return line

    def _await(self, wanted: str, seconds: float) -> list[str]:
        """Every line up to the one that is wanted."""
        end = time.perf_counter() + seconds
        lines: list[str] = []
        while not lines or lines[-1].strip() != wanted:
            lines.append(self._read(end - time.perf_counter()))
        return lines

    def _start(self) -> None:
        if self._outside is not None and self._outside.alive:
            return
        self._outside = Outside(self._command, self.name)
        self._send("uai")
        self._await("uaiok", START_SECONDS)
        for setting in filter(None, (part.strip() for part in self.set.split(";"))):
            name, _, value = setting.partition("=")
            self._send(f"setoption name {name.strip()} value {value.strip()}")
        self._send("uainewgame")
        self._send("isready")
        self._await("readyok", START_SECONDS)

    def new_game(self) -> None:
        if self._outside is None or not self._outside.alive:
            return  # whoever starts it begins a new game
        try:
            with self._faults_are_kept():
                self._send("uainewgame")
                self._send("isready")
                self._await("readyok", START_SECONDS)
        except PlayerFault:
            self.close()  # it gets another chance at its first move, where a fault counts

    def close(self) -> None:
        if self._outside is not None:
            with suppress(PlayerFault):  # it may have gone already
                self._outside.send("quit")
            self._outside.kill()
            self._outside = None

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        with self._faults_are_kept():
            self._start()
            origin = position.origin
            text = "startpos" if origin.state == position.game.first.state and not position.game.settings else ""
            moves = f" moves {' '.join(position.moves)}" if position.moves else ""
            self._send(f"position {text or 'fen ' + origin.text}{moves}")
            words, seconds = asked(limit)
            started = time.perf_counter()
            self._send(f"go {words}")
            told, move = self._answer(seconds, control)
            spent = time.perf_counter() - started
            try:
                action = position.game.action(position.state, move)
            except HansuError as error:
                raise PlayerFault(f"{self.name} answered {move!r}: {error.what}") from None
        return told_decision(position, action, told, spent)

    def _answer(self, seconds: float, control: Control) -> tuple[list[str], str]:
        """The words of the last line with a score, and the move."""
        assert self._outside is not None
        end = time.perf_counter() + seconds + self.grace
        told: list[str] = []
        asked_to_stop = False
        while True:
            if control.stopped and not asked_to_stop:
                asked_to_stop = True
                self._send("stop")
                end = min(end, time.perf_counter() + max(self.grace, 1.0))
            left = end - time.perf_counter()
            line = self._outside.wait(min(LOOK_SECONDS, left)) if left > LOOK_SECONDS else self._outside.read(left)
            if line is None:
                continue
            self._note("<", line)
            words = line.split()
            if words[:1] == ["info"] and "score" in words:
                told = words
            elif words[:1] == ["bestmove"]:
                if time.perf_counter() > end:
                    raise PlayerFault(f"{self.name} overstepped its {seconds:.3g} s")
                return told, words[1] if len(words) > 1 else ""


def asked(limit: Limit) -> tuple[str, float]:
    """The words after `go`, and the seconds that the engine may take."""
    words, seconds = [], SLOWEST_SECONDS
    if limit.depth is not None:
        words.append(f"depth {limit.depth}")
    if limit.nodes is not None:
        words.append(f"nodes {limit.nodes}")
    if limit.time is not None or not words:
        seconds = limit.time or DEFAULT_SECONDS
        words.append(f"movetime {max(int(1000 * seconds), 1)}")
    return " ".join(words), seconds


def told_decision(position: Position, action: Action, told: list[str], seconds: float) -> Decision:
    """What the engine said, in our terms. Its scale of scores is its own, so there is no value."""

    def number(name: str) -> int:
        after = told[told.index(name) + 1 :] if name in told else []
        return int(after[0]) if after and after[0].isdecimal() else 0

    line: list[Action] = []
    at = position
    for move in told[told.index("pv") + 1 :] if "pv" in told else []:
        try:
            a = at.game.action(at.state, move)
            at = at.play(a)
        except HansuError:
            break
        line.append(a)
    if line[:1] != [action]:
        line = [action]
    judgement = " ".join(told[told.index("score") + 1 :][:2]) if told else said("no score", "점수 없음")
    move, depth = position.move_text(action), number("depth")
    why = said(
        f"{move}: the engine says {judgement} at depth {depth}",
        f"{move}: 엔진의 판단은 깊이 {depth}에서 {korean(judgement)}",
    )
    return Decision(action, None, why, tuple(line), nodes=number("nodes"), depth=number("depth"), seconds=seconds)
