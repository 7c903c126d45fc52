"""One source, two ways to run: turns plain functions into machine code.

`compiled(algorithm, State)` makes a copy of the algorithm in which every global name that stands for a plain
function is replaced:

    a common word (`legal`, `play`, ...)      by the game's own function for it, compiled
    a function with a twin (`popcount`, ...)  by its twin
    any other plain function                  by its own compiled copy
    the algorithm itself                      by the copy, so that it recurses

and gives the copy to Numba. No decorator is needed on rules, helpers or algorithms; interpreted, they stay what they
are. docs/internals/architecture.md says why this rather than `numba.extending.overload`.
"""

from __future__ import annotations

import enum
import hashlib
import importlib
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hansu.compile.cache import folder_for
from hansu.compile.native import Compiled, in_parallel, inner, native
from hansu.core.errors import HansuError
from hansu.core.generic import WORDS, rules_of
from hansu.core.owner import owner_of

_word_of = {function: name for name, function in WORDS.items()}
_lock = threading.RLock()
_specializers: dict[type | str, _Specializer] = {}
_retired: list[_Specializer] = []  # of rules that were registered anew: LLVM aborts if compiled code is freed at exit


def compiled(algorithm: Callable[..., Any], state: type) -> Compiled:
    """`algorithm`, specialised for a registered state class and compiled at its first call."""
    with _lock:
        workshop = specializer_of(state)
        if algorithm not in workshop.entries:
            workshop.entries[algorithm] = Compiled(
                workshop.outer_of(algorithm), f"{algorithm.__name__} for {state.__name__}", workshop.folder
            )
        return workshop.entries[algorithm]


def specializer_of(state: type) -> _Specializer:
    """What makes the specialized functions of a registered state class; every target takes them from there."""
    with _lock:
        workshop = _specializers.get(state)
        if workshop is None or workshop.words is not rules_of(state).words:
            if not (issubclass(state, tuple) and hasattr(state, "_fields")):
                raise HansuError(
                    f"{state.__name__} is not a NamedTuple, so it cannot be compiled", "use interpreted=true with it"
                )
            if workshop is not None:
                _retired.append(workshop)
            workshop = _specializers[state] = _Specializer(state.__module__, rules_of(state).words)
        return workshop


class kernel:
    """Decorates a game's own function over arrays and ints: compiled at its first call, with all that it calls (a plain
    function or another kernel). `plain` is the undecorated function."""

    def __init__(self, plain: Callable[..., Any]) -> None:
        self.plain = plain
        self.__doc__ = plain.__doc__
        self.__name__ = plain.__name__
        self._entry: Compiled | None = None

    def __call__(self, *args: Any) -> Any:
        return self._compiled(*args)

    def precompile(self, *args: Any) -> float:
        """As `Compiled.precompile`."""
        return self._compiled.precompile(*args)

    @property
    def _shared_module(self) -> str:
        """A game's kernels share what they compile; other kernels share it with those of their own module."""
        owner = owner_of(self.plain.__module__)
        return owner.module if owner.is_game else self.plain.__module__

    @property
    def _compiled(self) -> Compiled:
        if self._entry is None:
            with _lock:
                if self._entry is None:  # another thread may have been faster
                    module = self._shared_module
                    workshop = _specializers.setdefault(module, _Specializer(module, {}))
                    self._entry = Compiled(workshop.outer_of(self.plain), self.__name__, workshop.folder)
        return self._entry


