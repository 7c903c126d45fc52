"""Specialization: one source, interpreted or compiled.

`compiled(algorithm, State)` copies the algorithm and replaces every global name that stands for a plain function:

    a common word (`legal`, `play`, ...)              by the game's own function, compiled
    a function with a counterpart (`popcount`, ...)   by its counterpart
    any other plain function                          by its own compiled copy
    the algorithm itself                              by the copy, so that recursion works

The target (`native.py`) compiles the copy. Rules, helpers and algorithms need no decorator, and interpreted code is
unchanged. docs/internals/architecture.md explains why this is not done with `numba.extending.overload`.
"""

from __future__ import annotations

import enum
import hashlib
import importlib
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from hansu.compile.cache import folder_for
from hansu.compile.native import Compiled, Dispatcher, in_parallel, inner, native
from hansu.core.errors import HansuError
from hansu.core.generic import WORDS, rules_of
from hansu.core.owner import owner_of
from hansu.core.types import Action, Function, State

R = TypeVar("R")

_word_of: dict[Function, str] = {function: name for name, function in WORDS.items()}
_lock = threading.RLock()
_specializers: dict[type | str, _Specializer] = {}
_retired: list[_Specializer] = []  # kept after rules were registered again: LLVM aborts if their code is freed at exit


def compiled(algorithm: Callable[..., R], state: type) -> Compiled[R]:
    """`algorithm` specialized for a registered state class, compiled at its first call.

    >>> import hansu
    >>> from hansu.search.perft import perft
    >>> first = hansu.game("tictactoe").first.state
    >>> compiled(perft, type(first))(first, 3)
    504
    """
    with _lock:
        specializer = specializer_of(state)
        if algorithm not in specializer.entries:
            specializer.entries[algorithm] = Compiled(
                specializer.python_callable(algorithm), f"{algorithm.__name__} for {state.__name__}", specializer.folder
            )
        return specializer.entries[algorithm]


def specializer_of(state: type) -> _Specializer:
    """The specializer of a registered state class. Every target takes the specialized functions from it."""
    with _lock:
        specializer = _specializers.get(state)
        if specializer is None or specializer.words is not rules_of(state).words:
            if not (issubclass(state, tuple) and hasattr(state, "_fields")):
                raise HansuError(
                    "{state} is not a NamedTuple, so it cannot be compiled",
                    "use interpreted=true",
                    state=state.__name__,
                )
            if specializer is not None:
                _retired.append(specializer)
            specializer = _specializers[state] = _Specializer(state.__module__, rules_of(state).words)
        return specializer


class kernel(Generic[R]):
    """Decorator for a function over arrays and ints: compiled at its first call, with every function that it calls.

    It may call plain functions and other kernels. `plain` is the undecorated function.
    """

    def __init__(self, plain: Callable[..., R]) -> None:
        self.plain = plain
        self.__doc__ = plain.__doc__
        self.__name__ = plain.__name__
        self._entry: Compiled[R] | None = None

    def __call__(self, *args: Any) -> R:
        return self._compiled(*args)

    def precompile(self, *args: Any) -> float:
        """Compile for arguments of these types without running, like `Compiled.precompile`."""
        return self._compiled.precompile(*args)

    @property
    def _shared_module(self) -> str:
        """The kernels of one game share compiled functions; other kernels share them within their module."""
        owner = owner_of(self.plain.__module__)
        return owner.module if owner.is_game else self.plain.__module__

    @property
    def _compiled(self) -> Compiled[R]:
        if self._entry is None:
            with _lock:
                if self._entry is None:  # unless another thread was faster
                    module = self._shared_module
                    specializer = _specializers.setdefault(module, _Specializer(module, {}))
                    dispatcher = specializer.python_callable(self.plain)
                    self._entry = Compiled(dispatcher, self.__name__, specializer.folder)
        return self._entry


