"""Claim: `rule` needs less than 0.5 s for every move at 20 points. (The course's original, in Python, took up to 49.9
s.)

The peer is the general alpha-beta at the same depth, 6 plies, in the middle of the same games.
"""

from __future__ import annotations

import time

from hansu.arena.roster import player
from hansu.core import Limit, registry

ORIGINAL = {10: 5.1, 15: 17.8, 20: 49.9}  # the report's figures, on its machine


def main() -> None:
    for size in (10, 15, 20):
        slowest = {"rule": 0.0, "parity": 0.0}
        middle = []
        for seed in range(1, 6):
            game = registry.game(f"triangles:points={size},seed={seed}")
            players = {name: player(name, game) for name in slowest}
            for each in players.values():
                each.decide(game.first)  # compiles or loads
            position = game.first
            while not position.over:
                for name, each in players.items():
                    began = time.process_time()
                    action = each.decide(position).action
                    slowest[name] = max(slowest[name], time.process_time() - began)
                position = position.play(action)
                if len(position.history) == position.tables.words[2] // 2:
                    middle.append(position)
        peer = player("alphabeta", middle[0].game)
        peer.decide(middle[0], Limit(depth=1))
        longest = 0.0
        for position in middle:
            began = time.process_time()
            peer.decide(position, Limit(depth=6))
            longest = max(longest, time.process_time() - began)
        print(
            f"{size} points: slowest move of rule {slowest['rule']:.4f} CPU s, of parity {slowest['parity']:.4f}; "
            f"of alphabeta, 6 plies, in the middle {longest:.3f} ({longest / slowest['rule']:.0f} times as long); "
            f"of the course's original {ORIGINAL[size]} ({ORIGINAL[size] / slowest['rule']:.0f} times)",
            flush=True,
        )


if __name__ == "__main__":
    main()
