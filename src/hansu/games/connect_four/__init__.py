"""Connect Four: rules, the course's players, classifiers, a perfect solver with an opening book, and networks.

rules.py       bitboards of any size up to 62 bits     drawing.py     the board as a scene
patterns.py    twos and threes                         players.py     `rule`, `heuristic`
features.py    inputs of the classifiers               classifier.py  `mlp`, `svm`, `best`
solver/        exact search, opening book, `solver`    training/      the UCI data and recipes
kaggle/        players as one file for Kaggle          commands.py    `hansu solve|data|book|export`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hansu.core import Controls, Game, Lesson, Message, Option, Player
from hansu.core.game_extensions import Commands
from hansu.games.connect_four.drawing import look, touch
from hansu.games.connect_four.rules import ConnectFour, move_text, split_moves, start


def players() -> Mapping[str, type[Player]]:
    from hansu.games.connect_four.classifier import Best, Mlp, Svm
    from hansu.games.connect_four.players import ConnectFourRulePlayer, Heuristic
    from hansu.games.connect_four.solver.player import SolverPlayer

    return {player.kind: player for player in (ConnectFourRulePlayer, Heuristic, Mlp, Svm, Best, SolverPlayer)}


def commands(line: Commands) -> None:
    from hansu.games.connect_four.commands import add_to

    add_to(line)


def adapt(game: Game) -> Game:
    """Other boards have no solver, so the highest level differs."""
    if (game.option("width"), game.option("height")) == (7, 6):
        return game
    return replace(game, levels=(*game.levels[:-1], "iterative@nodes=1000000"))


def training() -> Sequence[type[Any]]:
    from hansu.games.connect_four.training.recipes import RECIPES

    return RECIPES


GAME = Game(
    name="connect_four",
    title=Message("Connect Four"),
    about=Message("drop stones into columns; four in a line win. With a perfect solver"),
    state=ConnectFour,
    start=start,
    options=(
        Option(
            "width",
            int,
            7,
            Message("number of columns; width * (height + 1) is at most 62"),
            title=Message("columns"),
            low=4,
            high=12,
        ),
        Option("height", int, 6, Message("number of rows"), title=Message("rows"), low=4, high=14),
        Option(
            "no_centre",
            bool,
            False,
            Message("the first stone may not go into the centre column"),
            title=Message("centre blocked for the first stone"),
        ),
    ),
    move_text=move_text,
    split_moves=split_moves,
    look=look,
    touch=touch,
    controls=Controls(whole_columns=True),
    seats=("X", "O"),
    colours=(Message("Red"), Message("Yellow")),
    tones=("first", "yellow"),
    symmetries=2,
    plane_shape=(2, 6, 7),
    default_depth=8,
    opening_plies=4,
    players=players,
    levels=(
        "casual:plies=1,temperature=2",
        "casual:plies=1,temperature=0.6",
        "casual:plies=2,temperature=1",
        "casual:plies=2,temperature=0.5",
        "casual:plies=3,temperature=0.3",
        "casual:plies=4,temperature=0.15",
        "casual:plies=6,temperature=0.05",
        "iterative@nodes=10000",
        "iterative@nodes=100000",
        "solver",
    ),
    lessons=(
        Lesson(Message("Choose a column: your stone falls to its lowest free cell."), moves="4 4 3"),
        Lesson(
            Message("Four of your stones in a line win: in a column, in a row or on a diagonal."),
            moves="1 2 2 3 3 4 3 4 4 6 4",
        ),
        Lesson(Message("A full board without four in a line is a draw.")),
    ),
    sample="44444325332253466",
    commands=commands,
    training=training,
    adapt=adapt,
)
