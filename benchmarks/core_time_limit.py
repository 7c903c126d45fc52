"""Claim: a compiled search keeps its time limit to within a few milliseconds. The peer is a sleep of the same length,
which shows what the machine itself adds."""

from __future__ import annotations

import time

import hansu

SECONDS = 0.05
TIMES = 40


def late(work: object) -> list[float]:
    """By how many milliseconds each call overran, sorted."""
    found = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()  # type: ignore[operator]
        found.append(1000 * (time.perf_counter() - began - SECONDS))
    return sorted(found)


def main() -> None:
    position = hansu.game("tictactoe").first
    player, limit = hansu.player("mcts:max_nodes=65536", position.game), hansu.Limit(time=SECONDS)
    player.decide(position, limit)  # compiles
    ours, sleep = late(lambda: player.decide(position, limit)), late(lambda: time.sleep(SECONDS))
    for name, found in (("mcts", ours), ("sleep", sleep)):
        print(
            f"{name}: {SECONDS * 1000:g} ms overrun by {found[TIMES // 2]:.2f} ms (median), {found[-3]:.2f} ms (95 %)"
        )
    print(f"ratio of the medians: {(1000 * SECONDS + ours[TIMES // 2]) / (1000 * SECONDS + sleep[TIMES // 2]):.3f}x")


if __name__ == "__main__":
    main()
