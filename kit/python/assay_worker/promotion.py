"""What ATen makes of operands of different dtypes and shapes.

https://docs.pytorch.org/docs/2.11/tensor_attributes.html#torch.dtype: tensors
of one dimension or more come first, then those of none, then Python's numbers;
a lower rank counts only where its category (bool, integer, float) is higher.
"""

from .dtypes import is_float
from .errors import Unsupported

INTEGERS = {"u8": (0, 8), "i8": (1, 8), "i16": (1, 16), "i32": (1, 32),
            "i64": (1, 64)}
FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
DEFAULT = {bool: "bool", int: "i64", float: "f32"}


def category(dtype):
    return 0 if dtype == "bool" else 2 if is_float(dtype) else 1


def promote_types(a, b):
    """Of two dtypes of one rank."""
    if a == b:
        return a
    for one, other in ((a, b), (b, a)):
        if category(one) > category(other):
            return one
    if a in FLOATS and b in FLOATS:
        if FLOATS[a] == FLOATS[b]:
            return "f32"
        return a if FLOATS[a] > FLOATS[b] else b
    if a in INTEGERS and b in INTEGERS:
        (signed_a, width_a), (signed_b, width_b) = INTEGERS[a], INTEGERS[b]
        if signed_a == signed_b or signed_a and width_a > width_b:
            return a if width_a >= width_b else b
        if signed_b and width_b > width_a:
            return b
        return "i16"  # u8 and i8
    raise Unsupported(f"{a} and {b} have no common dtype")


def promote(*operands):
    """The dtype of a result: of operands (dtype, rank) and Python's numbers."""
    ranks = [None, None, None]
    for operand in operands:
        if isinstance(operand, (bool, int, float)):
            place, dtype = 2, DEFAULT[type(operand)]
        else:
            dtype, rank = operand
            place = 0 if rank else 1
        known = ranks[place]
        ranks[place] = dtype if known is None else promote_types(known, dtype)
    result = None
    for dtype in ranks:
        if dtype is not None and (
                result is None or category(dtype) > category(result)):
            result = dtype
    return result


def broadcast(*shapes):
    """The common shape; None where there is none."""
    result = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        shape = [1] * (len(result) - len(shape)) + list(shape)
        for i, (a, b) in enumerate(zip(result, shape)):
            if a != b and 1 not in (a, b):
                return None
            result[i] = b if a == 1 else a
    return result
