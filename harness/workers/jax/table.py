"""What the tables of operations stand on: how an ATen overload gets its JAX
expression, and the dtypes that ATen would compute in.

An entry takes the call's arguments, tensors as JAX's arrays and numbers as
Python's, and returns an array, or a tuple where the call has several outputs.
Where an operand's dtype is not that of the result, the cast that ATen makes is
written out. What JAX has no operation for has no entry: a composition of ours
would certify us and not XLA.
"""

import jax.numpy as jnp
import numpy as np
from assay_worker import promotion
from assay_worker.dtypes import NATIVE, is_float
from assay_worker.errors import Unsupported
from assay_worker.table import Table

OPERATIONS = Table()
operation = OPERATIONS.operation
DTYPES = {**{name: jnp.dtype(dtype) for name, dtype in NATIVE.items()},
          "bf16": jnp.dtype(jnp.bfloat16),
          "f8e4m3fn": jnp.dtype(jnp.float8_e4m3fn),
          "f8e5m2": jnp.dtype(jnp.float8_e5m2),
          "f8e4m3fnuz": jnp.dtype(jnp.float8_e4m3fnuz),
          "f8e5m2fnuz": jnp.dtype(jnp.float8_e5m2fnuz),
          "f8e8m0fnu": jnp.dtype(jnp.float8_e8m0fnu)}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def is_array(x):
    return hasattr(x, "dtype")


def name_of(x):
    return NAMES[jnp.dtype(x.dtype)]


def floats(x):
    return is_float(name_of(x))


def integers(x):
    return not floats(x) and name_of(x) != "bool"


def common_name(*operands):
    """Our name of the dtype that ATen's promotion gives."""
    return promotion.promote(*[
        (name_of(x), x.ndim) if is_array(x) else x for x in operands])


def cast(x, name):
    """An array, or a Python number, in the dtype of our name."""
    if is_array(x):
        return x if name_of(x) == name else x.astype(DTYPES[name])
    if isinstance(x, float) and not is_float(name):
        raise Unsupported(f"the number {x} as {name}")
    if not is_float(name) and name != "bool":  # ATen wraps
        width = 8 * DTYPES[name].itemsize
        x = int(x) % (1 << width)
        x = np.array(x, f"u{width // 8}").view(DTYPES[name])
    return jnp.asarray(x, DTYPES[name])


def together(*operands):
    """All in the common dtype."""
    name = common_name(*operands)
    return [cast(x, name) for x in operands]


def as_float(x):
    """Integers and bools in the default dtype, f32."""
    return x if floats(x) else x.astype(jnp.float32)


def floats_together(*operands):
    name = common_name(*operands)
    return [cast(x, name if is_float(name) else "f32") for x in operands]


def sum_name(x, dtype):
    """The dtype of a sum: of integers i64, unless one is asked for."""
    if dtype is not None:
        return dtype.name
    return name_of(x) if floats(x) else "i64"


def dims_of(dim, empty_is_all=True):
    """A list of dimensions as JAX's axis; all of them where it is none."""
    if dim is None or (empty_is_all and dim == []):
        return None
    return tuple(dim) if isinstance(dim, list) else dim


def only(condition, reason):
    """Is the operation's definition JAX's for these arguments?"""
    if not condition:
        raise Unsupported(reason)
