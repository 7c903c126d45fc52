"""Turns plain functions into machine code.

`specialization` copies an algorithm for one game: it replaces the common words by the game's own functions. A target
compiles such copies: native code for this machine, WebAssembly for browsers. A further target (`cuda.py` for the GPU)
belongs next to them and takes the same specialized functions.

specialization.py     copies of functions with replaced global names; `compiled` and `kernel`
native.py             the target for this machine's CPU (Numba)
llvm_ir.py            the LLVM IR of specialized functions, for other targets
wasm.py               the target for browsers and Node; memory_image.py: arrays of this process as a module's memory
inner_functions.py    functions that are compiled only as part of their callers
intrinsics.py         LLVM code for the functions of `core.bits`; also wide_intrinsics.py and vector_intrinsics.py
columns.py            arrays that compiled code reaches through one int
cache.py              the folder of cached machine code; cache_files.py: its files, with checksums
notices.py            the notice that something is compiled for the first time
"""

from hansu.compile.specialization import compiled, kernel

__all__ = ["compiled", "kernel"]
