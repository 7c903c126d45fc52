"""Ctrl-C in a real terminal: one behaviour everywhere, and what was found until then is not lost."""

from __future__ import annotations

from pseudo_terminal import Terminal


def test_a_game_that_is_interrupted_at_the_prompt_says_so() -> None:
    terminal = Terminal("play", "tictactoe")
    terminal.wait_for("X> ")
    terminal.interrupt()
    assert terminal.end() == 130
    assert terminal.shown.endswith("\r\nstopped\r\n") and "Traceback" not in terminal.shown


def test_it_is_said_in_the_language_of_the_terminal() -> None:
    terminal = Terminal("play", "tictactoe", "--lang", "ko")
    terminal.wait_for("X> ")
    terminal.interrupt()
    assert terminal.end() == 130 and terminal.shown.endswith("\r\n멈췄습니다\r\n")
