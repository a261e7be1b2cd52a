"""Reductions, scans and sorting."""

import math

from graph import op
from table import (as_float, cast, floats, number, only, operation, reshaped,
                   sum_name)


def axes_of(x, dim):
    """A list of dimensions; all of them where it is none, as in ONNX. What
    has no dimension has one by ATen, and none by ONNX."""
    if dim is None or x.ndim == 0:
        return []
    return dim if isinstance(dim, list) else [dim]


def reduced(kind, x, dim, keepdim=False, **attributes):
    return getattr(op, kind)(x, axes_of(x, dim), keepdims=int(keepdim),
                             **attributes)


@operation("sum.default")
def sum_all(x, dtype=None):
    return reduced("ReduceSum", cast(x, sum_name(x, dtype)), None)


@operation("sum.dim_IntList")
def sum_dims(x, dim=None, keepdim=False, dtype=None):
    return reduced("ReduceSum", cast(x, sum_name(x, dtype)), dim, keepdim)


@operation("nansum.default")
def nansum(x, dim=None, keepdim=False, dtype=None):
    x = cast(x, sum_name(x, dtype))
    if floats(x):
        x = op.Where(op.IsNaN(x), number(0, x.dtype), x)
    return reduced("ReduceSum", x, dim, keepdim)


def counted(x, dim):
    """How many elements each result is of."""
    return math.prod(x.shape[d] for d in axes_of(x, dim) or range(x.ndim))


@operation("mean.dim")
def mean_dims(x, dim=None, keepdim=False, dtype=None):
    only(counted(x, dim) > 0, "ONNX leaves the mean of nothing undefined")
    return reduced("ReduceMean", cast(x, dtype.name if dtype else x.dtype),
                   dim, keepdim)


@operation("mean.default")
def mean_all(x, dtype=None):
    return mean_dims(x, None, False, dtype)


@operation("prod.default")
def prod_all(x):
    return reduced("ReduceProd", cast(x, sum_name(x, None)), None)


@operation("prod.dim_int")
def prod_dim(x, dim, keepdim=False):
    return reduced("ReduceProd", cast(x, sum_name(x, None)), dim, keepdim)


@operation("amax.default")
def amax(x, dim=None, keepdim=False):
    return reduced("ReduceMax", x, dim, keepdim)


@operation("amin.default")
def amin(x, dim=None, keepdim=False):
    return reduced("ReduceMin", x, dim, keepdim)


@operation("max.default")
def max_all(x):
    return amax(x)


@operation("min.default")
def min_all(x):
    return amin(x)


@operation("aminmax.default")
def aminmax(x, dim=None, keepdim=False):
    return amin(x, dim, keepdim), amax(x, dim, keepdim)


def at_least_1d(x):
    return reshaped(x, x.shape or [1])


def place_of(kind, x, dim, keepdim):
    """The first of equal elements', by ONNX; ATen's, too."""
    shape = x.shape
    if dim is None:
        x, dim = reshaped(x, [x.size]), 0
        shape = [1] * len(shape) if keepdim else []
    else:
        shape = [1 if k == dim % len(shape) else n
                 for k, n in enumerate(shape)
                 if keepdim or k != dim % len(shape)] if shape else []
    place = getattr(op, kind)(at_least_1d(x), axis=dim, keepdims=1)
    return reshaped(place, shape)


@operation("argmax.default")
def argmax(x, dim=None, keepdim=False):
    return place_of("ArgMax", x, dim, keepdim)


@operation("argmin.default")
def argmin(x, dim=None, keepdim=False):
    return place_of("ArgMin", x, dim, keepdim)


@operation("max.dim")
def max_dim(x, dim, keepdim=False):
    return amax(x, dim, keepdim), argmax(x, dim, keepdim)


@operation("min.dim")
def min_dim(x, dim, keepdim=False):
    return amin(x, dim, keepdim), argmin(x, dim, keepdim)


