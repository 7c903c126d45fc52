"""Renju (omok, gomoku): exact rules with black's forbidden moves, opening rules, boards from 5×5 to 20×20.

rules.py            legal moves, symmetries, planes            state.py            the states and their packed fields
forbidden.py        black's forbidden moves                    stones.py           one colour's stones as bits
openings.py         the steps of the opening rules             opening_names.py    the 26 named openings
notation.py         moves and boards as text                   drawing.py          the board as a picture
evaluation.py       `evaluate` for the general searches        features.py         input planes for networks
tactics.py          threats, VCF and VCT as a library          tactical_solver.py  proven moves in `puct`'s tree
players.py          the players `rule` and `engine`            network_players.py  the players `original` and `policy`
opening_choices.py  how the players choose in an opening

engine/    the search engine: patterns, threats, network       training/  recipes for `hansu train renju`
gomocup/   the Gomocup protocol: server and client             commands/  the commands that Renju adds to `hansu`
files/     SGF, psq, RIF, RenLib and plain lines               models/    the networks of the players
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hansu.core import (
    Controls,
    Editor,
    Files,
    ForcedMove,
    Game,
    Lesson,
    Message,
    Option,
    Played,
    Player,
    Position,
    Record,
    Tactics,
)
from hansu.core.game_extensions import Commands, TacticalSolver
from hansu.games.renju.drawing import barred, look, squares, touch
from hansu.games.renju.notation import (
    COLOURS,
    SEATS,
    arranged,
    move_text,
    position_text,
    read_move,
    read_position,
    score_text,
    split_moves,
)
from hansu.games.renju.rules import PLANES, SYMMETRIES, near_the_middle, start
from hansu.games.renju.state import OPENINGS, Renju


def players() -> Mapping[str, type[Player]]:
    """The players that only Renju has, by kind."""
    from hansu.games.renju.gomocup.player import Gomocup
    from hansu.games.renju.network_players import Original, RenjuPolicy
    from hansu.games.renju.players import RenjuEnginePlayer, RenjuRulePlayer

    return {player.kind: player for player in (RenjuRulePlayer, RenjuEnginePlayer, Original, RenjuPolicy, Gomocup)}


def forced_move() -> Callable[[Position], ForcedMove | None]:
    """Builds the finder of urgent moves: five, open four, 4-4, 4-3."""
    from hansu.games.renju.tactics import ForcedMoveFinder

    return ForcedMoveFinder()


def tactical_solver(position: Position) -> TacticalSolver:
    """Builds the solver that proves wins by fours and threes."""
    from hansu.games.renju.tactical_solver import RenjuTacticalSolver

    return RenjuTacticalSolver(position)


def adapt(game: Game) -> Game:
    """Set the planes for the board size. Opening rules swap colours, so their seats are called first and second."""
    size = game.option("size")
    game = replace(game, plane_shape=(PLANES, size, size))
    return game if game.option("opening") == "free" else replace(game, seats=SEATS, tones=("first", "second"))


def commands(line: Commands) -> None:
    """Add Renju's commands to the command line."""
    from hansu.games.renju.commands.data import add_data_to as add_files
    from hansu.games.renju.commands.engine import add_to as add_engine
    from hansu.games.renju.commands.forbidden import add_to as add_forbidden

    for add in (add_forbidden, add_engine, add_files):
        add(line)


def sgf(record: Record) -> str:
    """A finished game as SGF."""
    from hansu.games.renju.files.lines import of_record
    from hansu.games.renju.files.sgf import sgf_text

    return sgf_text(of_record(record))


def psq(record: Record) -> str:
    """A finished game as a piskvork file."""
    from hansu.games.renju.files.lines import of_record
    from hansu.games.renju.files.psq import psq_text

    return psq_text(of_record(record))


def read_file(game: Game, path: Path, left_out: Callable[[str], None]) -> Iterator[Played]:
    """Yield the games of a file that have this board size and rule, for training. Files do not record the choices of an
    opening rule, so games with one cannot be read."""
    from hansu.games.renju.files.formats import read_games
    from hansu.games.renju.files.game_record import BLACK_WINS, DRAW, WHITE_WINS, validation_error

    rule, size, first = game.option("rule"), game.option("size"), game.first.state
    if game.option("opening") != "free":
        left_out(Message("game files do not record the choices of an opening rule"))
        return
    for record in read_games(path, skipped=lambda mistake: left_out(f"{mistake.where}: {mistake.what}"), check=False):
        if (record.rule, record.size) != (rule, size):
            left_out(f"{record.where}: {record.rule} on {record.size}×{record.size}")
        elif error := validation_error(record):
            left_out(f"{record.where}: {error}")
        else:
            outcome = {BLACK_WINS: 1, DRAW: 0, WHITE_WINS: -1}.get(record.result)
            yield Played(first, record.moves, outcome, record.where, record.variations)


