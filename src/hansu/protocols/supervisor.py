"""Stands between hansu and one program outside, so that the program ends when hansu does, however hansu ends.

    hansu --- supervisor --- the program --- whatever it starts

A script of its own, which imports nothing of hansu; `program.py` starts it: supervisor.py MEMORY CONTROL STATUS COMMAND

It starts the command with a ceiling on its memory and waits until the command ends or the CONTROL pipe is closed, which
happens when hansu lets go or is no more. Then it kills everything that the command has started and ends as the
command did. On Linux that reaches programs that went into a session of their own, too: when their parents are gone,
they become children of this process, their subreaper. Elsewhere it reaches the command's process group.

The STATUS pipe hears why the command could not be started; if it could, it is closed without a word.
"""

from __future__ import annotations

import os
import select
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # of Linux's prctl
LEFT_TO_HANSU = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    memory, control, status = (int(word) for word in sys.argv[1:4])
    os.set_inheritable(control, False)
    os.set_inheritable(status, False)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    for number in LEFT_TO_HANSU:
        signal.signal(number, signal.SIG_IGN)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    program = os.fork()
    if program == 0:
        become(sys.argv[4:], memory, status)
    os.close(status)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)  # the pipes are the program's: hansu sees when it closes them
    ended = None
    while ended is None:
        ready, _, _ = select.select([control, wake], [], [])
        if control in ready:
            break
        os.read(wake, 512)
        ended = reaped(program)
    end_as(end_all(program, ended))


def become(command: list[str], memory: int, status: int) -> None:
    """In the child: turn into the command."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # should the supervisor itself be killed
        signal.set_wakeup_fd(-1)
        for number in (*LEFT_TO_HANSU, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        if memory and sys.platform != "darwin":
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        os.execvp(command[0], command)
    except BaseException as error:
        os.write(
            status,
            (getattr(error, "strerror", None) or str(error) or type(error).__name__).encode("utf-8", "replace")[:1000],
        )
    os._exit(127)


def reaped(program: int) -> int | None:
    """Collect the dead; the program's wait status if it is among them."""
    while True:
        one, status = os.waitpid(-1, os.WNOHANG)
        if one == program:
            return status
        if one == 0:
            return None


def end_all(program: int, ended: int | None) -> int:
    """Kill whatever is left, until nobody is: who is being killed may have started others. Gives the program's wait
    status."""
    while True:
        for number in (signal.SIGSTOP, signal.SIGKILL):  # first nobody starts anything any more
            for call, whom in ((os.killpg, program), *((os.kill, one) for one in descendants(os.getpid()))):
                try:
                    call(whom, number)
                except OSError:
                    continue  # it is gone already
        try:
            one, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return ended or 0
        if one == program:
            ended = status


def descendants(ancestor: int) -> list[int]:
    """Every process below this one, where the system lists them."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue  # it ended meanwhile
    found: set[int] = set()
    more = {ancestor}
    while more:
        more = {one for one, parent in parents.items() if parent in more} - found
        found |= more
    return sorted(found)


def prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_as(status: int) -> None:
    """End with the same exit code, or by the same signal."""
    if os.WIFSIGNALED(status):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
