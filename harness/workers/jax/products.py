"""Contractions and convolutions. What ATen rounds once and JAX would be made
to round twice (a product and a sum with something) has no entry."""

import jax.numpy as jnp
from jax import lax

from table import only, operation, together

NO_BIAS = "JAX has no product that is rounded after a bias is added"


@operation("mm.default", "bmm.default", "mv.default", "matmul.default")
def matmul(a, b):
    return jnp.matmul(a, b)


@operation("dot.default")
def dot(a, b):
    return jnp.dot(a, b)


@operation("outer.default")
def outer(a, b):
    return jnp.outer(*together(a, b))


@operation("linear.default")
def linear(x, weight, bias=None):
    only(bias is None, NO_BIAS)
    return jnp.matmul(x, weight.T if weight.ndim == 2 else weight)


@operation("conv2d.default")
def conv2d(x, weight, bias=None, stride=(1, 1), padding=(0, 0),
           dilation=(1, 1), groups=1):
    only(x.ndim == 4, "lax.conv_general_dilated has a batch")
    pair = [list(v) * (2 // len(v)) for v in (stride, padding, dilation)]
    only(bias is None, NO_BIAS)
    return lax.conv_general_dilated(
        x, weight, pair[0], [(p, p) for p in pair[1]], rhs_dilation=pair[2],
        dimension_numbers=("NCHW", "OIHW", "NCHW"), feature_group_count=groups)
