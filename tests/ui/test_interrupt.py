"""Ctrl-C in a real terminal: one behaviour everywhere, and what was found until then is not lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Run
from support.pseudo_terminal import Terminal


def test_a_game_that_is_interrupted_at_the_prompt_says_so() -> None:
    terminal = Terminal("play", "tictactoe")
    terminal.wait_for("X> ")
    terminal.interrupt()
    assert terminal.end() == 130
    assert terminal.shown.endswith("\r\nstopped\r\n") and "Traceback" not in terminal.shown


@pytest.mark.parametrize(("game", "protocol", "word"), [("ataxx", "UAI", "quit"), ("renju", "Gomocup", "end")])
def test_an_engine_in_a_terminal_says_what_it_waits_for(game: str, protocol: str, word: str) -> None:
    terminal = Terminal("engine", game)
    terminal.wait_for(f"waits for {protocol} commands of a program; {word.upper()} or Ctrl-D quits")
    terminal.type(word.upper() + "\n")
    assert terminal.end() == 0


def test_it_is_said_in_the_language_of_the_terminal() -> None:
    terminal = Terminal("play", "tictactoe", "--lang", "ko")
    terminal.wait_for("X> ")
    terminal.interrupt()
    assert terminal.end() == 130 and terminal.shown.endswith("\r\n멈췄습니다\r\n")


SLOW = "mcts:simulations=1000000000"
LONG = ("analyze", "tictactoe", "5", "-p", SLOW, "-l", "time=86400")
GOES_ON = r"searching: depth \d+, [1-9][\d,]* nodes, \d+ s; Ctrl-C"


def test_a_long_analysis_shows_the_board_and_ends_with_what_it_has_found() -> None:
    terminal = Terminal(*LONG)
    terminal.wait_for(GOES_ON)
    assert "X" in "".join(terminal.lines)  # the board is there while it thinks
    terminal.interrupt()
    assert terminal.end() == 130
    answer = terminal.shown.rpartition("searching: ")[2]
    for word in ("playouts", "value ", "nodes, depth", "visits"):
        assert word in answer, answer
    assert answer.endswith("stopped\r\n") and "\x1b[?25h" in terminal.shown  # the cursor is back


def test_what_was_found_goes_where_the_answer_goes(tmp_path: Path) -> None:
    for more, sign, said in (((), GOES_ON, "playouts"), (("--json", "--live"), r"depth \d+  nodes", "")):
        file = tmp_path / f"answer{len(more)}"
        terminal = Terminal(*LONG, *more, output=file)
        terminal.wait_for(sign)
        terminal.interrupt()
        assert terminal.end() == 130 and terminal.shown.endswith("stopped\r\n")
        text = file.read_text()
        assert said in text and "searching" not in text and (said or text == "")


def test_every_depth_is_kept_with_all_its_lines(hansu: Run) -> None:
    words = ("analyze", "ataxx", "start", "-p", "engine:lines=3", "-l", "depth=3", "--live")
    told = hansu(*words).stderr.splitlines()
    depths = [line.split()[:2] for line in told]
    assert depths[-3:][0] == ["depth", "3"] and [word for word, _ in depths[-2:]] == ["value", "value"], told


def test_a_machine_that_thinks_is_seen_and_can_be_hurried() -> None:
    terminal = Terminal(
        "play", "tictactoe", "--first", "mcts:simulations=1000000000", "-2", "human", "-l", "time=86400"
    )
    terminal.wait_for("is thinking, .* Ctrl-C: move now")
    terminal.interrupt()
    terminal.wait_for(r"X \(mcts:simulations=1000000000\) plays \d")
    terminal.wait_for("O> ")
    terminal.interrupt()
    assert terminal.end() == 130 and terminal.shown.endswith("\r\nstopped\r\n")


def test_who_does_not_hear_of_it_can_be_left(tmp_path: Path) -> None:
    """A student's player, say: what the next Ctrl-C does is told."""
    file = tmp_path / "slow.py"
    file.write_text("import time\n\ndef agent(position):\n    time.sleep(86400)\n")
    terminal = Terminal("play", "tictactoe", "--first", f"{file}:agent", "-2", "human", "-l", "time=86400")
    terminal.wait_for("is thinking, .* Ctrl-C: move now")
    terminal.interrupt()
    terminal.wait_for("is thinking, .* Ctrl-C: end the game")
    terminal.interrupt()
    assert terminal.end() == 130 and terminal.shown.endswith("\r\nstopped\r\n") and " plays " not in terminal.shown


def test_two_machines_are_not_hurried_but_stopped() -> None:
    terminal = Terminal("play", "tictactoe", "--first", SLOW, "--second", SLOW, "-l", "time=86400")
    terminal.wait_for("is thinking, ")
    assert "move now" not in terminal.shown
    terminal.interrupt()
    assert terminal.end() == 130 and " plays " not in terminal.shown


def test_the_second_interrupt_is_raised() -> None:
    """A thought that does not end by itself."""
    script = """
import signal
from hansu.core import Control
from hansu.ui.interrupt import interruptible, stop_searches_on_interrupt

stop_searches_on_interrupt()
control = Control()
with interruptible(control) as thought:
    signal.raise_signal(signal.SIGINT)
    print(thought.interrupted, control.stopped)
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("raised")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, "True True\nraised\n"), done.stderr
