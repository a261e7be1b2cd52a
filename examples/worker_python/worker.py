#!/usr/bin/env python3
"""A worker of a handful of operations in numpy.

    ./assay run abs add neg relu sub \
      --subject worker:examples/worker_python/worker.py
"""

import pathlib
import sys

import numpy as np

# An installed kit is found by PYTHONPATH=PREFIX/share/assay/python.
sys.path.insert(
    0, str(pathlib.Path(__file__).resolve().parents[2] / "kit" / "python"))

from assay_worker import dtypes, promotion, worker
from assay_worker.errors import Refused, Unsupported
from assay_worker.program import Value


class Array:
    """A value of the program: a dtype of the protocol, and numpy's array."""

    def __init__(self, dtype, values):
        self.dtype, self.values = dtype, values

    @property
    def operand(self):
        return self.dtype, self.values.ndim


def result_of(dtype, values):
    """Rounded once: where the dtype is a narrow float, numpy has computed in
    f32, and to round that again gives the nearest of the exact result too."""
    return Array(dtype, dtypes.round_to(values, dtype))


def check_type(dtype):
    """Eager stores and converts these types, and computes in none of them."""
    if dtype.startswith("f8") or dtype in ("u16", "u32", "u64"):
        raise Unsupported(f"nothing is computed in {dtype}")


def check_operand(name, x):
    if x.dtype == "bool":
        raise Refused("RuntimeError", f"{name} is not defined for bool")
    check_type(x.dtype)


def operands(a, b):
    """Both in the common dtype, as ATen's promotion has it."""
    of = [v.operand if isinstance(v, Array) else v for v in (a, b)]
    dtype = promotion.promote(*of)
    check_type(dtype)
    values = [v.values if isinstance(v, Array) else np.array(v)
              for v in (a, b)]
    if promotion.broadcast(*(list(v.shape) for v in values)) is None:
        raise Refused("RuntimeError", "the shapes "
                      f"{values[0].shape} and {values[1].shape} differ")
    return dtype, *(dtypes.round_to(v, dtype) for v in values)


def check_alpha(dtype, alpha):
    if isinstance(alpha, float) and not dtypes.is_float(dtype):
        raise Refused("RuntimeError", "for integers alpha must be one, too")
    if isinstance(alpha, bool) and dtype != "bool":
        raise Refused("RuntimeError", "a bool alpha is for bools only")
    if alpha != 1:
        raise Unsupported(f"alpha={alpha}: only 1 is")


def add(a, b, alpha=1):
    dtype, x, y = operands(a, b)
    check_alpha(dtype, alpha)
    return result_of(dtype, x + y)


def sub(a, b, alpha=1):
    for operand in (a, b):
        if isinstance(operand, bool):
            raise Refused("RuntimeError", "sub is not defined for bool")
        if isinstance(operand, Array):
            check_operand("sub", operand)
    dtype, x, y = operands(a, b)
    check_alpha(dtype, alpha)
    return result_of(dtype, x - y)


def neg(x):
    check_operand("neg", x)
    return result_of(x.dtype, -x.values)


def absolute(x):
    check_operand("abs", x)
    return result_of(x.dtype, np.abs(x.values))


def relu(x):
    check_operand("relu", x)
    return result_of(x.dtype, np.maximum(x.values, 0))  # keeps NaN


def to_copy(x, dtype):
    return result_of(dtype.name, x.values)


OPERATIONS = {"aten.add.Tensor": add, "aten.sub.Tensor": sub,
              "aten.neg.default": neg, "aten.abs.default": absolute,
              "aten.relu.default": relu, "aten._to_copy.default": to_copy}


class NumpyWorker(worker.Worker):
    """Executes programs of some pointwise operations with numpy."""

    name = "numpy"
    version = np.__version__

    def compile(self, program):
        for call in program.calls:
            if call.op not in OPERATIONS:
                raise Unsupported(f"{call.op} is not implemented")
            if "memory_format" in call.kwargs:
                raise Unsupported("memory formats are not implemented")
        return program

    def run(self, program, inputs, scratch):
        values = [Array(tensor["dtype"], array) for tensor, array
                  in zip(inputs, self.memory.read(inputs))]
        for constant in program.constants:
            bits = np.array(constant.bits, dtypes.UNSIGNED[
                dtypes.itemsize(constant.dtype)]).reshape(constant.sizes)
            values.append(Array(constant.dtype,
                                dtypes.from_bits(bits, constant.dtype)))

        def argument(a):
            return values[a.id] if isinstance(a, Value) else a

        for call in program.calls:  # in the order of their ids
            with np.errstate(all="ignore"):
                values.append(OPERATIONS[call.op](
                    *(argument(a) for a in call.args),
                    **{k: argument(a) for k, a in call.kwargs.items()}))
        results = [values[n] for n in program.outputs]
        return self.memory.write([(r.dtype, r.values) for r in results],
                                 scratch)


if __name__ == "__main__":
    worker.main(NumpyWorker)