def truth(kind):
    """Of bools False < True: all is the least and any the greatest."""
    def entry(x, dim=None, keepdim=False):
        found = reduced(kind, cast(x, "bool"), dim, keepdim,
                        noop_with_empty_axes=int(dim == []))
        return cast(found, "u8" if x.dtype == "u8" else "bool")
    return entry


for name, kind in (("all", "ReduceMin"), ("any", "ReduceMax")):
    operation(*[f"{name}.{o}" for o in ("default", "dim", "dims")])(
        truth(kind))


@operation("count_nonzero.default", "count_nonzero.dim_IntList")
def count_nonzero(x, dim=None):
    return reduced("ReduceSum", cast(cast(x, "bool"), "i64"), dim)


@operation("linalg_vector_norm.default")
def vector_norm(x, ord=2, dim=None, keepdim=False, dtype=None):
    x = cast(x, dtype.name) if dtype else x
    if ord == 0:
        there = op.Not(op.Equal(x, number(0, x.dtype)))
        return reduced("ReduceSum", cast(there, x.dtype), dim, keepdim)
    if abs(ord) == math.inf:
        kind = "ReduceMax" if ord > 0 else "ReduceMin"
        only(ord > 0 or counted(x, dim) > 0, "the least of nothing")
        return reduced(kind, op.Abs(x), dim, keepdim)
    only(ord in (1, 2), "ONNX's norms are of order 1 and 2")
    return reduced(f"ReduceL{int(ord)}", x, dim, keepdim)


@operation("logsumexp.default")
def logsumexp(x, dim, keepdim=False):
    return reduced("ReduceLogSumExp", as_float(x), dim, keepdim)


def along(kind, x, dim):
    return reshaped(getattr(op, kind)(at_least_1d(x), axis=dim), x.shape)


@operation("softmax.int", "_softmax.default")
def softmax(x, dim, half_to_float=False):
    only(not half_to_float, "half_to_float")
    return along("Softmax", x, dim)


@operation("log_softmax.int", "_log_softmax.default")
def log_softmax(x, dim, half_to_float=False):
    only(not half_to_float, "half_to_float")
    return along("LogSoftmax", x, dim)


def scanned(kind, x, dim, name):
    x = cast(x, name)
    scan = getattr(op, kind)(at_least_1d(x), number(dim, "i64"))
    return reshaped(scan, x.shape)


@operation("cumsum.default")
def cumsum(x, dim, dtype=None):
    return scanned("CumSum", x, dim, sum_name(x, dtype))


@operation("cumprod.default")
def cumprod(x, dim, dtype=None):
    return scanned("CumProd", x, dim, sum_name(x, dtype))


@operation("topk.default")
def topk(x, k, dim=-1, largest=True, sorted=True):
    # Of unsorted ones the order is ATen's to choose, and of equal ones which:
    # ONNX's is a choice that ATen could make.
    only(k > 0, "ONNX's K is positive")
    shape = [k if d == dim % x.ndim else n for d, n in enumerate(x.shape)]
    found = op.TopK(at_least_1d(x), [k], axis=dim, largest=int(largest),
                    sorted=int(sorted), outputs=2)
    return tuple(reshaped(one, shape) for one in found)


@operation("sort.stable")
def sort_stable(x, stable=True, dim=-1, descending=False):
    """All of them; of equal ones ONNX's TopK puts the first one first."""
    return topk(x, x.shape[dim] if x.ndim else 1, dim, descending)


@operation("sort.default")
def sort(x, dim=-1, descending=False):
    return sort_stable(x, True, dim, descending)


@operation("kthvalue.default")
def kthvalue(x, k, dim=-1, keepdim=False):
    """The last of the k least."""
    at = number(k - 1, "i64")
    if keepdim:
        at = reshaped(at, [1])
    values, places = topk(x, k, dim, False)
    if x.ndim == 0:
        return values, places
    return op.Gather(values, at, axis=dim), op.Gather(places, at, axis=dim)
