"""`hansu pacman`: the course's command line, with the options and the summary people know."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.compile.notices import announce_compiling
from hansu.core.game_extensions import Commands

if TYPE_CHECKING:
    from hansu.core import Position
    from hansu.games.pacman.contest import Choose
    from hansu.games.pacman.quick import Haunting, PacmanSearch

FIXED_SEED = 188
AGENTS = {
    "ReflexAgent": "reflex", "MinimaxAgent": "minimax", "AlphaBetaAgent": "alphabeta", "ExpectimaxAgent": "expectimax",
}  # fmt: skip
PATH = re.compile(r"\s*(.*\.py)(?::(\w+))?\s*$")
GHOSTS = ("RandomGhost", "DirectionalGhost", "MinimaxGhost")


def add_to(commands: Commands) -> None:
    commands.add("pacman", run)


def run(
    pacman: Annotated[
        str, typer.Option("--pacman", "-p", help="Who plays Pacman: ReflexAgent, MinimaxAgent, AlphaBetaAgent, "
                          "ExpectimaxAgent, any player of hansu, or path/to/agent.py:MyAgent. Nobody: you do.")
    ] = "",
    layout: Annotated[str, typer.Option("--layout", "-l", help="A layout's name or a .lay file.")] = "mediumClassic",
    agent_args: Annotated[
        str, typer.Option("--agent-args", "--agentArgs", "-a", help="depth=2,evalFn=better (a depth is a whole round)")
    ] = "",
    ghosts: Annotated[str, typer.Option("--ghosts", "-g", help=" | ".join(GHOSTS))] = "RandomGhost",
    ghost_args: Annotated[
        str, typer.Option("--ghost-args", help="For DirectionalGhost attack=0.8,flee=0.8; for MinimaxGhost depth=2")
    ] = "",
    number: Annotated[int, typer.Option("--numghosts", "-k", min=0, max=8, help="Ghosts at most.")] = 4,
    games: Annotated[int, typer.Option("--games", "--numGames", "-n", min=1, help="How many games.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", "--quietTextGraphics", "-q", help="Only the results.")] = False,
    text: Annotated[bool, typer.Option("--text", "--textGraphics", "-t", help="Every round as plain text.")] = False,
    frame_time: Annotated[
        float, typer.Option("--frame-time", "--frameTime", min=0.0, max=60.0, help="Seconds a round takes to watch.")
    ] = 0.15,
    record: Annotated[Path | None, typer.Option("--record", help="Write the games to this JSON file.")] = None,
    replay: Annotated[Path | None, typer.Option("--replay", help="Show the games of such a file.")] = None,
    fixed: Annotated[bool, typer.Option("--fix-seed", "--fixRandomSeed", "-f", help="The same games again.")] = False,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="The same games each time, by number.")] = None,
    allow_stop: Annotated[bool, typer.Option("--allow-stop", help="Pacman may stand still. (You always may.)")] = False,
    catch: Annotated[
        bool, typer.Option("--catch", "--catchExceptions", "-c", help="An agent that fails loses only that game.")
    ] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.001, help="Seconds an agent may think in one game.")
    ] = None,
) -> None:  # fmt: skip
    """Pacman as in the course: watch an agent, measure it over many games, or play yourself.

    [dim]For example:[/dim] hansu pacman -p ExpectimaxAgent -a depth=2,evalFn=better -l smallClassic -n 20 -q -f

    [dim]Your own agent:[/dim] hansu pacman -p ./multiAgents.py:MyAgent -a depth=3 -l minimaxClassic

    [dim]You:[/dim] hansu pacman -l mediumClassic -g DirectionalGhost
    """
    import random

    from hansu.core import HansuError, registry
    from hansu.games.pacman import contest, show
    from hansu.games.pacman.classic import evaluation_name
    from hansu.games.pacman.guard import guarded
    from hansu.games.pacman.terminal import Keyboard

    announce_compiling()
    if replay is not None:
        first = registry.built_in("pacman").first
        show.show_replay(replay, first, text=text, quiet=quiet, frame_time=frame_time)
        return
    if not pacman and quiet:
        raise HansuError("-q shows nothing, so nobody could play", "name an agent with -p")
    settings = read_args(agent_args)
    evaluation = "score"
    if not PATH.match(pacman):  # a student's file chooses its evaluation itself
        usual = "score" if pacman in AGENTS else "better"
        evaluation = evaluation_name(settings.pop("evalFn", usual))
    options = {"layout": layout, "ghosts": number, "stop": allow_stop or not pacman, "evaluation": evaluation}
    position = registry.game("pacman").with_settings({key: str(value) for key, value in options.items()}).first
    haunting = read_ghosts(ghosts, ghost_args)
    begin = seed if seed is not None else FIXED_SEED if fixed else random.SystemRandom().randrange(1 << 32)
    seeds = range(begin * 1_000_003, begin * 1_000_003 + games)
    searcher = read_searcher(pacman, settings)
    if record is not None and record.is_dir():
        raise HansuError(f"--record: {record} is a folder")
    if record is not None and not record.parent.is_dir():
        raise HansuError(f"--record: there is no folder {record.parent}")

    if searcher is not None and (quiet or not (text or show.watched())):
        contested = show.quick_contest(position, searcher, haunting, seeds, timeout)
    else:
        keyboard = None if pacman else Keyboard()
        choose = keyboard.choose if keyboard is not None else chooser(pacman, settings, position, searcher)
        contested = show.watched_contest(
            position, lambda: choose if keyboard is not None else guarded(choose, catch, timeout),
            [contest.Ghosts(haunting, each) for each in seeds],
            text=text, quiet=quiet, frame_time=frame_time, keyboard=keyboard,
        )  # fmt: skip
    played: list[contest.ContestGame] = []
    try:
        for each in contested:
            played.append(each)
    finally:  # also where Ctrl-C ends them
        show.summary(played)
        if record is not None and played:
            contest.save(record, position.state, played)
            print(f"Recorded:      {record}")


def read_args(text: str) -> dict[str, str]:
    """`depth=2,evalFn=better` as settings."""
    from hansu.core.options import split_spec

    return split_spec(f"agent:{text}")[1] if text else {}


def read_ghosts(name: str, args: str) -> Haunting:
    from hansu.core import HansuError, Option
    from hansu.core.options import did_you_mean, read_settings
    from hansu.games.pacman.players import ATTACK, FLEE
    from hansu.games.pacman.quick import Haunting

    options = {
        "RandomGhost": (),
        "DirectionalGhost": (
            Option("attack", float, ATTACK, "", low=0.0, high=1.0),
            Option("flee", float, FLEE, "", low=0.0, high=1.0),
        ),
        "MinimaxGhost": (Option("depth", int, 2, "", low=1, high=20),),
    }
    if name not in options:
        raise HansuError(f"there are no ghosts {name!r}", did_you_mean(name, GHOSTS, "ghosts"))
    values = {option.name: option.default for option in options[name]}
    return Haunting(**values | read_settings(options[name], read_args(args), name))


def read_searcher(name: str, settings: dict[str, str]) -> PacmanSearch | None:
    """How one of the course's agents decides; None for everybody else."""
    from hansu.core import Option
    from hansu.core.options import read_settings
    from hansu.games.pacman.quick import PacmanSearch

    if name not in AGENTS:
        return None
    if name == "ReflexAgent":
        read_settings((), settings, name)
        return PacmanSearch()
    depth = read_settings((Option("depth", int, 2, "rounds", low=1, high=1000),), settings, name).get("depth", 2)
    return PacmanSearch(**{AGENTS[name]: depth})


