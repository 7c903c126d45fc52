"""Type aliases for code that lowers functions to LLVM instructions. Numba and llvmlite have no type information.

Imported only when something is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from llvmlite import ir
from numba.core.base import BaseContext
from numba.core.typing.context import BaseContext as BaseTypingContext
from numba.core.typing.templates import Signature as NumbaSignature

Value: TypeAlias = ir.Value
Builder: TypeAlias = ir.IRBuilder
Signature: TypeAlias = NumbaSignature
Context: TypeAlias = BaseContext
TypingContext: TypeAlias = BaseTypingContext

NumbaType: TypeAlias = Any
"""A `numba.types.Type`; code relies on the attributes of its subclasses."""

Lowering: TypeAlias = Callable[[Context, Builder, Signature, Sequence[Value]], Value]
"""Emits the instructions of a call and returns its value."""

Typed: TypeAlias = tuple[Signature, Lowering] | None
"""The result of an intrinsic's typing function; None if the argument types do not fit."""

Intrinsic: TypeAlias = Any
"""A function that `numba.extending.intrinsic` decorates."""
