"""`hansu bench`: one number that changes whenever a search or a rule does."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from hansu.commands._arguments import AsJson
from hansu.commands._panels import OTHER

if TYPE_CHECKING:
    from hansu.core import Game, Limit, Player, Position

DEPTH = 5  # plies; less in games with a small default depth
ENGINE_DEPTH = 8  # engines without a depth limit search to the end
MOVES = 3  # per player
RANDOM_PLIES = 13  # before an engine's first move, to leave its opening book


def add_to(app: typer.Typer) -> None:
    app.command("bench", rich_help_panel=OTHER)(run)


def run(as_json: AsJson = False) -> None:
    """Run a fixed set of searches and print their total number of nodes, the signature of this version.

    The general searches run in every game to a fixed depth; each engine runs in its own game to another depth. A commit
    that changes the number reports the new one; other commits say "No functional change."
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
        err().print(
            f"[dim]{total / max(seconds, 1e-9):,.0f} nodes a second (includes compilation in the first run)[/dim]"
        )


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