class _Specializer:
    """Creates and caches the compiled copies for one state class (or for one module of kernels)."""

    def __init__(self, module: str, words: Mapping[str, Function]) -> None:
        self.words = words
        self.entries: dict[Function, Compiled[Any]] = {}
        self._python_callable: dict[Function, Dispatcher] = {}
        self._inner: dict[Function, Dispatcher] = {}
        source = getattr(sys.modules.get(module), "__file__", None)
        # Classes of __main__ are pickled by value, so a cached copy would never be found again.
        self.folder = folder_for(module, Path(source)) if source and module != "__main__" else None

    def python_callable(self, function: Function) -> Dispatcher:
        """The dispatcher of a copy that Python can call. Its machine code contains everything that it calls."""
        return self._specialized(
            function, self._python_callable, lambda copy: native(copy, self.folder, parallel=in_parallel(function))
        )

    def inner(self, function: Function) -> Dispatcher:
        """The dispatcher of a copy that only compiled code can call."""
        if in_parallel(function):
            return self.python_callable(function)
        return self._specialized(function, self._inner, inner)

    def _specialized(
        self, function: Function, cache: dict[Function, Dispatcher], compile_copy: Callable[[Function], Dispatcher]
    ) -> Dispatcher:
        """The dispatcher of a copy of `function` with replaced global names, from the cache if it is there."""
        if function in cache:
            return cache[function]
        scope = dict(function.__globals__)
        copy = types.FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
        )
        # Numba looks up cached code by qualname, line and bytecode only. It would confuse two lambdas on one line, a
        # word that now means another function, or an edited helper in another file. The fingerprint distinguishes them.
        copy.__module__ = function.__module__
        copy.__qualname__ = f"{function.__name__}_{self._fingerprint(function)}"
        cache[function] = dispatcher = compile_copy(copy)
        for name in _names_in(function.__code__):
            value = scope.get(name)
            if isinstance(value, (types.FunctionType, kernel)):
                plain = value.plain if isinstance(value, kernel) else value
                scope[name] = dispatcher if plain is function else self.replacement_of(value)
        return dispatcher

    def _fingerprint(self, function: Function) -> str:
        """A hash of the code of `function` and of every function that it reaches, with their constants."""
        digest = hashlib.sha256()
        pending, visited = [function], set()
        while pending:
            function = pending.pop()
            if function in visited:
                continue
            visited.add(function)
            _add_code(digest, function.__code__)
            cells = [cell.cell_contents for cell in function.__closure__ or ()]
            _add_value(digest, (function.__defaults__, cells))
            for name in sorted(set(_names_in(function.__code__))):
                value: Any = function.__globals__.get(name)
                if isinstance(value, kernel):
                    value = value.plain
                if isinstance(value, types.FunctionType):
                    value = self.words.get(_word_of.get(value, ""), getattr(value, "counterpart", value))
                if isinstance(value, types.FunctionType):
                    pending.append(value)
                else:
                    digest.update(f"{name}=".encode())
                    _add_value(digest, value)
        return digest.hexdigest()[:12]

    def replacement_of(self, value: Function) -> Dispatcher:
        """The object that replaces a global function in a copy."""
        if isinstance(value, kernel):
            return self.inner(value.plain)
        word = _word_of.get(value)
        if word is not None:
            return self._word(word)
        counterpart = getattr(value, "counterpart", None)
        if isinstance(counterpart, str):
            module, _, name = counterpart.partition(":")
            return getattr(importlib.import_module(module), name)
        return self.inner(value if counterpart is None else counterpart)

    def _word(self, word: str) -> Dispatcher:
        if word not in self.words:
            raise HansuError("these rules lack {word}()", "pass it to rules()", word=word)
        own = self.words[word]
        if word != "play":
            return self.inner(own)
        if play_in_shape not in self._inner:
            from hansu.compile import intrinsics

            scope = {"own_play": self.inner(own), "like": intrinsics.like}
            copy = types.FunctionType(play_in_shape.__code__, scope, play_in_shape.__name__)
            copy.__module__ = __name__
            copy.__qualname__ = f"play_in_shape_{self._fingerprint(own)}"
            self._inner[play_in_shape] = inner(copy)
        return self._inner[play_in_shape]


def play_in_shape(s: State, a: Action) -> State:
    """`play` with a result of exactly the type of `s`: rules may build a field from a bool or a shorter int."""
    return like(s, own_play(s, a))  # type: ignore[name-defined]  # noqa: F821


def _add_value(digest: hashlib._Hash, value: object) -> None:
    """Add a constant that code was compiled with."""
    if isinstance(value, tuple | list):
        digest.update(f"{len(value)}(".encode())
        for part in value:
            _add_value(digest, part)
    elif hasattr(value, "tobytes"):  # an array; its repr leaves out the middle
        kind = getattr(value, "dtype", None), getattr(value, "shape", None)  # Python's own arrays have neither
        digest.update(f"{kind}".encode() + value.tobytes())
    elif isinstance(value, enum.EnumMeta):
        _add_value(digest, [(name, value[name].value) for name in value.__members__])
    elif isinstance(value, int | float | complex | str | bytes | None):
        digest.update(f"{value!r};".encode())


def _add_code(digest: hashlib._Hash, code: types.CodeType) -> None:
    digest.update(repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars)).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _add_code(digest, constant)
        else:
            digest.update(repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant).encode())


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)