def chooser(name: str, settings: dict[str, str], position: Position, searcher: PacmanSearch | None) -> Choose:
    """Pacman's choices, one at a time: a search, any player of hansu, or a student's file."""
    from hansu.core import HansuError
    from hansu.core.options import did_you_mean, split_spec
    from hansu.games.pacman.contest import as_choice
    from hansu.search.players import GENERAL

    game = position.game
    by_path = PATH.match(name)
    if by_path:
        return student(Path(by_path[1]), by_path[2] or "", settings, position)
    kinds = {**GENERAL, **game.players()}
    if searcher is not None:
        depth = searcher.minimax or searcher.alphabeta or searcher.expectimax
        return as_choice(kinds[AGENTS[name]].from_settings({} if depth is None else {"rounds": str(depth)}).decide)
    kind, own = split_spec(name)
    if kind not in kinds:
        hint = did_you_mean(kind, [*AGENTS, *kinds], "agents") + " - or path/to/agent.py:MyAgent"
        raise HansuError(f"there is no agent {kind!r}", hint)
    return as_choice(kinds[kind].from_settings({**own, **settings}).decide)


def student(path: Path, wanted: str, settings: dict[str, str], position: Position) -> Choose:
    """The choices of a classic agent in a file."""
    from hansu.core import HansuError
    from hansu.core.registry import load
    from hansu.games.pacman.classic import adapt

    module = load(path, position.game.framework.modules if position.game.framework else None)
    home = getattr(module, "__name__", "")
    own = {
        name: value
        for name, value in vars(module).items()
        if hasattr(value, "getAction") and getattr(value, "__module__", "") == home
    }
    if not wanted and len(own) == 1:
        wanted = next(iter(own))
    if wanted not in own:
        what = f"there is no agent {wanted!r} in {path.name}" if wanted else f"{path.name} has {len(own)} agents"
        raise HansuError(what, f"classes with getAction(gameState): {', '.join(own) or 'none'}")
    adapted = adapt(own[wanted], settings)
    assert adapted is not None
    return lambda at: (adapted(at), "")
