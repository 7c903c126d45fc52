"""The native target: Numba turns specialized functions into machine code, which is kept on disk between runs."""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hansu.core.errors import HansuError

first_time_notice: list[Callable[[str], None]] = []
"""Interfaces add a function here; it hears of each thing that is compiled because the cache does not hold it."""
ready_notice: list[Callable[[str], None]] = []
"""And here, to hear when that is done."""

COLOUR = r"\x1b\[[0-9;]*m"  # Numba's messages have colours where a terminal can show them
TELLING = ("Untyped global", "Unknown attribute", "No implementation", "functions that call each other", "recursion")
"""What lines of a Numba error say that tell most."""


class Compiled:
    """A compiled function that tells `first_time_notice` before a call that is going to take a while."""

    def __init__(self, dispatcher: Any, name: str, folder: Path | None) -> None:
        self.dispatcher = dispatcher
        self.name = name
        self._folder = folder
        self._ready: set[Any] = set()  # the types of arguments it was compiled for: a board may have one word or two
        self._lock = threading.Lock()  # a second thread waits, so that its clock does not run meanwhile

    def __call__(self, *args: Any) -> Any:
        if not self._ready:
            self.precompile(*args)
        return self.dispatcher(*args)

    def precompile(self, *args: Any) -> float:
        """Compile for such arguments (or load from the cache) without running, so that a clock can start afterwards.
        Gives 0.0, to stand in for a search."""
        from numba import typeof

        kinds = tuple(typeof(arg) for arg in args)
        with self._lock:
            if kinds not in self._ready:
                self._compile(kinds)
                self._ready.add(kinds)
        return 0.0

    def _compile(self, kinds: tuple[Any, ...]) -> None:
        new = not self._stored()
        for tell in first_time_notice if new else ():
            tell(self.name)
        from numba.core.errors import NumbaError

        from hansu.compile.inner_functions import set_environments

        try:
            self.dispatcher.compile(kinds)
            set_environments(self.dispatcher)
        except (NumbaError, RecursionError) as error:
            deep = "functions that call each other without an end, or a hundred deep"
            raise HansuError(
                f"{self.name} cannot be compiled: {deep if isinstance(error, RecursionError) else _gist(str(error))}",
                "see the traps in docs/tutorial/your_own_game.md; interpreted=true runs the same rules as plain Python",
            ) from error
        finally:
            for tell in ready_notice if new else ():
                tell(self.name)

    def _stored(self) -> bool:
        return self._folder is not None and any(self._folder.rglob(f"*.{self.dispatcher.__qualname__}-*.nbi"))


def native(function: Callable[..., Any], folder: Path | None, **options: Any) -> Any:
    """A Numba dispatcher for a specialized function, whose machine code is kept in the folder."""
    import numba

    from hansu.compile.cache_files import CodeCache

    dispatcher = njit(function, **options)
    # Numba cannot call a generator that it loaded from its cache.
    if folder is not None and not inspect.isgeneratorfunction(function):
        before = numba.config.CACHE_DIR
        try:
            numba.config.CACHE_DIR = str(folder)
            dispatcher._cache = CodeCache(function)  # as Numba's `enable_caching` does, with checksums
        except (RuntimeError, OSError):
            pass  # no source file, or the folder is gone: compiled again in each process
        finally:
            numba.config.CACHE_DIR = before
    return dispatcher


def njit(function: Callable[..., Any], **options: Any) -> Any:
    import numba

    from hansu.compile import intrinsics  # noqa: F401  Numba learns the operators of `Bits` there

    return numba.njit(nogil=True, **options)(function)


def inner(function: Callable[..., Any]) -> Any:
    from hansu.compile.inner_functions import InnerCompiler

    return njit(function, pipeline_class=InnerCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def in_parallel(function: Callable[..., Any]) -> bool:
    """Numba compiles such a function by a pipeline of its own, so it is never an inner one."""
    return getattr(function, "in_parallel", False)


def _gist(message: str) -> str:
    """The line of a Numba error that tells most."""
    lines = [re.sub(COLOUR, "", line).strip() for line in message.splitlines()]
    telling = [line for line in lines if any(words in line for words in TELLING)]
    return (telling or [line for line in lines if line] or ["unknown reason"])[0]
