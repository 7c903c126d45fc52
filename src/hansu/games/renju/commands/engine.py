"""`hansu engine renju` and `hansu solve renju`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hansu.core.game_extensions import Commands
from hansu.core.message import Message
from hansu.core.terminal_language import localize


def add_to(commands: Commands) -> None:
    commands.add("engine renju", engine)
    commands.add("solve renju", solve)


def engine(
    player: Annotated[str, typer.Option("--player", "-p", help="Another player instead of the engine.")] = "",
) -> None:
    """The Renju engine for tournament managers: speaks the Gomocup protocol on standard input and output.

    [dim]For example:[/dim] printf 'START 15\\nINFO rule 4\\nBEGIN\\nEND\\n' | hansu engine renju

    [dim]A player with your network:[/dim] hansu engine renju --player puct:network=mine.onnx

    [dim]Against any other such engine:[/dim] hansu match renju engine "gomocup:cmd=./other" --limit time=1
    """
    from hansu.core.registry import built_in
    from hansu.games.renju.gomocup.renju_engine import RenjuEngine, RenjuPlayer
    from hansu.games.renju.gomocup.server import GomocupServer
    from hansu.search.players.named import checked, player_named

    if player:  # says what is wrong before a manager listens
        renju = built_in("renju")
        checked(player_named(player, renju), renju)
    GomocupServer(RenjuPlayer(player) if player else RenjuEngine()).serve()


def solve(
    position: Annotated[str, typer.Argument(help="Moves, or a board of X, O and . with rows divided by /.")],
    rule: Annotated[str, typer.Option(help="renju, standard or freestyle.")] = "renju",
    size: Annotated[int, typer.Option(help="Rows and columns.")] = 15,
    nodes: Annotated[
        int, typer.Option(help="Give up after so many nodes, for fours and for threes.", min=1)
    ] = 2_000_000,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Find a win of the side to move by fours (VCF), else by fours and threes (VCT), and print its line.

    [dim]For example:[/dim] hansu solve renju "h8 f10 g9 h7 i6 i7 f8 j10 j7 f9 j8 i10"
    """
    from hansu.core.registry import game
    from hansu.games.renju.engine.searcher import VCF_DEPTHS, VCT_DEPTHS
    from hansu.games.renju.tactics import Tactics

    at = game("renju").with_settings({"rule": rule, "size": str(size)}).position(position)
    tactics = Tactics.of(at)
    fours = () if at.over else tactics.win_by_fours(tactics.side, nodes)
    line = fours or (() if at.over else tactics.win_by_threats(tactics.side, nodes))
    moves = at.line_text(line)
    if as_json:
        print(json.dumps({"won_by": "fours" if fours else "threats" if line else None, "line": moves}))
        return
    if fours:
        text = Message("won by fours: {line}", line=" ".join(moves))
    elif line:
        text = Message("won by fours and threes: {line}", line=" ".join(moves))
    elif at.over:
        text = Message("the game is over")
    elif tactics.gave_up:
        text = Message("no win by fours or threes was found in {nodes:,} nodes; --nodes looks further", nodes=nodes)
    else:
        text = Message(
            "no win by fours within {fours} plies, nor by fours and threes within {threes}",
            fours=VCF_DEPTHS[-1], threes=VCT_DEPTHS[-1],
        )  # fmt: skip
    print(localize(text))
