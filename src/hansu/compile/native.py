"""The native target: Numba compiles specialized functions for this CPU; their machine code is cached on disk."""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.core.types import Function

R = TypeVar("R")

Dispatcher: TypeAlias = Any
"""Numba's compiled function. (Numba has no type information.)"""

first_time_notice: list[Callable[[str], None]] = []
"""Callbacks of the interfaces: called with a function's name before it is compiled, if it is not in the cache."""
ready_notice: list[Callable[[str], None]] = []
"""Callbacks that are called afterwards."""

COLOUR = r"\x1b\[[0-9;]*m"  # escape sequences in Numba's messages
MUTUAL_RECURSION = "mutually recursive functions"
REVEALING = ("Untyped global", "Unknown attribute", "No implementation", MUTUAL_RECURSION, "recursion")
"""Phrases that mark the most useful line of a Numba error."""


class Compiled(Generic[R]):
    """A natively compiled function (a `CompiledFunction`). It notifies `first_time_notice` before it compiles."""

    def __init__(self, dispatcher: Dispatcher, name: str, folder: Path | None) -> None:
        self.dispatcher = dispatcher
        self.name = name
        self._folder = folder
        self._ready: set[Any] = set()  # compiled argument types: boards of one and of two words are two types
        self._lock = threading.Lock()  # a second thread waits for the first one to compile

    def __call__(self, *args: Any) -> R:
        if not self._ready:
            self.precompile(*args)
        return self.dispatcher(*args)  # type: ignore[no-any-return]

    def precompile(self, *args: Any) -> float:
        """Compile for arguments of these types (or load from the cache) without running.

        Call it before a clock starts. Returns 0.0, so that it can stand in for a search.
        """
        from numba import typeof

        kinds = tuple(typeof(arg) for arg in args)
        with self._lock:
            if kinds not in self._ready:
                self._compile(kinds)
                self._ready.add(kinds)
        return 0.0

    def _compile(self, kinds: tuple[Any, ...]) -> None:
        is_new = not self._is_cached()
        for notify in first_time_notice if is_new else ():
            notify(self.name)
        from numba.core.errors import NumbaError

        from hansu.compile.inner_functions import set_environments

        try:
            self.dispatcher.compile(kinds)
            set_environments(self.dispatcher)
        except (NumbaError, RecursionError) as error:
            endless = Message("mutually recursive functions without an end, or calls a hundred levels deep")
            raise HansuError(
                "{function} cannot be compiled: {reason}",
                "see the traps in docs/tutorial/your_own_game.md; interpreted=true runs the same rules as plain Python",
                function=self.name,
                reason=endless if isinstance(error, RecursionError) else _most_useful_line(str(error)),
            ) from error
        finally:
            for notify in ready_notice if is_new else ():
                notify(self.name)

    def _is_cached(self) -> bool:
        return self._folder is not None and any(self._folder.rglob(f"*.{self.dispatcher.__qualname__}-*.nbi"))


def native(function: Function, folder: Path | None, **options: Any) -> Dispatcher:
    """A dispatcher for a specialized function that Python can call. The folder caches its machine code."""
    import numba

    from hansu.compile.cache_files import CodeCache

    dispatcher = njit(function, **options)
    # Numba cannot call a generator that it loaded from its cache.
    if folder is not None and not inspect.isgeneratorfunction(function):
        before = numba.config.CACHE_DIR
        try:
            numba.config.CACHE_DIR = str(folder)
            dispatcher._cache = CodeCache(function)  # what Numba's `enable_caching` does, with checksums
        except (RuntimeError, OSError):
            pass  # there is no source file, or the folder is gone: every process compiles again
        finally:
            numba.config.CACHE_DIR = before
    return dispatcher


def njit(function: Function, **options: Any) -> Dispatcher:
    """Numba's `njit` with the intrinsics and the operators of `Bits` loaded."""
    import numba

    from hansu.compile import intrinsics  # noqa: F401  registers the operators of `Bits` with Numba

    return numba.njit(nogil=True, **options)(function)


def inner(function: Function) -> Dispatcher:
    """A dispatcher for a specialized function that only compiled code can call."""
    from hansu.compile.inner_functions import InnerCompiler

    return njit(function, pipeline_class=InnerCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def in_parallel(function: Function) -> bool:
    """Has the function a parallel loop? Numba compiles it with another pipeline, so it cannot be an inner function."""
    return getattr(function, "in_parallel", False)


def _most_useful_line(message: str) -> str:
    lines = [re.sub(COLOUR, "", line).strip() for line in message.splitlines()]
    revealing = [line for line in lines if any(phrase in line for phrase in REVEALING)]
    return (revealing or [line for line in lines if line] or ["unknown reason"])[0]
