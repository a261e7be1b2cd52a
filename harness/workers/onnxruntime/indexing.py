"""Operations that pick elements by indices, or place them."""

import numpy as np

from graph import constant_of, op
from layout import diagonal_places, to_the_end
from table import cast, number, only, operation, reshaped


@operation("gather.default")
def gather(x, dim, index, sparse_grad=False):
    if index.ndim == 0 or x.ndim == 0:
        flat = op.GatherElements(
            reshaped(x, x.shape or [1]), reshaped(index, index.shape or [1]),
            axis=dim)
        return reshaped(flat, index.shape)
    return op.GatherElements(x, index, axis=dim)


@operation("index_select.default")
def index_select(x, dim, index):
    picked = op.Gather(reshaped(x, x.shape or [1]),
                       reshaped(index, index.shape or [1]), axis=dim)
    return picked if x.ndim else reshaped(picked, [])


@operation("take.default")
def take(x, index):
    return op.Gather(reshaped(x, [x.size]), index, axis=0)


@operation("embedding.default")
def embedding(weight, index, padding_idx=-1, scale_grad_by_freq=False,
              sparse=False):
    return op.Gather(weight, index, axis=0)


def scattered(x, dim, index, updates, reduction="none"):
    """ScatterElements, which ONNX calls similar to torch's: each update has a
    place of its own, whose index along `dim` is given."""
    out = op.ScatterElements(
        reshaped(x, x.shape or [1]), reshaped(index, index.shape or [1]),
        reshaped(updates, updates.shape or [1]), axis=dim,
        reduction=reduction)
    return reshaped(out, x.shape)


def as_large(src, index):
    """The part of it that the index reaches."""
    if src.shape == index.shape:
        return src
    return op.Slice(src, [0] * src.ndim, list(index.shape))


@operation("scatter.src")
def scatter(x, dim, index, src):
    return scattered(x, dim, index, as_large(src, index))


@operation("scatter.value")
def scatter_value(x, dim, index, value):
    return scattered(x, dim, index, op.Expand(number(value, x.dtype),
                                              list(index.shape)))


@operation("scatter_add.default")
def scatter_add(x, dim, index, src):
    return scattered(x, dim, index, as_large(src, index), "add")


def whole(x, dim, index):
    """An index of slices, for each element of them."""
    shape = list(x.shape or [1])
    shape[dim] = index.size
    column = [1] * len(shape)
    column[dim] = index.size
    return op.Expand(reshaped(index, column), shape)


@operation("index_add.default")
def index_add(x, dim, index, src, alpha=1):
    only(alpha == 1, "what is scaled and added is rounded once in ATen")
    index = whole(x, dim, index)
    return scattered(x, dim, index,
                     reshaped(cast(src, x.dtype), index.shape), "add")


@operation("index_copy.default")
def index_copy(x, dim, index, src):
    index = whole(x, dim, index)
    return scattered(x, dim, index,
                     reshaped(cast(src, x.dtype), index.shape))


@operation("index_fill.int_Scalar")
def index_fill(x, dim, index, value):
    return scatter_value(x, dim, whole(x, dim, index), value)


@operation("slice_scatter.default")
def slice_scatter(x, src, dim=0, start=None, end=None, step=1):
    places = np.arange(x.shape[dim])[slice(start, end, step)]
    return index_copy(x, dim, constant_of(places, "i64"), src)


@operation("select_scatter.default")
def select_scatter(x, src, dim, index):
    places = np.array([index % x.shape[dim]])
    return index_copy(x, dim, constant_of(places, "i64"), src)


@operation("diagonal_scatter.default")
def diagonal_scatter(x, src, offset=0, dim1=0, dim2=1):
    moved, back = to_the_end(x, dim1, dim2)
    flat = reshaped(moved, [*moved.shape[:-2],
                            moved.shape[-2] * moved.shape[-1]])
    places = diagonal_places(*moved.shape[-2:], offset)
    out = index_copy(flat, -1, constant_of(np.array(places, np.int64), "i64"),
                     src)
    return op.Transpose(reshaped(out, moved.shape), perm=back)


