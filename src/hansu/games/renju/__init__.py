"""Renju (omok, gomoku): exact rules with the forbidden moves, opening rules, boards from 5×5 to 20×20.

stones.py      one colour's stones as words                 state.py       the states
forbidden.py   black's forbidden moves, exactly             openings.py    the steps of opening rules
rules.py       what is legal, symmetries, planes            chances.py     a quick evaluation for general searches
notation.py    moves and boards as text                     opening_names.py   the 26 openings
look.py        the wooden board                             commands.py    `hansu forbidden`
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hansu.core import Game, Option
from hansu.games.renju.look import look, touch
from hansu.games.renju.notation import move_text, position_text, read_move, read_position, score_text, split_moves
from hansu.games.renju.rules import PLANES, SYMMETRIES, start
from hansu.games.renju.state import OPENINGS, Renju


def adapt(game: Game) -> Game:
    """After a swap the first seat has white, so it is not called black where colours may change hands."""
    size = game.option("size")
    seats = ("black", "white") if game.option("opening") == "free" else ("first", "second")
    return replace(game, seats=seats, plane_shape=(PLANES, size, size))


def commands(app: Any) -> None:
    from hansu.games.renju.commands import add_to

    add_to(app)


GAME = Game(
    name="renju",
    title={"en": "Renju", "ko": "렌주 오목"},
    about={
        "en": "five in a row; black may not make two threes, two fours or six",
        "ko": "다섯을 먼저 잇는다, 흑은 삼삼, 사사, 장목이 금수다",
    },
    state=Renju,
    start=start,
    options=(
        Option("rule", str, "renju",
               "renju: forbidden moves for black; standard: exactly five wins; freestyle: five or more",
               choices=("renju", "standard", "freestyle")),
        Option("size", int, 15, "rows and columns", low=5, high=20),
        Option("opening", str, "free", "how the game is begun", choices=OPENINGS),
        Option("no_move", str, "draw", "black without a legal move", choices=("draw", "pass")),
    ),
    move_text=move_text,
    read_move=read_move,
    read_position=read_position,
    position_text=position_text,
    split_moves=split_moves,
    look=look,
    touch=touch,
    seats=("black", "white"),
    score_text=score_text,
    symmetries=SYMMETRIES,
    plane_shape=(PLANES, 15, 15),
    default_depth=2,
    opening_plies=3,
    commands=commands,
    adapt=adapt,
)  # fmt: skip
