"""`hansu bench`: one number that changes whenever a search or a rule does."""

from __future__ import annotations

import json

import typer

from hansu.commands._arguments import AsJson

DEPTH = 5  # plies, for every game of the package that does not have hundreds of moves


def add_to(app: typer.Typer) -> None:
    app.command("bench")(run)


def run(as_json: AsJson = False) -> None:
    """Run a fixed set of searches and print how many nodes they visit in all: the signature of this version.

    A change of the code says either the new number or "no functional change".
    """

    from hansu import games
    from hansu.core import Limit
    from hansu.search.players import AlphaBeta, Iterative
    from hansu.ui.console import announce_compiling, err

    announce_compiling()
    total, seconds = 0, 0.0
    for name in games.names():
        game = games.built_in(name)
        depth = min(DEPTH, 2 * game.default_depth - 1)
        for player in (AlphaBeta(), Iterative()):
            position = game.first
            nodes = 0
            while not position.over and len(position.history) < 3:
                decision = player.decide(position, Limit(depth=depth))
                nodes += decision.report.nodes
                seconds += decision.report.seconds
                position = position.play(decision.action)
            total += nodes
            if not as_json:
                err().print(f"[dim]{name} {player.kind}: {nodes:,}[/dim]")
    print(json.dumps({"nodes": total}) if as_json else total)
    if not as_json:
        err().print(f"[dim]{total / max(seconds, 1e-9):,.0f} nodes a second (the first run compiles)[/dim]")
