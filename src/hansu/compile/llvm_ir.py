"""The LLVM IR of specialized functions, for targets other than this machine's CPU.

Numba compiles helpers as `inner_functions` already: typed and lowered for this machine, but neither optimised nor
emitted. That is just what another target needs. Its types are those of the native code, so results are the same, and
nothing of it comes from the cache, which holds machine code only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hansu.compile.specialization import specializer_of
from hansu.core.errors import HansuError

NO_REFERENCE_COUNTS = """
define internal void @NRT_incref(ptr %p) { ret void }
define internal void @NRT_decref(ptr %p) { ret void }
"""
"""Arrays belong to the caller on every other target."""


@dataclass(frozen=True)
class Function:
    """A lowered function: `symbol(result pointer, exception pointer, arguments...) -> status`."""

    symbol: str
    arguments: tuple[str, ...]  # LLVM types, after the two pointers
    result: str  # the LLVM type behind the result pointer


@dataclass(frozen=True)
class Lowered:
    """One module of LLVM IR, with the functions it was made for by name."""

    text: str
    functions: Mapping[str, Function]


def lower(functions: Mapping[str, tuple[Callable[..., Any], Sequence[Any]]], state: type) -> Lowered:
    """The IR of functions for a state class; each comes with arguments of the types it is to be compiled for.

    Raises HansuError where one of them cannot be compiled.
    """
    from numba import typeof
    from numba.core.errors import NumbaError

    specializer = specializer_of(state)
    module: Any = None
    entries = {}
    for name, (function, arguments) in functions.items():
        dispatcher = specializer.replacement_of(function)
        kinds = tuple(typeof(argument) for argument in arguments)
        try:
            dispatcher.compile(kinds)
        except (NumbaError, RecursionError) as error:
            raise HansuError("{name} cannot be compiled: {reason}", name=name, reason=str(error)) from error
        overload = dispatcher.overloads[kinds]
        linked = overload.library._get_module_for_linking()
        entry = linked.get_function(overload.fndesc.mangled_name)
        entry.linkage = "external"  # else linking drops what nothing calls
        entries[name] = _function(entry, overload.signature.return_type)
        if module is None:
            module = linked
        else:
            module.link_in(linked, preserve=True)
    return Lowered(_portable(str(module)), entries)


def _function(value: Any, result: Any) -> Function:
    """What a caller needs to know of a lowered function."""
    types = [str(argument.type) for argument in value.arguments]
    return Function(value.name, tuple(types[2:]), _result_type(result))


def _result_type(kind: Any) -> str:
    """How Numba stores a value of this type behind a pointer."""
    from numba.core import types as numba_types

    types: Any = numba_types
    if isinstance(kind, types.BaseTuple):
        parts = [_result_type(part) for part in kind.types]
        if isinstance(kind, types.UniTuple | types.NamedUniTuple):
            return f"[{len(parts)} x {parts[0]}]"
        return f"{{ {', '.join(parts)} }}"
    if isinstance(kind, types.Boolean):
        return "i8"
    if isinstance(kind, types.Integer):
        return f"i{kind.bitwidth}"
    if isinstance(kind, types.Float):
        return "double" if kind.bitwidth == 64 else "float"
    if isinstance(kind, types.NoneType):
        return "ptr"
    raise HansuError(f"a result of type {kind} cannot leave compiled code")


def _portable(text: str) -> str:
    """Without what only this machine or Python's runtime knows."""
    text = re.sub(r"^define [^\n]*@NRT_\w+\(.*?^}\n", "", text, flags=re.M | re.S)
    text = re.sub(
        r"^\s*call void @llvm\.prefetch.*\n|^declare void @(llvm\.prefetch|NRT_\w+).*\n", "", text, flags=re.M
    )
    text = re.sub(r"^declare double @sqrt\(.*\n", "declare double @llvm.sqrt.f64(double)\n", text, flags=re.M)
    text = text.replace("@sqrt(", "@llvm.sqrt.f64(")
    text = re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)
    declared = re.findall(r"^declare double @llvm\.sqrt\.f64\(double\).*\n", text, flags=re.M)
    for again in declared[1:]:
        text = text.replace(again, "", 1)
    return text + NO_REFERENCE_COUNTS
