"""Ataxx: rules, notation, a strong engine that speaks UAI, and what networks need.

rules.py       the bitboard, perft, symmetries, planes      look.py        the board as a scene
notation.py    moves and FEN                                pgn.py         games in files of any size
encoding.py    policies and planes as arrays                evaluation.py  hand-made and learned (weights.npz)
search.py      the compiled principal variation search      engine.py      its memory, limits and reports
players.py     `engine`, `alphazero`, `uai`                 commands.py    `hansu engine ataxx`
protocol.py    the engine behind the UAI protocol           vector_code.py a sum that Numba cannot make so fast
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hansu.compile import compiled
from hansu.core import Controls, Editor, Files, Game, HansuError, Lesson, Message, Option, Played, Player, Record
from hansu.core.game_extensions import Commands
from hansu.games.ataxx.drawing import look, squares, touch
from hansu.games.ataxx.notation import arranged, count_text, fen, move_text, read_move, read_position
from hansu.games.ataxx.rules import SYMMETRIES, Ataxx, perft_bulk, start


def players() -> Mapping[str, type[Player]]:
    from hansu.games.ataxx.players import AtaxxAlphaZero, AtaxxEnginePlayer, Uai

    return {player.kind: player for player in (AtaxxEnginePlayer, AtaxxAlphaZero, Uai)}


def commands(line: Commands) -> None:
    from hansu.games.ataxx.commands import add_to

    add_to(line)


def pgn(record: Record) -> str:
    from hansu.games.ataxx.pgn import of_record, pgn_text

    return pgn_text(of_record(record))


def read_pgn_file(game: Game, path: Path, left_out: Callable[[str], None]) -> Iterator[Played]:
    """Games to learn from. What follows a mistake in a file is not read."""
    from hansu.games.ataxx.pgn import RESULT_OF, read_pgn

    outcomes = {text: outcome for outcome, text in RESULT_OF.items()}
    with path.open(encoding="utf-8", errors="replace") as lines:
        try:
            for found in read_pgn(lines, bool(game.option("contest"))):
                played, outcome = tuple(found.actions), outcomes[found.result]
                yield Played(found.first, played, outcome, f"line {found.line}", tuple(found.variations))
        except HansuError as error:
            left_out(f"{error.what}; the rest of the file is left out")


def perft(s: Ataxx, depth: int) -> int:
    return int(compiled(perft_bulk, Ataxx)(s, depth))


def training() -> Sequence[type[Any]]:
    from hansu.games.ataxx.training.recipes import RECIPES

    return RECIPES


def networks() -> Mapping[str, Callable[[Any, Any], Any]]:
    from hansu.games.ataxx.training.sidus import build

    return {"sidus": build}


GAME = Game(
    name="ataxx",
    title=Message("Ataxx"),
    about=Message("clone or jump, and turn every enemy piece beside you; most pieces win"),
    state=Ataxx,
    start=start,
    options=(
        Option(
            "gaps",
            str,
            "",
            Message("blocked squares with spaces between, as in c3 e3 c5 e5"),
            title=Message("blocked squares"),
            plain=True,
        ),
        Option(
            "contest",
            bool,
            False,
            Message("at most 512 turns; who cannot move loses the empty squares to the other"),
            title=Message("contest rules"),
        ),
    ),
    move_text=move_text,
    read_move=read_move,
    read_position=read_position,
    position_text=fen,
    controls=Controls(editor=Editor(squares, {".": "board", "x": "first", "o": "second", "-": "hole"}, arranged)),
    look=look,
    touch=touch,
    seats=("x", "o"),
    colours=(Message("Red"), Message("Blue")),
    count_text=count_text,
    symmetries=SYMMETRIES,
    plane_shape=(3, 7, 7),
    opening_plies=2,  # after more random plies one side is often lost already
    players=players,
    levels=(
        "casual:plies=1,temperature=2",
        "casual:plies=1,temperature=0.8",
        "casual:plies=1,temperature=0.4",
        "casual:plies=2,temperature=0.7",
        "casual:plies=2,temperature=0.25",
        "casual:plies=3,temperature=0.2",
        "engine@nodes=1400",
        "engine@nodes=5500",
        "engine@nodes=27000",
        "engine@nodes=270000",
    ),
    lessons=(
        Lesson(
            Message("Touch a free square beside one of your pieces: the piece stays, and another one grows there."),
            moves="f2",
        ),
        Lesson(
            Message("Or touch a piece, then a free square two steps away: the piece jumps there and leaves its place."),
            moves="g1e3",
        ),
        Lesson(
            Message("Every enemy piece beside the place where you arrive becomes yours."),
            start="7/7/2o1o2/7/2o1o2/3x3/7 x 0 1",
            moves="d2d4",
        ),
        Lesson(Message("When nobody can move, who has more pieces wins.")),
    ),
    sample="x4oo/xx2ooo/xxx1oo1/1xxo3/2xoo2/ooo2xx/oo4x x 0 1",
    commands=commands,
    training=training,
    networks=networks,
    files=Files(writers={"pgn": pgn}, readers={"pgn": read_pgn_file}),
    perft=perft,
)
