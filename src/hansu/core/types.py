"""Type aliases that the whole package shares. Only type checkers import NumPy here.

An alias names an array's dtype. Docstrings state its shape, as in `int64[states, words]`.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

R_co = TypeVar("R_co", covariant=True)

State: TypeAlias = Any
"""A NamedTuple of ints and (nested) tuples of ints. Interpreted code accepts any class."""

Action: TypeAlias = Any
"""An int. Rules that are only interpreted may use any hashable value."""

Board: TypeAlias = Any
"""A set of cells as bits: an int for up to 63 cells, a `Bits` for more. Both have the same operators."""

Function: TypeAlias = Callable[..., Any]
"""A plain function with any arguments."""

Array: TypeAlias = "NDArray[Any]"
Int8Array: TypeAlias = "NDArray[np.int8]"
Int16Array: TypeAlias = "NDArray[np.int16]"
Int32Array: TypeAlias = "NDArray[np.int32]"
Int64Array: TypeAlias = "NDArray[np.int64]"
Float32Array: TypeAlias = "NDArray[np.float32]"
Float64Array: TypeAlias = "NDArray[np.float64]"

Seed: TypeAlias = "MutableSequence[int] | NDArray[np.int64]"
"""int64[1] or a list of one int: the state of a random number generator, which every draw changes."""

Words: TypeAlias = "MutableSequence[int] | NDArray[np.int64]"
"""int64[words]: a state packed into a row, or a mask of actions. Interpreted code may pass a list."""


class CompiledFunction(Protocol[R_co]):
    """A plain function compiled for one target.

    It takes the positional arguments of the plain function. NumPy scalars may stand for ints and floats.
    """

    def __call__(self, *args: Any) -> R_co: ...

    def precompile(self, *args: Any) -> float:
        """Compile for arguments of these types without running."""
