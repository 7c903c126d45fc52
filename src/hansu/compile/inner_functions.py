"""Inner functions: functions that only compiled code calls. They are compiled only as part of their callers.

By default, Numba optimises and emits every compiled function together with everything that it calls, and adds wrappers
for callers in Python and C. Here only the functions that Python calls are optimised, emitted and cached, together with
everything that they reach. An inner function stays unoptimised LLVM code until then. An engine of eighty functions
compiles in two thirds of the time, other players in half (docs/lab/core_contract.md).

This is a custom Numba pipeline (`pipeline_class`). Only its code library and its calls between mutually recursive
functions differ from Numba's. Imported only when something is compiled.
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

from hansu.compile.lowering_types import NumbaType, Signature, Value
from hansu.compile.native import MUTUAL_RECURSION, Dispatcher


class InnerLibrary(CPUCodeLibrary):  # type: ignore[misc]
    """The code of an inner function. It is linked into its callers' code and never emitted itself."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        # Callees that are still being compiled: dispatcher, argument types, expected return type.
        self.pending: list[tuple[Dispatcher, tuple[NumbaType, ...], NumbaType]] = []

    def finalize(self) -> None:
        self._finalized = True

    def callees(self) -> Iterator[CPUCodeLibrary]:
        """The libraries of all functions that this one calls."""
        yield from self._linking_libraries
        for dispatcher, args, expected in self.pending:
            overload = dispatcher.overloads[args]
            actual = overload.signature.return_type
            if actual != expected:
                name = dispatcher.py_func.__name__
                raise TypingError(f"{name}: {MUTUAL_RECURSION} return {expected} here, {actual} there")
            yield overload.library

    def _get_module_for_linking(self) -> Any:
        reached: list[CPUCodeLibrary] = [self]
        for library in reached:
            if isinstance(library, InnerLibrary):
                reached += [other for other in dict.fromkeys(library.callees()) if other not in reached]
        module = self._final_module.clone()
        # External functions are all linked; of the others, only those that were called before they are linked.
        for library in reached[1:]:
            if isinstance(library, InnerLibrary):
                module.link_in(library._final_module, preserve=True)
        for library in reached:
            if not isinstance(library, InnerLibrary):
                module.link_in(library._get_module_for_linking(), preserve=True)
        for function in module.functions:
            if function.is_declaration:
                assert not function.name.startswith("_ZN"), f"{function.name} is called but missing"
            elif function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"  # two callers may contain it; inlined ones may be dropped
        return module


def set_environments(dispatcher: Dispatcher) -> None:
    """Set the environments of the inner functions that are part of this function's code.

    An environment holds the constants that a function prints or raises. Numba sets it when it emits or loads machine
    code, which it never does for inner functions.
    """
    for overload in dispatcher.overloads.values():
        for environment in overload._find_referenced_environments():
            overload.library.codegen.set_env(environment.env_name, environment)


class InnerLower(Lower):  # type: ignore[misc]
    """Calls mutually recursive inner functions by name, since they end up in the same caller's code.

    Numba instead stores a pointer once both are loaded. Its cache loses that pointer: cached functions crashed.
    """

    def _lower_call_RecursiveCall(self, callee: Any, call: Any, signature: Signature) -> Value:
        overload = callee.get_overloads(signature.args)
        mangler = self.context.mangler or default_mangler
        name = mangler(overload.qualname, signature.args, abi_tags=self.fndesc.abi_tags, uid=overload.uid)
        if self.builder.function.name.startswith(name):
            return super()._lower_call_RecursiveCall(callee, call, signature)
        self.library.pending.append((callee.dispatcher_type.dispatcher, tuple(signature.args), signature.return_type))
        builder, convention, result = self.builder, self.context.call_conv, signature.return_type
        kind = convention.get_function_type(result, signature.args)
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        args = self.fold_call_args(callee, signature, call.args, call.vararg, call.kws)
        status, value = convention.call_function(builder, function, result, signature.args, args)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return fix_returning_optional(self.context, builder, signature, status, value)


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):  # type: ignore[misc]
    """Numba's lowering, up to the point where machine code would be emitted."""

    _name = "inner_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return InnerLower

    def run_pass(self, state: Any) -> bool:
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        result = state["cr"]
        # Numba looks up callees by a C function object, so each function needs one. It has no code to call.
        name = result.fndesc.qualname
        placeholder = _dynfunc.make_function(result.fndesc.lookup_module(), name, name, 0, result.env, (state.library,))
        state.targetctx.insert_user_function(placeholder, result.fndesc, [state.library])
        state["cr"] = result._replace(cfunc=placeholder)
        return True


class InnerCompiler(CompilerBase):  # type: ignore[misc]
    """`njit(pipeline_class=InnerCompiler)`: only compiled functions can call the result."""

    def define_pipelines(self) -> list[Any]:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (InnerLowering if step is NativeLowering else step, description) for step, description in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]
