"""`hansu pacman`: the course's command line with its options and summary."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.compile.notices import announce_compiling
from hansu.core.game_extensions import Commands

if TYPE_CHECKING:
    from hansu.core import Position
    from hansu.games.pacman.compiled_games import GhostPolicy, PacmanSearch
    from hansu.games.pacman.course_games import Choose

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
        str,
        typer.Option(
            "--pacman",
            "-p",
            help="Pacman's player: ReflexAgent, MinimaxAgent, AlphaBetaAgent, "
            "ExpectimaxAgent, any player of hansu, or path/to/agent.py:MyAgent. Default: you.",
        ),
    ] = "",
    layout: Annotated[
        str, typer.Option("--layout", "-l", help="Name of a layout, or path of a .lay file.")
    ] = "mediumClassic",
    agent_args: Annotated[
        str,
        typer.Option(
            "--agent-args", "--agentArgs", "-a", help="Options of the agent: depth=2,evalFn=better (depth in rounds)."
        ),
    ] = "",
    ghosts: Annotated[str, typer.Option("--ghosts", "-g", help=f"The ghosts: {', '.join(GHOSTS)}.")] = "RandomGhost",
    ghost_args: Annotated[
        str,
        typer.Option(
            "--ghost-args",
            help="Options of the ghosts: attack=0.8,flee=0.8 (DirectionalGhost), depth=2 (MinimaxGhost).",
        ),
    ] = "",
    number: Annotated[int, typer.Option("--numghosts", "-k", min=0, max=8, help="Maximum number of ghosts.")] = 4,
    games: Annotated[int, typer.Option("--games", "--numGames", "-n", min=1, help="Number of games.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", "--quietTextGraphics", "-q", help="Show only the results.")] = False,
    text: Annotated[
        bool, typer.Option("--text", "--textGraphics", "-t", help="Show every round as plain text.")
    ] = False,
    frame_time: Annotated[
        float, typer.Option("--frame-time", "--frameTime", min=0.0, max=60.0, help="Seconds a round is shown.")
    ] = 0.15,
    record: Annotated[Path | None, typer.Option("--record", help="JSON file to save the games to.")] = None,
    replay: Annotated[Path | None, typer.Option("--replay", help="JSON file whose games to show.")] = None,
    fixed: Annotated[
        bool, typer.Option("--fix-seed", "--fixRandomSeed", "-f", help="Use a fixed seed: the same games each time.")
    ] = False,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Random seed, for reproducible games.")] = None,
    allow_stop: Annotated[bool, typer.Option("--allow-stop", help="Agents may stand still. (You always may.)")] = False,
    catch: Annotated[
        bool, typer.Option("--catch", "--catchExceptions", "-c", help="An agent that fails only loses that game.")
    ] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.001, help="Seconds an agent may use in one game.")
    ] = None,
) -> None:
    """Play the course's Pacman: watch an agent, measure it over many games, or play yourself.

    [dim]For example:[/dim] hansu pacman -p ExpectimaxAgent -a depth=2,evalFn=better -l smallClassic -n 20 -q -f

    [dim]Your own agent:[/dim] hansu pacman -p ./multiAgents.py:MyAgent -a depth=3 -l minimaxClassic

    [dim]Play yourself:[/dim] hansu pacman -l mediumClassic -g DirectionalGhost
    """
    import random

    from hansu.core import HansuError, registry
    from hansu.games.pacman import course_games, display
    from hansu.games.pacman.agent_faults import guarded
    from hansu.games.pacman.course_agents import evaluation_name
    from hansu.games.pacman.terminal import Keyboard

    announce_compiling()
    if replay is not None:
        first = registry.built_in("pacman").first
        display.show_replay(replay, first, text=text, quiet=quiet, frame_time=frame_time)
        return
    if not pacman and quiet:
        raise HansuError("-q needs an agent: it does not show the game", "name an agent with -p")
    settings = read_args(agent_args)
    evaluation = "score"
    if not PATH.match(pacman):  # an agent in a file chooses its evaluation itself
        default = "score" if pacman in AGENTS else "better"
        evaluation = evaluation_name(settings.pop("evalFn", default))
    options = {"layout": layout, "ghosts": number, "stop": allow_stop or not pacman, "evaluation": evaluation}
    position = registry.game("pacman").with_settings({key: str(value) for key, value in options.items()}).first
    policy = read_ghosts(ghosts, ghost_args)
    first_seed = seed if seed is not None else FIXED_SEED if fixed else random.SystemRandom().randrange(1 << 32)
    seeds = range(first_seed * 1_000_003, first_seed * 1_000_003 + games)
    searcher = read_searcher(pacman, settings)
    if record is not None and record.is_dir():
        raise HansuError("{path} is a folder, not a file", path=record)
    if record is not None and not record.parent.is_dir():
        raise HansuError("there is no folder {folder}", folder=record.parent)

    if searcher is not None and (quiet or not (text or display.watched())):
        contest = display.compiled_run(position, searcher, policy, seeds, timeout)
    else:
        keyboard = None if pacman else Keyboard()
        choose = keyboard.choose if keyboard is not None else chooser(pacman, settings, position, searcher)
        contest = display.visible_run(
            position, lambda: choose if keyboard is not None else guarded(choose, catch, timeout),
            [course_games.Ghosts(policy, each) for each in seeds],
            text=text, quiet=quiet, frame_time=frame_time, keyboard=keyboard,
        )  # fmt: skip
    played: list[course_games.CourseGame] = []
    try:
        for each in contest:
            played.append(each)
    finally:  # also after Ctrl-C
        display.summary(played)
        if record is not None and played:
            course_games.save(record, position.state, played)
            print(f"Recorded:      {record}")


def read_args(text: str) -> dict[str, str]:
    """The settings of a text like `depth=2,evalFn=better`."""
    from hansu.core.options import split_spec

    return split_spec(f"agent:{text}")[1] if text else {}


def read_ghosts(name: str, args: str) -> GhostPolicy:
    from hansu.core import HansuError, Option
    from hansu.core.options import did_you_mean, read_settings
    from hansu.games.pacman.compiled_games import GhostPolicy
    from hansu.games.pacman.players import ATTACK, FLEE

    options = {
        "RandomGhost": (),
        "DirectionalGhost": (
            Option("attack", float, ATTACK, "", low=0.0, high=1.0),
            Option("flee", float, FLEE, "", low=0.0, high=1.0),
        ),
        "MinimaxGhost": (Option("depth", int, 2, "", low=1, high=20),),
    }
    if name not in options:
        raise HansuError("there are no ghosts {name!r}", did_you_mean(name, GHOSTS, "ghosts"), name=name)
    values = {option.name: option.default for option in options[name]}
    return GhostPolicy(**values | read_settings(options[name], read_args(args), name))


def read_searcher(name: str, settings: dict[str, str]) -> PacmanSearch | None:
    """The search of one of the course's agents; None for other names."""
    from hansu.core import Option
    from hansu.core.options import read_settings
    from hansu.games.pacman.compiled_games import PacmanSearch

    if name not in AGENTS:
        return None
    if name == "ReflexAgent":
        read_settings((), settings, name)
        return PacmanSearch()
    depth = read_settings((Option("depth", int, 2, "", low=1, high=1000),), settings, name).get("depth", 2)
    return PacmanSearch(**{AGENTS[name]: depth})


