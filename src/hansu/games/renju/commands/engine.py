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
    player: Annotated[
        str, typer.Option("--player", "-p", help="Player that chooses the moves instead of the engine.")
    ] = "",
) -> None:
    """Run the Renju engine for tournament managers. It speaks the Gomocup protocol on standard input and output.

    [dim]For example:[/dim] printf 'START 15\\nINFO rule 4\\nBEGIN\\nEND\\n' | hansu engine renju

    [dim]A player with your own network:[/dim] hansu engine renju --player puct:network=mine.onnx

    [dim]A match against another Gomocup engine:[/dim] hansu match renju engine "gomocup:cmd=./other" --limit time=1
    """
    from hansu.core.registry import built_in
    from hansu.games.renju.gomocup.renju_engine import RenjuEngine, RenjuPlayer
    from hansu.games.renju.gomocup.server import GomocupServer
    from hansu.search.players.named import checked, player_named

    if player:  # report an unknown player before a manager connects
        renju = built_in("renju")
        checked(player_named(player, renju), renju)
    GomocupServer(RenjuPlayer(player) if player else RenjuEngine()).serve()


def solve(
    position: Annotated[
        str, typer.Argument(help="Moves (h8 i9 g7), or a board: rows of X, O and . separated by slashes.")
    ],
    rule: Annotated[str, typer.Option(help="Rule: renju, standard or freestyle.")] = "renju",
    size: Annotated[int, typer.Option(help="Number of rows and columns.")] = 15,
    nodes: Annotated[
        int, typer.Option(help="Maximum number of nodes of each search (VCF and VCT).", min=1)
    ] = 2_000_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find a forced win of the side to move by fours (VCF), else by fours and threes (VCT), and print its line.

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
        text = Message("no win by fours and threes found within {nodes:,} nodes; try a larger --nodes", nodes=nodes)
    else:
        text = Message(
            "no win by fours within {fours} plies, nor by fours and threes within {threes}",
            fours=VCF_DEPTHS[-1], threes=VCT_DEPTHS[-1],
        )  # fmt: skip
    print(localize(text))
