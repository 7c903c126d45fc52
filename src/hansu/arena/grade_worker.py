"""The process that a student's file is graded in: told the number of an exercise, it prints the mark as a JSON line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from hansu.arena.lesson import exercises, mark
from hansu.games import load


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # what the student prints must not mix with the marks
    path, cut_at_tie = Path(sys.argv[1]), sys.argv[2] == "tie"
    all_exercises = exercises(cut_at_tie)
    try:
        module = load(path)
    except Exception as error:
        answers.write(json.dumps({"error": str(error)}) + "\n")
        return
    answers.write(json.dumps({"ready": True}) + "\n")
    for line in sys.stdin:
        answers.write(json.dumps(mark(all_exercises[int(line)], module), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