def chooser(name: str, settings: dict[str, str], position: Position, searcher: PacmanSearch | None) -> Choose:
    """Pacman's `choose`: a search, any player of hansu, or an agent in a file."""
    from hansu.core import HansuError, Message
    from hansu.core.options import did_you_mean, split_spec
    from hansu.games.pacman.course_games import as_choice
    from hansu.search.players import GENERAL

    game = position.game
    by_path = PATH.match(name)
    if by_path:
        return student_agent(Path(by_path[1]), by_path[2] or "", settings, position)
    kinds = {**GENERAL, **game.players()}
    if searcher is not None:
        depth = searcher.minimax or searcher.alphabeta or searcher.expectimax
        return as_choice(kinds[AGENTS[name]].from_settings({} if depth is None else {"rounds": str(depth)}).decide)
    kind, own = split_spec(name)
    if kind not in kinds:
        hint = Message("{hint} - or path/to/agent.py:MyAgent", hint=did_you_mean(kind, [*AGENTS, *kinds], "agents"))
        raise HansuError("there is no agent {name!r}", hint, name=kind)
    return as_choice(kinds[kind].from_settings({**own, **settings}).decide)


def student_agent(path: Path, name: str, settings: dict[str, str], position: Position) -> Choose:
    """The `choose` of an agent in a file that was written for the course framework."""
    from hansu.core import HansuError, Message
    from hansu.core.registry import load
    from hansu.games.pacman.course_agents import adapt

    module = load(path, position.game.framework.modules if position.game.framework else None)
    home = getattr(module, "__name__", "")
    agents = {
        key: value
        for key, value in vars(module).items()
        if hasattr(value, "getAction") and getattr(value, "__module__", "") == home
    }
    if not name and len(agents) == 1:
        name = next(iter(agents))
    if name not in agents:
        hint = Message("classes with getAction(gameState): {names}", names=", ".join(agents) or "none")
        if name:
            raise HansuError("there is no agent {name!r} in {file}", hint, name=name, file=path.name)
        raise HansuError("{file} has {count} agents: name one", hint, file=path.name, count=len(agents))
    adapted = adapt(agents[name], settings)
    assert adapted is not None
    return lambda at: (adapted(at), "")
