"""A process between hansu and an external program, which ends the program when hansu ends, even by a crash.

    hansu --- supervisor --- the program --- its child processes

This script imports nothing of hansu. `program.py` starts it: supervisor.py MEMORY CONTROL STATUS COMMAND

It starts the command with a memory limit, and waits until the command ends or the CONTROL pipe is closed. hansu closes
that pipe, or it closes when hansu dies. Then the supervisor kills all processes that the command has started, and
exits with the same status as the command. On Linux this includes processes in sessions of their own: when their parents
end, they become children of the supervisor, their subreaper. On other systems it covers the command's process group.

If the command cannot be started, the reason is written to the STATUS pipe. Otherwise the pipe is closed without output.
"""

from __future__ import annotations

import os
import select
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # of Linux's prctl
IGNORED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    memory, control, status = (int(word) for word in sys.argv[1:4])
    os.set_inheritable(control, False)
    os.set_inheritable(status, False)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    for number in IGNORED_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    program = os.fork()
    if program == 0:
        execute(sys.argv[4:], memory, status)
    os.close(status)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)  # only the program holds the pipes, so hansu notices when it closes them
    ended = None
    while ended is None:
        ready, _, _ = select.select([control, wake], [], [])
        if control in ready:
            break
        os.read(wake, 512)
        ended = reap(program)
    exit_like(end_all(program, ended))


def execute(command: list[str], memory: int, status: int) -> None:
    """In the child process: execute the command."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # if the supervisor itself is killed
        signal.set_wakeup_fd(-1)
        for number in (*IGNORED_SIGNALS, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
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


def reap(program: int) -> int | None:
    """Collect ended child processes; returns the wait status of the program if it is one of them."""
    while True:
        one, status = os.waitpid(-1, os.WNOHANG)
        if one == program:
            return status
        if one == 0:
            return None


def end_all(program: int, ended: int | None) -> int:
    """Kill all remaining processes, repeatedly, since they may start others until they are killed. Returns the wait
    status of the program."""
    while True:
        for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped processes start no others
            for call, target in ((os.killpg, program), *((os.kill, one) for one in descendants(os.getpid()))):
                try:
                    call(target, number)
                except OSError:
                    continue  # the process has ended already
        try:
            one, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return ended or 0
        if one == program:
            ended = status


def descendants(ancestor: int) -> list[int]:
    """All descendants of a process, if the system lists processes."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue  # the process has ended meanwhile
    result: set[int] = set()
    more = {ancestor}
    while more:
        more = {one for one, parent in parents.items() if parent in more} - result
        result |= more
    return sorted(result)


def prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def exit_like(status: int) -> None:
    """Exit with the same exit code, or by the same signal."""
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
