"""A Gomocup engine for tests. It plays the first empty cell in reading order; its argument selects a misbehaviour."""

from __future__ import annotations

import os
import subprocess
import sys
import time


def main() -> None:
    habit = sys.argv[1] if len(sys.argv) > 1 else "good"
    size, taken = 15, set()
    moves = 0
    children = []

    def say(text: str) -> None:
        print(text, flush=True)

    def move() -> None:
        nonlocal moves
        moves += 1
        if moves == 2:
            if habit == "crash":
                raise RuntimeError("broken inside")
            if habit == "exit":
                sys.exit(3)
            if habit == "hang":
                time.sleep(600)
            if habit == "child":  # hangs in a child process
                children[0].wait()
            if habit == "taken":
                return say(",".join(map(str, next(iter(taken)))))
            if habit == "outside":
                return say("99,99")
            if habit == "error":
                return say("ERROR I do not like this")
            if habit == "silent":
                return say("MESSAGE thinking")
            if habit == "flood":
                while True:
                    print("x" * 1000)
            if habit == "memory":
                block = bytearray(60 << 30)
                return say(f"{len(block)},0")
        if habit == "forbidden" and moves == 4:
            return say("7,4")  # between 4,4 6,4 and 8,4 10,4
        if habit == "forbidden":
            x, y = [(4, 4), (6, 4), (8, 4)][moves - 1]
        else:
            x, y = next((x, y) for y in range(size) for x in range(size) if (x, y) not in taken)
        taken.add((x, y))
        if habit == "chatty":
            say("DEBUG hello\n\nMESSAGE depth 3 eval 40\nUNKNOWN INFO\n  nonsense, 3 words \n7,8,9")
        if habit == "suggest":
            say(f"SUGGEST {x},{y}")
        else:
            say(f"{x},{y}")
        return None

    with open("brain.log", "a") as log:
        log.write(f"{os.getcwd()}\n")
    while line := sys.stdin.readline():
        word, _, rest = line.strip().partition(" ")
        with open("brain.log", "a") as log:
            log.write(line)
        if word == "START":
            size = int(rest)
            taken.clear()
            if habit == "child":
                children.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]))
                with open("child", "w") as file:
                    file.write(str(children[0].pid))
            say("ERROR too large" if habit == "refuse" else "MESSAGE loading\nOK")
        elif word == "RESTART":
            taken.clear()
            say("UNKNOWN" if habit == "no restart" else "OK")
        elif word == "BEGIN":
            move()
        elif word == "TURN":
            taken.add(tuple(map(int, rest.split(","))))
            move()
        elif word == "PLAY":
            say(rest)
        elif word == "SWAP2BOARD":
            while sys.stdin.readline().strip() != "DONE":
                pass
            say(habit)
        elif word == "BOARD":
            while (line := sys.stdin.readline().strip()) != "DONE":
                with open("brain.log", "a") as log:
                    log.write(line + "\n")
                x, y, _ = map(int, line.split(","))
                taken.add((x, y))
            move()
        elif word == "END":
            break


if __name__ == "__main__":
    main()
