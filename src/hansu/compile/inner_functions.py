"""Inner functions: what only compiled code calls becomes machine code inside its callers alone.

Left alone, Numba optimises and emits every function that it compiles, with all that it calls inside, and wraps it twice
for callers in Python and C. Here only what Python calls is optimised, emitted and kept on disk, with everything that it
reaches; an inner function waits for that as it was written down. An engine of eighty functions compiles in two thirds
of the time, other players in half (docs/lab/core_contract.md).

This is Numba's way for pipelines of one's own (`pipeline_class`); of its inner parts only the library is another one.
Imported only when something is compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite.binding import Linkage
from numba import _dynfunc
from numba.core import cgutils
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.errors import TypingError
from numba.core.funcdesc import default_mangler
from numba.core.imputils import fix_returning_optional
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering


class InnerLibrary(CPUCodeLibrary):  # type: ignore[misc]
    """The code of an inner function, to be linked into its callers' with all it reaches; never emitted itself."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        # Dispatchers that are still in the making, with types of arguments and of what is expected back.
        self.awaited: list[tuple[Any, Any, Any]] = []

    def finalize(self) -> None:
        self._finalized = True

    def called(self) -> Iterator[CPUCodeLibrary]:
        yield from self._linking_libraries
        for dispatcher, args, expected in self.awaited:
            made = dispatcher.overloads[args]
            given = made.signature.return_type
            if given != expected:
                name = dispatcher.py_func.__name__
                raise TypingError(f"{name}: functions that call each other give back {expected} here, {given} there")
            yield made.library

    def _get_module_for_linking(self) -> Any:
        reached: list[CPUCodeLibrary] = [self]
        for library in reached:
            if isinstance(library, InnerLibrary):
                reached += [other for other in dict.fromkeys(library.called()) if other not in reached]
        made = self._final_module.clone()
        # While functions are external they are all taken; of others only those that were called before they come.
        for library in reached[1:]:
            if isinstance(library, InnerLibrary):
                made.link_in(library._final_module, preserve=True)
        for library in reached:
            if not isinstance(library, InnerLibrary):
                made.link_in(library._get_module_for_linking(), preserve=True)
        for function in made.functions:
            if function.is_declaration:
                assert not function.name.startswith("_ZN"), f"{function.name} is called, and not there"
            elif function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"  # two callers may bring the same one, and one that is inlined may go
        return made


def set_environments(dispatcher: Any) -> None:
    """What functions print, and what they raise, are constants of their *environment*. Numba hands it over when it
    makes a function's machine code, or loads it; inner functions, whose code is a part of this one's, get theirs here.
    """
    for made in dispatcher.overloads.values():
        for environment in made._find_referenced_environments():
            made.library.codegen.set_env(environment.env_name, environment)


class InnerLower(Lower):  # type: ignore[misc]
    """Inner functions that call each other meet in their caller's code, so a name is enough for such a call. (Numba's
    own way, a pointer that is set once both are loaded, is lost in its cache: what was loaded from there crashed.)"""

    def _lower_call_RecursiveCall(self, called: Any, call: Any, signature: Any) -> Any:
        wanted = called.get_overloads(signature.args)
        mangler = self.context.mangler or default_mangler
        name = mangler(wanted.qualname, signature.args, abi_tags=self.fndesc.abi_tags, uid=wanted.uid)
        if self.builder.function.name.startswith(name):
            return super()._lower_call_RecursiveCall(called, call, signature)
        self.library.awaited.append((called.dispatcher_type.dispatcher, tuple(signature.args), signature.return_type))
        builder, convention, result = self.builder, self.context.call_conv, signature.return_type
        kind = convention.get_function_type(result, signature.args)
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        args = self.fold_call_args(called, signature, call.args, call.vararg, call.kws)
        status, made = convention.call_function(builder, function, result, signature.args, args)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return fix_returning_optional(self.context, builder, signature, status, made)


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):  # type: ignore[misc]
    """As Numba's own, up to the point where machine code would be made."""

    _name = "inner_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return InnerLower

    def run_pass(self, state: Any) -> bool:
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made = state["cr"]
        # Calls are found by this object, so that each function needs one. There is nothing behind it to be called.
        name = made.fndesc.qualname
        stand_in = _dynfunc.make_function(made.fndesc.lookup_module(), name, name, 0, made.env, (state.library,))
        state.targetctx.insert_user_function(stand_in, made.fndesc, [state.library])
        state["cr"] = made._replace(cfunc=stand_in)
        return True


class InnerCompiler(CompilerBase):  # type: ignore[misc]
    """`njit(pipeline_class=InnerCompiler)`: the function can be called by compiled functions alone."""

    def define_pipelines(self) -> list[Any]:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (InnerLowering, told) if one is NativeLowering else (one, told) for one, told in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]
