"""Operations that make tensors and move elements. What they need to know of
places is known when the model is built, and becomes constants."""

import math

import numpy as np

from graph import constant_of, op
from table import (cast, common_name, floats, number, only, operation,
                   reshaped)

FIRST, LAST = -(1 << 63), (1 << 63) - 1  # beyond every dimension's ends


@operation("view.default", "reshape.default", "_unsafe_view.default")
def reshape(x, size):
    known = math.prod(n for n in size if n != -1)
    return reshaped(x, [x.size // max(known, 1) if n == -1 else n
                        for n in size])


@operation("permute.default")
def permute(x, dims):
    # Of no dimension there is no order to write.
    if x.ndim == 0:
        return op.Identity(x)
    return op.Transpose(x, perm=[d % x.ndim for d in dims])


@operation("transpose.int")
def transpose(x, dim0, dim1):
    order = list(range(x.ndim))
    if order:
        order[dim0], order[dim1] = order[dim1], order[dim0]
    return permute(x, order)


@operation("expand.default")
def expand(x, size, implicit=False):
    kept = [1] * (len(size) - x.ndim) + list(x.shape)
    return op.Expand(x, [k if n == -1 else n for n, k in zip(size, kept)])


@operation("unsqueeze.default")
def unsqueeze(x, dim):
    return op.Unsqueeze(x, [dim])


@operation("squeeze.dim")
def squeeze(x, dim):
    if x.ndim == 0 or x.shape[dim] != 1:
        return x
    return op.Squeeze(x, [dim])


@operation("flatten.using_ints")
def flatten(x, start_dim=0, end_dim=-1):
    shape = list(x.shape) or [1]
    start, end = start_dim % len(shape), end_dim % len(shape)
    merged = math.prod(shape[start:end + 1])
    return reshaped(x, shape[:start] + [merged] + shape[end + 1:])


@operation("select.int")
def select(x, dim, index):
    return op.Gather(x, number(index, "i64"), axis=dim)


@operation("slice.Tensor")
def slice_(x, dim=0, start=None, end=None, step=1):
    # The clamping of ends is Python's here and there.
    return op.Slice(x, [0 if start is None else start],
                    [LAST if end is None else end], [dim], [step])


def in_common_type(tensors):
    name = common_name(*tensors)
    return [cast(t, name) for t in tensors]


@operation("cat.default")
def cat(tensors, dim=0):
    # ATen leaves out what has the shape [0].
    kept = [t for t in in_common_type(tensors) if t.shape != (0,)]
    return op.Concat(*(kept or in_common_type(tensors)), axis=dim)


@operation("stack.default")
def stack(tensors, dim=0):
    return op.Concat(*[op.Unsqueeze(t, [dim])
                       for t in in_common_type(tensors)], axis=dim)


@operation("flip.default")
def flip(x, dims):
    if not dims:
        return op.Identity(x)
    return op.Slice(x, [LAST] * len(dims), [FIRST] * len(dims), list(dims),
                    [-1] * len(dims))


@operation("roll.default")
def roll(x, shifts, dims=()):
    if not dims:
        only(len(shifts) == 1, "one shift, where no dimension is named")
        return reshaped(roll(reshaped(x, [x.size]), shifts, [0]), x.shape)
    for shift, dim in zip(shifts, dims):
        if x.size == 0:
            return op.Identity(x)
        cut = -shift % x.shape[dim]
        x = op.Concat(slice_(x, dim, cut, None), slice_(x, dim, 0, cut),
                      axis=dim)
    return x


@operation("rot90.default")
def rot90(x, k=1, dims=(0, 1)):
    first, second = dims
    if k % 4 == 0:
        return op.Identity(x)
    if k % 4 == 2:
        return flip(x, [first, second])
    if k % 4 == 1:
        return transpose(flip(x, [second]), first, second)
    return flip(transpose(x, first, second), [second])


@operation("repeat.default")
def repeat(x, repeats):
    x = reshaped(x, [1] * (len(repeats) - x.ndim) + list(x.shape))
    return op.Tile(x, list(repeats))


@operation("tril.default")
def tril(x, diagonal=0):
    return op.Trilu(x, number(diagonal, "i64"), upper=0)


@operation("triu.default")
def triu(x, diagonal=0):
    return op.Trilu(x, number(diagonal, "i64"), upper=1)


def diagonal_places(rows, columns, offset):
    """Of the elements of a diagonal, in the row-major matrix."""
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    start = max(-offset, 0) * columns + max(offset, 0)
    return [start + k * (columns + 1) for k in range(length)]


def to_the_end(x, dim1, dim2):
    """These two dimensions as the last two, and how to go back."""
    dims = [dim1 % x.ndim, dim2 % x.ndim]
    order = [d for d in range(x.ndim) if d not in dims] + dims
    return op.Transpose(x, perm=order), [order.index(d)
                                         for d in range(x.ndim)]


