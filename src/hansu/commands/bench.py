"""`hansu bench`: one number that changes whenever a search or a rule does."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from hansu.commands._arguments import AsJson

if TYPE_CHECKING:
    from hansu.core import Game, Limit, Player, Position

DEPTH = 5  # plies, for every game of the package that does not have hundreds of moves
ENGINE_DEPTH = 8  # of an engine; one that heeds no depth thinks to the end
MOVES = 3  # that each player makes
RANDOM_PLIES = 13  # before an engine's first move, so that no opening book answers


def add_to(app: typer.Typer) -> None:
    app.command("bench")(run)


def run(as_json: AsJson = False) -> None:
    """Run a fixed set of searches and print how many nodes they visit in all: the signature of this version.

    The general searches run in every game to a fixed depth, each engine in its own game to another. A change of
    the code says either the new number or "no functional change".
    """
    from hansu.compile.notices import announce_compiling
    from hansu.core import registry
    from hansu.ui.console import err

    announce_compiling()
    counts: dict[str, int] = {}
    seconds = 0.0
    for name in registry.names():
        for player, position, limit in _searches(registry.built_in(name)):
            nodes = 0
            for _ in range(MOVES):
                if position.over:
                    break
                decision = player.decide(position, limit)
                nodes += decision.report.nodes
                seconds += decision.report.seconds
                position = position.play(decision.action)
            counts[f"{name} {player.kind}"] = nodes
            if not as_json:
                err().print(f"[dim]{name} {player.kind}: {nodes:,}[/dim]")
    total = sum(counts.values())
    print(json.dumps({"nodes": total, "searches": counts}) if as_json else total)
    if not as_json:
        err().print(f"[dim]{total / max(seconds, 1e-9):,.0f} nodes a second (the first run compiles)[/dim]")


def _searches(game: Game) -> Iterator[tuple[Player, Position, Limit]]:
    from hansu.core import Limit
    from hansu.search.engine import SearcherPlayer
    from hansu.search.players import AlphaBeta, Iterative

    for general in (AlphaBeta(), Iterative()):
        yield general, game.first, Limit(depth=min(DEPTH, 2 * game.default_depth - 1))
    for player in game.players().values():
        if issubclass(player, SearcherPlayer) and player.heeds:
            chance, position = random.Random(1), game.first
            for _ in range(RANDOM_PLIES):
                position = position.play(chance.choice(position.actions))
            yield player(), position, Limit(depth=ENGINE_DEPTH)
