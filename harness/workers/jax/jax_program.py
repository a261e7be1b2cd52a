"""Programs as functions of JAX, compiled whole by jax.jit."""

import jax
import jax.numpy as jnp
import numpy as np
from assay_worker.dtypes import UNSIGNED, itemsize
from assay_worker.errors import Failure, Unsupported
from assay_worker.program import Value

import layout  # noqa: F401: the tables fill OPERATIONS
import pointwise  # noqa: F401
import products  # noqa: F401
import reductions  # noqa: F401
from table import DTYPES, OPERATIONS


def constant_of(constant):
    bits = np.array(constant.bits, UNSIGNED[itemsize(constant.dtype)])
    return array_of(bits.reshape(constant.sizes), constant.dtype)


def array_of(bits, dtype):
    """numpy's array of bits in a dtype of JAX."""
    if dtype == "bool":
        return bits != 0
    return bits.view(DTYPES[dtype])


def function_of(program):
    """What jax.jit is given: the constants are captured."""
    constants = {c.id: constant_of(c) for c in program.constants}

    def function(*inputs):
        values = dict(enumerate(inputs))
        values.update({n: jnp.asarray(c) for n, c in constants.items()})

        def argument(a):
            if isinstance(a, list):
                return [argument(one) for one in a]
            return values[a.id] if isinstance(a, Value) else a

        for call in program.calls:
            result = OPERATIONS[call.op](
                *(argument(a) for a in call.args),
                **{k: argument(a) for k, a in call.kwargs.items()})
            if not isinstance(result, tuple):
                result = (result,)
            for number, one in zip(call.results, result, strict=True):
                if number is not None:
                    values[number] = one
        return tuple(values[n] for n in program.outputs)

    return function


def check_operations(program):
    for call in program.calls:
        if call.op not in OPERATIONS:
            raise Unsupported(
                f"{call.op}: JAX has no operation of the same definition, or "
                "the table has none yet")


class Compiled:
    """One program's executable."""

    def __init__(self, program):
        check_operations(program)
        self.program = program
        shapes = [jax.ShapeDtypeStruct(t.sizes, DTYPES[t.dtype])
                  for t in program.inputs]
        try:
            self.lowered = jax.jit(function_of(program)).lower(*shapes)
            self.executable = self.lowered.compile()
        except (TypeError, ValueError, NotImplementedError) as e:
            # What jnp and lax do not take: no operation of ATen's definition.
            raise Unsupported(f"JAX: {first_line(e)}") from e
        except jax.errors.JaxRuntimeError as e:
            if "UNIMPLEMENTED" in str(e):
                raise Unsupported(f"XLA: {first_line(e)}") from e
            raise Failure("internal", f"XLA: {first_line(e)}") from e
        self.dtypes = [t.dtype for t in program.inputs]

    def __call__(self, inputs):
        """Of arrays of bits; bits of the results, with our names of dtypes."""
        arrays = [array_of(bits, dtype)
                  for bits, dtype in zip(inputs, self.dtypes)]
        return [np.asarray(r) for r in self.executable(*arrays)]


def first_line(error):
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