@operation("diagonal.default")
def diagonal(x, offset=0, dim1=0, dim2=1):
    x, _ = to_the_end(x, dim1, dim2)
    places = diagonal_places(*x.shape[-2:], offset)
    flat = reshaped(x, [*x.shape[:-2], x.shape[-2] * x.shape[-1]])
    return op.Gather(flat, places, axis=-1)


@operation("unfold.default")
def unfold(x, dimension, size, step):
    if x.ndim == 0:
        x = reshaped(x, [1])
        return op.Slice(x, [0], [size], [0], [1])
    dim = dimension % x.ndim
    starts = np.arange(0, x.shape[dim] - size + 1, step)
    windows = op.Gather(x, constant_of(
        starts[:, None] + np.arange(size), "i64"), axis=dim)
    order = [d for d in range(x.ndim + 1) if d != dim + 1] + [dim + 1]
    return op.Transpose(windows, perm=order)


@operation("constant_pad_nd.default")
def constant_pad_nd(x, pad, value=0):
    return padded(x, pad, constant=cast(value, x.dtype))


def padded(x, pad, mode=None, constant=None):
    """ATen's list begins with the last dimension."""
    if x.ndim == 0:
        return op.Identity(x)
    before, after = [0] * x.ndim, [0] * x.ndim
    for i in range(len(pad) // 2):
        before[-1 - i], after[-1 - i] = pad[2 * i], pad[2 * i + 1]
    return op.Pad(x, before + after, constant, mode=mode)


def pad_with(mode):
    def pad(x, padding):
        only(min(padding) >= 0, "ONNX says of constant padding alone what a "
             "negative one is")
        return padded(x, padding, mode)
    return pad


for rank in ("1d", "2d"):
    operation(f"reflection_pad{rank}.default")(pad_with("reflect"))
    operation(f"replication_pad{rank}.default")(pad_with("edge"))


def as_images(x):
    """With one batch dimension."""
    return reshaped(x, [math.prod(x.shape[:-3]), *x.shape[-3:]])


# Both of PyTorch's orders are CRD.
@operation("pixel_shuffle.default")
def pixel_shuffle(x, factor):
    out = op.DepthToSpace(as_images(x), blocksize=factor, mode="CRD")
    return reshaped(out, [*x.shape[:-3], *out.shape[-3:]])


@operation("pixel_unshuffle.default")
def pixel_unshuffle(x, factor):
    out = op.SpaceToDepth(as_images(x), blocksize=factor, mode="CRD")
    return reshaped(out, [*x.shape[:-3], *out.shape[-3:]])


@operation("channel_shuffle.default")
def channel_shuffle(x, groups):
    rest = list(x.shape[2:])
    split = reshaped(x, [x.shape[0], groups, x.shape[1] // groups, *rest])
    order = [0, 2, 1, *range(3, 3 + len(rest))]
    return reshaped(op.Transpose(split, perm=order), x.shape)


@operation("full.default")
def full(size, fill_value, dtype=None):
    name = dtype.name if dtype else {bool: "bool", int: "i64",
                                     float: "f32"}[type(fill_value)]
    return op.Expand(cast(fill_value, name), list(size))


@operation("zeros_like.default")
def zeros_like(x, dtype=None):
    name = dtype.name if dtype else x.dtype
    return op.Expand(number(0, name), list(x.shape))


@operation("arange.start_step")
def arange(start, end, step=1, dtype=None):
    some_float = any(isinstance(n, float) for n in (start, end, step))
    name = dtype.name if dtype else "f32" if some_float else "i64"
    bounds = [number(n, name) for n in (start, end, step)]
    only(not floats(bounds[0]) or name == "f64",
         "in ONNX's type the count of elements could be another")
    return op.Range(*bounds)


@operation("diag_embed.default")
def diag_embed(x, offset=0, dim1=-2, dim2=-1):
    """A matrix of zeros, but for a diagonal."""
    rank, length = x.ndim + 1, x.shape[-1] + abs(offset)
    place = np.full((length, length), False)
    index = np.arange(x.shape[-1])
    place[index + max(-offset, 0), index + max(offset, 0)] = True
    rows = op.Pad(x, [0] * (x.ndim - 1) + [max(offset, 0)]
                  + [0] * (x.ndim - 1) + [max(-offset, 0)],
                  number(0, x.dtype))
    matrix = op.Where(constant_of(place, "bool"), op.Unsqueeze(rows, [-2]),
                      number(0, x.dtype))
    order = [d for d in range(rank) if d not in (dim1 % rank, dim2 % rank)]
    order += [dim1 % rank, dim2 % rank]
    return op.Transpose(matrix, perm=[order.index(d) for d in range(rank)])
