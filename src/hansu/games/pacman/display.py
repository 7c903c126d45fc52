"""The output of `hansu pacman`: games in place or as plain text, replays, and the summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from hansu.core import Position
from hansu.games.pacman.agent_faults import timeout_fault
from hansu.games.pacman.compiled_games import GhostPolicy, PacmanSearch, quick_games
from hansu.games.pacman.course_games import Choose, CourseGame, Ghosts, Watch, load, play_game, replay
from hansu.games.pacman.state import GOES_ON
from hansu.games.pacman.terminal import Keyboard, Screen
from hansu.scene.ansi import ansi


def watched() -> bool:
    """Is the output a terminal?"""
    return sys.stdout.isatty()


def compiled_run(
    position: Position, searcher: PacmanSearch, policy: GhostPolicy, seeds: Iterable[int], timeout: float | None
) -> Iterator[CourseGame]:
    """Games without display, each in one compiled call."""
    for end in quick_games(position.state, searcher, seeds, policy):
        late = timeout is not None and end.seconds > timeout
        fault = timeout_fault(timeout).what if late else ""
        yield CourseGame(end.points, end.state.ended, end.actions, end.nodes, end.seconds, fault)


def visible_run(
    position: Position, new_choose: Callable[[], Choose], ghosts: list[Ghosts], *, text: bool, quiet: bool,
    frame_time: float, keyboard: Keyboard | None,
) -> Iterator[CourseGame]:  # fmt: skip
    """Games move by move: shown in place, as plain text, or not at all. A person may quit a game."""
    screen = Screen(frame_time)
    watch: Watch | None = None
    with ExitStack() as stack:
        if keyboard is not None:
            stack.enter_context(keyboard.opened())
        if text:
            watch = show_text
        elif not quiet and watched():
            stack.enter_context(screen.opened())
            watch = screen.show
        for each in ghosts:
            played = play_game(position, new_choose(), each, watch)
            yield played
            if played.left:
                break


def show_text(position: Position, why: str) -> None:
    """Print a position and the explanation of the last move."""
    print(ansi(position.scene, color=False))
    print(f"{why}\n" if why else "")


def show_replay(path: Path, position: Position, *, text: bool, quiet: bool, frame_time: float) -> None:
    """Show every game of a recording and print the summary."""
    first, recorded = load(path, position.game)
    screen = Screen(frame_time)
    with ExitStack() as stack:
        moving = not text and not quiet and watched()
        if moving:
            stack.enter_context(screen.opened())
        for played in recorded:
            for at in replay(first, played):
                if moving:
                    screen.show(at)
                elif text:
                    show_text(at, "")
    summary(recorded)


def summary(played: list[CourseGame]) -> None:
    """Print the course's summary. Games that a person quit do not count."""
    for each in played:
        if each.left:
            print(f"You quit. Score: {each.points}")
        elif each.fault:
            print(f"Pacman forfeits: {each.fault}")
        elif each.won:
            print(f"Pacman emerges victorious! Score: {each.points}")
        elif each.ended == GOES_ON:
            print(f"Stopped after too many moves. Score: {each.points}")
        else:
            print(f"Pacman died! Score: {each.points}")
    played = [each for each in played if not each.left]
    if not played:
        return
    wins = sum(each.won for each in played)
    print(f"Average Score: {sum(each.points for each in played) / len(played)}")
    print(f"Scores:        {', '.join(str(float(each.points)) for each in played)}")
    print(f"Win Rate:      {wins}/{len(played)} ({wins / len(played):.2f})")
    print(f"Record:        {', '.join('Win' if each.won else 'Loss' for each in played)}")
    nodes, seconds = sum(each.nodes for each in played), sum(each.seconds for each in played)
    if nodes:  # on standard error, to compare searches
        print(f"{nodes:,} nodes, {seconds:.3f} s", file=sys.stderr)
