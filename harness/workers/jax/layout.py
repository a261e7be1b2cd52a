"""Operations that make tensors, move elements, and pick or place them."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from table import DTYPES, cast, common_name, name_of, only, operation


@operation("view.default", "reshape.default", "_unsafe_view.default")
def reshape(x, size):
    return jnp.reshape(x, size)


@operation("permute.default")
def permute(x, dims):
    return jnp.transpose(x, dims)


@operation("transpose.int")
def transpose(x, dim0, dim1):
    return x if x.ndim == 0 else jnp.swapaxes(x, dim0, dim1)


@operation("expand.default")
def expand(x, size, implicit=False):
    kept = [1] * (len(size) - x.ndim) + list(x.shape)
    return jnp.broadcast_to(x, [k if n == -1 else n
                                for n, k in zip(size, kept)])


@operation("unsqueeze.default")
def unsqueeze(x, dim):
    return jnp.expand_dims(x, dim)


@operation("squeeze.dim")
def squeeze(x, dim):
    if x.ndim == 0 or x.shape[dim] != 1:
        return x
    return jnp.squeeze(x, dim)


@operation("flatten.using_ints")
def flatten(x, start_dim=0, end_dim=-1):
    n = max(x.ndim, 1)
    shape = list(x.shape) or [1]
    start, end = start_dim % n, end_dim % n
    merged = int(np.prod(shape[start:end + 1], dtype=np.int64))
    return jnp.reshape(x, shape[:start] + [merged] + shape[end + 1:])


@operation("select.int")
def select(x, dim, index):
    return lax.index_in_dim(x, index % x.shape[dim], dim % x.ndim, False)


def slices(x, dim, start, end, step):
    """The index of x[..., start:end:step, ...]: Python's bounds are ATen's."""
    index = [slice(None)] * x.ndim
    index[dim % x.ndim] = slice(start, end, step)
    return tuple(index)


@operation("slice.Tensor")
def slice_(x, dim=0, start=None, end=None, step=1):
    return x[slices(x, dim, start, end, step)]


@operation("slice_scatter.default")
def slice_scatter(x, src, dim=0, start=None, end=None, step=1):
    return x.at[slices(x, dim, start, end, step)].set(cast(src, name_of(x)))


@operation("select_scatter.default")
def select_scatter(x, src, dim, index):
    place = [slice(None)] * x.ndim
    place[dim] = index
    return x.at[tuple(place)].set(cast(src, name_of(x)))


def in_common_type(tensors):
    name = common_name(*tensors)
    return [cast(t, name) for t in tensors]


@operation("cat.default")
def cat(tensors, dim=0):
    # ATen leaves out what has the shape [0].
    kept = [t for t in in_common_type(tensors) if t.shape != (0,)]
    if not kept:
        return in_common_type(tensors)[0]
    return jnp.concatenate(kept, dim)


@operation("stack.default")
def stack(tensors, dim=0):
    return jnp.stack(in_common_type(tensors), dim)


@operation("flip.default")
def flip(x, dims):
    return jnp.flip(x, tuple(dims))


@operation("roll.default")
def roll(x, shifts, dims=()):
    if not dims:
        only(len(shifts) == 1, "one shift, where no dimension is named")
        return jnp.roll(x, shifts[0])
    return jnp.roll(x, tuple(shifts), tuple(dims))


@operation("rot90.default")
def rot90(x, k=1, dims=(0, 1)):
    return jnp.rot90(x, k, tuple(dims))


@operation("repeat.default")
def repeat(x, repeats):
    return jnp.tile(x, tuple(repeats))


@operation("tril.default")
def tril(x, diagonal=0):
    return jnp.tril(x, diagonal)


@operation("triu.default")
def triu(x, diagonal=0):
    return jnp.triu(x, diagonal)


@operation("diagonal.default")
def diagonal(x, offset=0, dim1=0, dim2=1):
    return jnp.diagonal(x, offset, dim1, dim2)


@operation("constant_pad_nd.default")
def constant_pad_nd(x, pad, value=0):
    # The last dimension's comes first; lax.pad takes away where negative.
    pairs = [(0, 0, 0)] * x.ndim
    for i in range(len(pad) // 2):
        pairs[x.ndim - 1 - i] = (pad[2 * i], pad[2 * i + 1], 0)
    return lax.pad(x, cast(value, name_of(x)), pairs)


def pad_with(mode):
    def pad(x, padding):
        only(min(padding) >= 0, "jnp.pad takes nothing away")
        pairs = [(0, 0)] * x.ndim
        for i in range(len(padding) // 2):
            pairs[x.ndim - 1 - i] = (padding[2 * i], padding[2 * i + 1])
        return jnp.pad(x, pairs, mode)
    return pad


for rank in ("1d", "2d"):
    operation(f"reflection_pad{rank}.default")(pad_with("reflect"))
    operation(f"replication_pad{rank}.default")(pad_with("edge"))


@operation("full.default")
def full(size, fill_value, dtype=None):
    name = dtype.name if dtype else {bool: "bool", int: "i64",
                                     float: "f32"}[type(fill_value)]
    return jnp.full(size, cast(fill_value, name))


@operation("zeros_like.default")
def zeros_like(x, dtype=None):
    return jnp.zeros_like(x, DTYPES[dtype.name] if dtype else None)


@operation("arange.start_step")
def arange(start, end, step=1, dtype=None):
    some_float = any(isinstance(n, float) for n in (start, end, step))
    name = dtype.name if dtype else "f32" if some_float else "i64"
    return jnp.arange(start, end, step, DTYPES[name])


@operation("gather.default")
def gather(x, dim, index, sparse_grad=False):
    only(x.ndim > 0, "jnp.take_along_axis has no 0-d operand")
    # Sizes that the index does not reach are cut: jnp's must agree.
    cut = tuple(slice(None) if k == dim % x.ndim else slice(n)
                for k, n in enumerate(index.shape))
    return jnp.take_along_axis(x[cut], index, dim)


@operation("index_select.default")
def index_select(x, dim, index):
    only(x.ndim > 0 and index.ndim > 0, "jnp.take here has no 0-d operand")
    return jnp.take(x, index, dim)


@operation("take.default")
def take(x, index):
    return jnp.take(jnp.ravel(x), index)


@operation("embedding.default")
def embedding(weight, index, padding_idx=-1, scale_grad_by_freq=False,
              sparse=False):
    return jnp.take(weight, index, 0)


def along(x, dim, index):
    """The places x[..., index, ...] for x.at, whole slices."""
    only(x.ndim > 0, "x.at has no place in a 0-d operand")
    return (slice(None),) * (dim % x.ndim) + (jnp.atleast_1d(index),)


@operation("index_add.default")
def index_add(x, dim, index, src, alpha=1):
    src = cast(src, name_of(x))
    if alpha != 1:
        src = src * cast(alpha, name_of(x))
    return x.at[along(x, dim, index)].add(src)


@operation("index_copy.default")
def index_copy(x, dim, index, src):
    return x.at[along(x, dim, index)].set(cast(src, name_of(x)))


@operation("index_fill.int_Scalar")
def index_fill(x, dim, index, value):
    return x.at[along(x, dim, index)].set(cast(value, name_of(x)))


def places(x, dim, index):
    """Of scatter: each element's own place."""
    only(x.ndim > 0, "x.at has no place in a 0-d operand")
    where = list(jnp.indices(index.shape, sparse=True))
    where[dim % x.ndim] = index
    return tuple(where)


def as_large(src, index):
    return src[tuple(slice(n) for n in index.shape)]


@operation("scatter.src")
def scatter(x, dim, index, src):
    return x.at[places(x, dim, index)].set(as_large(src, index))


@operation("scatter.value")
def scatter_value(x, dim, index, value):
    return x.at[places(x, dim, index)].set(cast(value, name_of(x)))


@operation("scatter_add.default")
def scatter_add(x, dim, index, src):
    return x.at[places(x, dim, index)].add(as_large(src, index))
