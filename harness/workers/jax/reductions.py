"""Reductions, scans and sorting."""

import math

import jax
import jax.numpy as jnp
from assay_worker.dtypes import is_float
from jax import lax

from table import (DTYPES, as_float, cast, dims_of, name_of, only, operation,
                   sum_name)


def asked(name):
    """jnp widens narrow integers where it is not told the dtype of a sum, and
    sums in the 16-bit floats where it is told them."""
    return None if is_float(name) else DTYPES[name]


@operation("sum.default")
def sum_all(x, dtype=None):
    name = sum_name(x, dtype)
    return jnp.sum(cast(x, name), dtype=asked(name))


@operation("sum.dim_IntList")
def sum_dims(x, dim=None, keepdim=False, dtype=None):
    name = sum_name(x, dtype)
    return jnp.sum(cast(x, name), dims_of(dim), dtype=asked(name),
                   keepdims=keepdim)


@operation("nansum.default")
def nansum(x, dim=None, keepdim=False, dtype=None):
    name = sum_name(x, dtype)
    return jnp.nansum(cast(x, name), dims_of(dim), dtype=asked(name),
                      keepdims=keepdim)


@operation("mean.default")
def mean_all(x, dtype=None):
    return jnp.mean(cast(x, dtype.name if dtype else name_of(x)))


@operation("mean.dim")
def mean_dims(x, dim=None, keepdim=False, dtype=None):
    return jnp.mean(cast(x, dtype.name if dtype else name_of(x)),
                    dims_of(dim), keepdims=keepdim)


@operation("prod.default")
def prod_all(x):
    return jnp.prod(cast(x, sum_name(x, None)))


@operation("prod.dim_int")
def prod_dim(x, dim, keepdim=False):
    return jnp.prod(cast(x, sum_name(x, None)), dim, keepdims=keepdim)


@operation("trace.default")
def trace(x):
    return jnp.trace(cast(x, sum_name(x, None)))


@operation("amax.default")
def amax(x, dim=None, keepdim=False):
    return jnp.max(x, dims_of(dim), keepdims=keepdim)


@operation("amin.default")
def amin(x, dim=None, keepdim=False):
    return jnp.min(x, dims_of(dim), keepdims=keepdim)


@operation("max.default")
def max_all(x):
    return jnp.max(x)


@operation("min.default")
def min_all(x):
    return jnp.min(x)


@operation("aminmax.default")
def aminmax(x, dim=None, keepdim=False):
    return (jnp.min(x, dim, keepdims=keepdim),
            jnp.max(x, dim, keepdims=keepdim))


# Of equal elements jnp's is the first; ATen leaves the index open in max.dim.
@operation("argmax.default")
def argmax(x, dim=None, keepdim=False):
    return jnp.argmax(x, dim, keepdims=keepdim)


@operation("argmin.default")
def argmin(x, dim=None, keepdim=False):
    return jnp.argmin(x, dim, keepdims=keepdim)


@operation("max.dim")
def max_dim(x, dim, keepdim=False):
    return (jnp.max(x, dim, keepdims=keepdim),
            jnp.argmax(x, dim, keepdims=keepdim))


@operation("min.dim")
def min_dim(x, dim, keepdim=False):
    return (jnp.min(x, dim, keepdims=keepdim),
            jnp.argmin(x, dim, keepdims=keepdim))


@operation("all.default", "all.dim", "all.dims")
def all_of(x, dim=None, keepdim=False):
    only(name_of(x) != "u8", "of u8 ATen's result is u8")
    return jnp.all(x, dims_of(dim, False), keepdims=keepdim)


@operation("any.default", "any.dim", "any.dims")
def any_of(x, dim=None, keepdim=False):
    only(name_of(x) != "u8", "of u8 ATen's result is u8")
    return jnp.any(x, dims_of(dim, False), keepdims=keepdim)


@operation("count_nonzero.default", "count_nonzero.dim_IntList")
def count_nonzero(x, dim=None):
    return jnp.count_nonzero(x, dims_of(dim))


