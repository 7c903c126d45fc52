"""Creates the opening book on a machine that has only NumPy and Numba:

    python3 -m hansu.games.connect_four.solver.make_book -o book.npz --threads 16 --hash 16384

An interrupted run resumes from book.npz.part. `hansu book connect_four` does the same with a progress bar.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from hansu.games.connect_four.solver.book import STONES, make


def main() -> None:
    parser = argparse.ArgumentParser(description="Create the opening book of Connect Four.")
    parser.add_argument("-o", "--output", type=Path, default=Path("book.npz"), help="output file")
    parser.add_argument("--threads", type=int, default=1, help="search threads")
    parser.add_argument("--hash", "--megabytes", type=int, default=256, help="shared transposition table size in MB")
    parser.add_argument("--stones", type=int, default=STONES, help="stones of the positions that are searched")
    arguments = parser.parse_args()
    began = reported = time.monotonic()
    first = -1

    def report(done: int, total: int) -> None:
        nonlocal reported, first
        now = time.monotonic()
        if first < 0:
            first = done
        if now - reported > 5 or done in (0, total):
            reported = now
            rate = (done - first) / max(now - began, 1e-9)
            left = (total - done) / rate if rate else float("inf")
            print(f"{done:,} of {total:,}  {rate:.1f} a second  about {left / 60:.1f} minutes left", flush=True)

    try:
        count = make(arguments.output, arguments.threads, arguments.hash, arguments.stones, report)
    except KeyboardInterrupt:
        sys.exit(f"stopped; the same command resumes from {arguments.output}.part")
    print(f"{count:,} positions in {arguments.output}, {arguments.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
