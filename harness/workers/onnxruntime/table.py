"""What the tables of operations stand on: how an ATen overload gets its nodes
of ONNX, and the dtypes that ATen would compute in.

An entry takes the call's arguments, tensors as operands and numbers as
Python's, and returns an operand, or a tuple where the call has several
outputs. ONNX promotes nothing, so the casts that ATen makes are written out.
Where ONNX has an operator of ATen's definition, that one node is the entry.
Where it has none, an entry composes only what is exact (selections, moves,
bits, integers), or what PyTorch's documentation defines by functions that are
operators; of narrow floats such a composition is computed in f32, ATen's
opmath. Anything else is unsupported: it would judge us and not the runtime.
"""

import numpy as np
from assay_worker import promotion
from assay_worker.dtypes import UNSIGNED, is_float, itemsize, to_bits
from assay_worker.errors import Unsupported
from assay_worker.table import Table

from graph import TYPES, Graph, Operand, constant_of, op

OPERATIONS = Table()
operation = OPERATIONS.operation


def is_operand(x):
    return isinstance(x, Operand)


def floats(x):
    return is_float(x.dtype)


def integers(x):
    return not floats(x) and x.dtype != "bool"


def common_name(*operands):
    """Our name of the dtype that ATen's promotion gives."""
    return promotion.promote(*[
        (x.dtype, x.ndim) if is_operand(x) else x for x in operands])


def number(value, name):
    """A 0-d constant; ATen wraps a whole number to an integer's width."""
    if is_float(name) or name == "bool":
        return constant_of(value, name)
    if isinstance(value, float):
        raise Unsupported(f"the number {value} as {name}")
    width = 8 * itemsize(name)
    bits = np.array(int(value) % (1 << width), UNSIGNED[width // 8])
    return Graph.current.constant(bits, name)


def cast(x, name):
    """An operand, or a Python number, in the dtype of our name."""
    if not is_operand(x):
        return number(x, name)
    if x.dtype == name:
        return x
    # As PyTorch's casts to 8-bit floats: beyond the largest number is NaN or
    # infinity. Both attributes mean nothing for other types.
    narrow = name.startswith("f8") or None
    return op.Cast(x, to=TYPES[name], saturate=0 if narrow else None,
                   round_mode="nearest" if name == "f8e8m0fnu" else None)


def together(*operands):
    """All in the common dtype."""
    name = common_name(*operands)
    return [cast(x, name) for x in operands]


def as_float(x):
    """Integers and bools in the default dtype, f32."""
    return x if floats(x) else cast(x, "f32")


def floats_together(*operands):
    name = common_name(*operands)
    return [cast(x, name if is_float(name) else "f32") for x in operands]


def widened(x):
    """In opmath: what is narrower than f32 as f32."""
    return cast(x, "f32") if floats(x) and itemsize(x.dtype) < 4 else x


def in_opmath(function):
    """A composition whose steps round once, at its end, to the dtype of its
    operands."""
    def composed(*operands):
        result = function(*map(widened, operands))
        return cast(result, operands[0].dtype)
    return composed


def sum_name(x, dtype):
    """The dtype of a sum: of integers i64, unless one is asked for."""
    if dtype is not None:
        return dtype.name
    return x.dtype if floats(x) else "i64"


def attribute(value, name):
    """A number as an attribute, which ONNX keeps in f32: ATen's opmath of
    all types but f64."""
    rounded = float(to_bits(np.float64(value), "f32").view(np.float32))
    only(name != "f64" or rounded == value,
         f"ONNX's attribute is an f32, and {value} none")
    return rounded


def reshaped(x, shape):
    if tuple(shape) == x.shape:
        return x
    return op.Reshape(x, [int(n) for n in shape], allowzero=1)


def only(condition, reason):
    """Is the operation's definition ONNX's for these arguments?"""
    if not condition:
        raise Unsupported(reason)