def degrees(x, dim, correction):
    """jnp's ddof, where jnp divides by what is left."""
    ddof = 1 if correction is None else correction
    left = x.size if dims_of(dim) is None else math.prod(
        x.shape[d] for d in dims_of(dim))
    only(left > ddof, "of no degree of freedom jnp's variance is NaN")
    return ddof


@operation("var.correction")
def var(x, dim=None, correction=1, keepdim=False):
    return jnp.var(x, dims_of(dim), ddof=degrees(x, dim, correction),
                   keepdims=keepdim)


@operation("std.correction")
def std(x, dim=None, correction=1, keepdim=False):
    return jnp.std(x, dims_of(dim), ddof=degrees(x, dim, correction),
                   keepdims=keepdim)


@operation("var_mean.correction")
def var_mean(x, dim=None, correction=1, keepdim=False):
    return (var(x, dim, correction, keepdim),
            jnp.mean(x, dims_of(dim), keepdims=keepdim))


@operation("std_mean.correction")
def std_mean(x, dim=None, correction=1, keepdim=False):
    return (std(x, dim, correction, keepdim),
            jnp.mean(x, dims_of(dim), keepdims=keepdim))


@operation("linalg_vector_norm.default")
def vector_norm(x, ord=2, dim=None, keepdim=False):
    return jnp.linalg.vector_norm(x, ord=ord, axis=dims_of(dim),
                                  keepdims=keepdim)


@operation("logsumexp.default")
def logsumexp(x, dim, keepdim=False):
    return jax.nn.logsumexp(as_float(x), dims_of(dim), keepdims=keepdim)


@operation("softmax.int")
def softmax(x, dim):
    return jax.nn.softmax(x, dim)


@operation("_softmax.default")
def softmax_default(x, dim, half_to_float):
    only(not half_to_float, "half_to_float")
    return jax.nn.softmax(x, dim)


@operation("log_softmax.int")
def log_softmax(x, dim):
    return jax.nn.log_softmax(x, dim)


@operation("_log_softmax.default")
def log_softmax_default(x, dim, half_to_float):
    only(not half_to_float, "half_to_float")
    return jax.nn.log_softmax(x, dim)


def at_least_1d(x):
    only(x.ndim > 0, "JAX's has no 0-d operand")
    return x


@operation("cumsum.default")
def cumsum(x, dim, dtype=None):
    return jnp.cumsum(cast(at_least_1d(x), sum_name(x, dtype)), dim)


@operation("cumprod.default")
def cumprod(x, dim):
    return jnp.cumprod(cast(at_least_1d(x), sum_name(x, None)), dim)


@operation("logcumsumexp.default")
def logcumsumexp(x, dim):
    return lax.cumlogsumexp(at_least_1d(x), dim % x.ndim)


@operation("sort.default")
def sort(x, dim=-1, descending=False):
    return sort_stable(x, stable=True, dim=dim, descending=descending)


@operation("sort.stable")
def sort_stable(x, stable=True, dim=-1, descending=False):
    at_least_1d(x)
    order = jnp.argsort(x, dim, stable=True, descending=descending)
    return jnp.take_along_axis(x, order, dim), order


@operation("topk.default")
def topk(x, k, dim=-1, largest=True, sorted=True):
    at_least_1d(x)
    only(largest, "lax.top_k takes the largest")
    values, places = lax.top_k(x, k, axis=dim % x.ndim)
    return values, places.astype(jnp.int64)


@operation("searchsorted.Tensor")
def searchsorted(s, x, out_int32=False, right=False, side=None, sorter=None):
    only(s.ndim == 1 and sorter is None, "jnp.searchsorted is of one dimension")
    found = jnp.searchsorted(
        s, x, side="right" if right or side == "right" else "left")
    return found.astype(jnp.int32 if out_int32 else jnp.int64)


@operation("bucketize.Tensor")
def bucketize(x, boundaries, out_int32=False, right=False):
    return searchsorted(boundaries, x, out_int32, right)