class _Specializer:
    """Makes and keeps the compiled copies that belong to one state class (or to one module of kernels)."""

    def __init__(self, module: str, words: dict[str, Any]) -> None:
        self.words = words
        self.entries: dict[Callable[..., Any], Compiled] = {}
        self._outer: dict[Callable[..., Any], Any] = {}
        self._inner: dict[Callable[..., Any], Any] = {}
        source = getattr(sys.modules.get(module), "__file__", None)
        # Classes of __main__ are pickled by value, so a cached copy would never be found again.
        self.folder = folder_for(module, Path(source)) if source and module != "__main__" else None

    def outer_of(self, function: Callable[..., Any]) -> Any:
        """The dispatcher of a copy of `function` that Python can call: all it reaches is in its machine code."""
        return self._copy(function, self._outer, lambda copy: native(copy, self.folder, parallel=in_parallel(function)))

    def inner_of(self, function: Callable[..., Any]) -> Any:
        """The dispatcher of a copy that only compiled code can call."""
        if in_parallel(function):
            return self.outer_of(function)
        return self._copy(function, self._inner, inner)

    def _copy(self, function: Callable[..., Any], kept: dict[Any, Any], dispatcher: Callable[[Any], Any]) -> Any:
        """The dispatcher of a copy of `function` whose global names are replaced, made if it is not among the kept."""
        if function in kept:
            return kept[function]
        scope = dict(function.__globals__)
        copy = types.FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
        )
        # Numba finds cached code by qualname, line and bytecode alone: two lambdas on one line, a word that now means
        # another function, an edited helper in another file would be taken for the same. The print tells them apart.
        copy.__module__ = function.__module__
        copy.__qualname__ = f"{function.__name__}_{self._fingerprint(function)}"
        kept[function] = made = dispatcher(copy)
        for name in _names_in(function.__code__):
            value = scope.get(name)
            if isinstance(value, (types.FunctionType, kernel)):
                plain = value.plain if isinstance(value, kernel) else value
                scope[name] = made if plain is function else self.replacement_of(value)
        return made

    def _fingerprint(self, function: Callable[..., Any]) -> str:
        """A hash of the code of `function` and of all it reaches, with the constants they use."""
        digest = hashlib.sha256()
        waiting, seen = [function], set()
        while waiting:
            function = waiting.pop()
            if function in seen:
                continue
            seen.add(function)
            _add_code(digest, function.__code__)
            cells = [cell.cell_contents for cell in function.__closure__ or ()]
            _add_value(digest, (function.__defaults__, cells))
            for name in sorted(set(_names_in(function.__code__))):
                value: Any = function.__globals__.get(name)
                if isinstance(value, kernel):
                    value = value.plain
                if isinstance(value, types.FunctionType):
                    value = self.words.get(_word_of.get(value, ""), getattr(value, "twin", value))
                if isinstance(value, types.FunctionType):
                    waiting.append(value)
                else:
                    digest.update(f"{name}=".encode())
                    _add_value(digest, value)
        return digest.hexdigest()[:12]

    def replacement_of(self, value: Any) -> Any:
        if isinstance(value, kernel):
            return self.inner_of(value.plain)
        word = _word_of.get(value)
        if word is not None:
            return self._word(word)
        twin = getattr(value, "twin", None)
        if isinstance(twin, str):
            module, _, name = twin.partition(":")
            return getattr(importlib.import_module(module), name)
        return self.inner_of(value if twin is None else twin)

    def _word(self, word: str) -> Any:
        if word not in self.words:
            raise HansuError(f"these rules do not say {word}()", "give it to rules()")
        own = self.words[word]
        if word != "play":
            return self.inner_of(own)
        if play_in_shape not in self._inner:
            from hansu.compile import intrinsics

            scope = {"own_play": self.inner_of(own), "like": intrinsics.like}
            copy = types.FunctionType(play_in_shape.__code__, scope, play_in_shape.__name__)
            copy.__module__ = __name__
            copy.__qualname__ = f"play_in_shape_{self._fingerprint(own)}"
            self._inner[play_in_shape] = inner(copy)
        return self._inner[play_in_shape]


def play_in_shape(s: Any, a: Any) -> Any:
    """`play` whose result has the very type of `s`: rules may build a field from a bool or a shorter int."""
    return like(s, own_play(s, a))  # type: ignore[name-defined]  # noqa: F821


def _add_value(digest: Any, value: Any) -> None:
    """A constant that code was compiled with."""
    if isinstance(value, tuple | list):
        digest.update(f"{len(value)}(".encode())
        for part in value:
            _add_value(digest, part)
    elif hasattr(value, "tobytes"):  # an array; what is written of a long one leaves out its middle
        kind = getattr(value, "dtype", None), getattr(value, "shape", None)  # Python's own arrays have neither
        digest.update(f"{kind}".encode() + value.tobytes())
    elif isinstance(value, enum.EnumMeta):
        _add_value(digest, [(name, value[name].value) for name in value.__members__])
    elif isinstance(value, int | float | complex | str | bytes | None):
        digest.update(f"{value!r};".encode())


def _add_code(digest: Any, code: types.CodeType) -> None:
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
