"""Pacman in the terminal: drawn in place, in half-cell steps, and steered by arrow keys or WASD."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hansu.core import HansuError, Position
from hansu.games.pacman.course_games import Quit
from hansu.games.pacman.drawing import maze_scene
from hansu.games.pacman.state import DIRECTION_AT, EAST, NORTH, SOUTH, STOP, WEST, Pacman
from hansu.scene.ansi import ansi

KEYS = {
    "\x1b[A": NORTH, "\x1b[B": SOUTH, "\x1b[C": EAST, "\x1b[D": WEST,
    "\x1bOA": NORTH, "\x1bOB": SOUTH, "\x1bOC": EAST, "\x1bOD": WEST,
    "w": NORTH, "s": SOUTH, "d": EAST, "a": WEST, " ": STOP,
}  # fmt: skip
FRAMES = 2  # frames per round: a cell is two characters wide
QUIT = ("q", "\x03", "\x04")


class Screen:
    """Draws rounds in place on the terminal's alternate screen."""

    def __init__(self, frame_time: float) -> None:
        self.frame_time = frame_time
        self._before: Pacman | None = None
        self._next = 0.0

    @contextmanager
    def opened(self) -> Iterator[None]:
        self._write("\x1b[?1049h\x1b[?25l\x1b[2J")
        try:
            yield
        finally:
            self._write("\x1b[?25h\x1b[?1049l")

    def show(self, position: Position, why: str = "") -> None:
        """Animate the step from the last position to this one in `frame_time` seconds."""
        s: Pacman = position.state
        before = self._before if self._before is not None and self._before.maze == s.maze else None
        self._before = None if position.over else s
        for frame in range(1, FRAMES + 1) if before is not None else (FRAMES,):
            picture = ansi(maze_scene(s, before, frame / FRAMES), color=not os.environ.get("NO_COLOR"))
            text = f"\x1b[H{picture}\n{why}".replace("\n", "\x1b[K\r\n")
            self._write(text + "\x1b[K\x1b[J")
            self._wait(self.frame_time / FRAMES)

    def _wait(self, seconds: float) -> None:
        """Wait until the next frame is due; the time spent on choosing the move counts."""
        now = time.monotonic()
        self._next = max(self._next + seconds, now)
        time.sleep(self._next - now)

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


class Keyboard:
    """Reads keys without waiting for Enter and remembers the last direction."""

    def __init__(self) -> None:
        self.direction = STOP

    @contextmanager
    def opened(self) -> Iterator[None]:
        if not sys.stdin.isatty():
            raise HansuError("playing Pacman yourself needs a terminal", "name an agent with -p")
        if sys.platform == "win32":
            yield
            return
        import termios
        import tty

        before = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin)
        try:
            yield
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)

    def choose(self, position: Position) -> tuple[int, str]:
        """The last direction if it is open, else straight on, else Stop."""
        for key in pressed():
            if key.lower() in QUIT:
                raise Quit
            self.direction = KEYS.get(key if key.startswith("\x1b") else key.lower(), self.direction)
        for a in (self.direction, position.state.me >> DIRECTION_AT, STOP):
            if a in position.actions:
                return a, "arrow keys or WASD steer, space waits, q quits"
        return int(position.actions[0]), ""


def pressed() -> list[str]:
    """The keys pressed since the last call."""
    if sys.platform == "win32":
        return _pressed_windows()
    import select

    text = ""
    while select.select([sys.stdin], [], [], 0)[0]:
        chunk = os.read(sys.stdin.fileno(), 64).decode("utf-8", "ignore")
        if not chunk:
            raise Quit
        text += chunk
    return split_keys(text)


def _pressed_windows() -> list[str]:
    import msvcrt

    console: Any = msvcrt
    arrows = {"H": "\x1b[A", "P": "\x1b[B", "M": "\x1b[C", "K": "\x1b[D"}
    keys = []
    while console.kbhit():
        key = console.getwch()
        keys.append(arrows.get(console.getwch(), "") if key in ("\x00", "\xe0") else key)
    return keys


def split_keys(text: str) -> list[str]:
    """The single keys of a text; an arrow key has three characters."""
    keys = []
    while text:
        length = 3 if text[:2] in ("\x1b[", "\x1bO") else 1
        keys.append(text[:length])
        text = text[length:]
    return keys
