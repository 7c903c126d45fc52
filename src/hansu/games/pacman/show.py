"""What `hansu pacman` shows: games in place, as plain text or only by their results, replays, and the summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from hansu.core import Position
from hansu.games.pacman.contest import Choose, ContestGame, Ghosts, Watch, load, play_game, replay
from hansu.games.pacman.quick import Haunting, PacmanSearch, quick_games
from hansu.games.pacman.state import GOES_ON
from hansu.games.pacman.terminal import Keyboard, Screen
from hansu.scene.ansi import ansi


def watched() -> bool:
    return sys.stdout.isatty()


def quick_contest(
    position: Position, searcher: PacmanSearch, haunting: Haunting, seeds: Iterable[int], timeout: float | None
) -> Iterator[ContestGame]:
    """Games that nobody watches, each in one compiled call."""
    for end in quick_games(position.state, searcher, seeds, haunting):
        late = timeout is not None and end.seconds > timeout
        fault = f"Pacman thought longer than {timeout:g} s in this game" if late else ""
        yield ContestGame(end.points, end.state.ended, end.actions, end.nodes, end.seconds, fault)


def watched_contest(
    position: Position, new_choose: Callable[[], Choose], ghosts: list[Ghosts], *, text: bool, quiet: bool,
    frame_time: float, keyboard: Keyboard | None,
) -> Iterator[ContestGame]:  # fmt: skip
    """Games that are shown: in place, as plain text, or not at all. A person may leave in the middle of one."""
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
    print(ansi(position.scene, color=False))
    print(f"{why}\n" if why else "")


def show_replay(path: Path, position: Position, *, text: bool, quiet: bool, frame_time: float) -> None:
    """Every game of a recording."""
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


def summary(played: list[ContestGame]) -> None:
    """The lines the course prints after the games. One that somebody has left counts for nothing."""
    for each in played:
        if each.left:
            print(f"You have left. Score: {each.points}")
        elif each.fault:
            print(f"Pacman forfeits: {each.fault}")
        elif each.won:
            print(f"Pacman emerges victorious! Score: {each.points}")
        elif each.ended == GOES_ON:
            print(f"Given up: the game does not end. Score: {each.points}")
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
    if nodes:  # beside the course's lines, so that two searches can be compared
        print(f"{nodes:,} nodes, {seconds:.3f} s", file=sys.stderr)
