"""Turns plain functions into machine code.

specialization.py     replaces the common words in a copy of an algorithm by one game's own functions
native.py             compiles such copies with Numba for this machine's CPU
inner_functions.py    compiles helpers only inside their callers
intrinsics.py         LLVM instructions behind `core.bits`; wide_intrinsics.py and vector_intrinsics.py likewise
columns.py            arrays that compiled code reaches through one number
cache.py, cache_files.py    compiled code on disk
notices.py            says when something is compiled for the first time

A further target (WebAssembly, CUDA) is a module beside `native.py`: it takes the same specialized copies.
"""

from hansu.compile.specialization import compiled, kernel

__all__ = ["compiled", "kernel"]