SMALL = {"size": "9"}
LESSONS = (
    Lesson(
        Message("Black and white take turns to place a stone on an empty point. Five in a row win, in any direction."),
        moves="e5 e4 f5 f4 g5 g4 d5 d4 c5",
        settings=SMALL,
    ),
    Lesson(
        Message("Black may not make two open threes with one stone. Such points are marked 33."),
        moves="d5 a1 f5 i1 e4 a9 e6 i9",
        settings=SMALL,
    ),
    Lesson(
        Message("Black may not make two fours with one stone either (44)."),
        moves="b5 a9 c5 c9 d5 e9 e2 g9 e3 i9 e4 i7",
        settings=SMALL,
    ),
    Lesson(
        Message("Black may not make six or more in a row (6). White has no forbidden moves."),
        moves="b5 a9 c5 c9 d5 e9 f5 g9 g5 i9",
        settings=SMALL,
    ),
)


def training() -> Sequence[type[Any]]:
    """The training recipes that only Renju has."""
    from hansu.games.renju.training.recipes import RECIPES

    return RECIPES


def networks() -> Mapping[str, Callable[[Any, Any], Any]]:
    """The network architectures that only Renju has, by name."""
    from hansu.games.renju.training.omok import build

    return {"omok": build}


GAME = Game(
    name="renju",
    title=Message("Renju"),
    about=Message("five in a row; double threes, double fours and overlines are forbidden for black"),
    state=Renju,
    start=start,
    options=(
        Option(
            "rule",
            str,
            "renju",
            Message("renju: forbidden moves for black; standard: exactly five wins; freestyle: five or more win"),
            title=Message("rule"),
            choices=("renju", "standard", "freestyle"),
            choice_titles=(Message("Renju"), Message("exactly five"), Message("five or more")),
        ),
        Option("size", int, 15, Message("rows and columns"), title=Message("board size"), low=5, high=20),
        Option(
            "opening",
            str,
            "free",
            Message("the opening rule, which reduces black's advantage"),
            title=Message("opening rule"),
            choices=OPENINGS,
            choice_titles=(Message("free"), "RIF", "Taraguchi-10", "Soosõrv-8", "Swap2"),
        ),
        Option(
            "no_move",
            str,
            "draw",
            Message("what happens when black has no legal move"),
            title=Message("black cannot move"),
            choices=("draw", "pass"),
            choice_titles=(Message("a draw"), Message("a pass")),
        ),
    ),
    move_text=move_text,
    read_move=read_move,
    read_position=read_position,
    position_text=position_text,
    split_moves=split_moves,
    look=look,
    touch=touch,
    controls=Controls(forbidden=barred, editor=Editor(squares, {".": "wood", "X": "black", "O": "white"}, arranged)),
    tones=("black", "white"),
    seats=COLOURS,
    score_text=score_text,
    symmetries=SYMMETRIES,
    plane_shape=(PLANES, 15, 15),
    default_depth=2,
    opening_plies=3,
    opening_actions=near_the_middle,
    players=players,
    tactics=Tactics(forced_move=forced_move, solver=tactical_solver),
    levels=(
        "casual:plies=1,temperature=3",
        "casual:plies=1,temperature=2",
        "casual:plies=1,temperature=1.4",
        "casual:plies=1,temperature=1",
        "casual:plies=1,temperature=0.5",
        "casual:plies=1,temperature=0.1",
        "engine@nodes=1000",
        "engine@nodes=5000",
        "engine@nodes=20000",
        "engine@nodes=100000",
    ),
    lessons=LESSONS,
    sample="h8 i9 j10 i10 i8 j8 g8 f8 h9 h10 g10 j7",
    commands=commands,
    training=training,
    networks=networks,
    files=Files(
        writers={"sgf": sgf, "psq": psq},
        readers=dict.fromkeys(("sgf", "psq", "rif", "xml", "lib", "txt"), read_file),
    ),
    adapt=adapt,
)
