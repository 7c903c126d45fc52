"""Makes the opening book on a machine that has NumPy and Numba only:

    python3 -m hansu.games.connect_four.solver.make_book -o book.npz --threads 16 --megabytes 16384

A run that was stopped goes on from book.npz.part. `hansu book connect_four` is the same with a progress bar.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from hansu.games.connect_four.solver.book import STONES, make


def main() -> None:
    parser = argparse.ArgumentParser(description="Make Connect Four's opening book.")
    parser.add_argument("-o", "--output", type=Path, default=Path("book.npz"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--megabytes", type=int, default=256, help="the table that all threads share")
    parser.add_argument("--stones", type=int, default=STONES, help="of the positions that are searched")
    given = parser.parse_args()
    began = told = time.monotonic()
    first = -1

    def tell(done: int, total: int) -> None:
        nonlocal told, first
        now = time.monotonic()
        if first < 0:
            first = done
        if now - told > 5 or done in (0, total):
            told = now
            rate = (done - first) / max(now - began, 1e-9)
            left = (total - done) / rate if rate else float("inf")
            print(f"{done:,} of {total:,}  {rate:.1f} a second  about {left / 60:.1f} minutes left", flush=True)

    try:
        count = make(given.output, given.threads, given.megabytes, given.stones, tell)
    except KeyboardInterrupt:
        sys.exit(f"stopped; run the same command to go on from {given.output}.part")
    print(f"{count:,} positions in {given.output}, {given.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
