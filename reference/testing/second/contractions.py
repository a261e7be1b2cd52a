"""Softmax and normalisations, contractions, and operations that only move
elements."""

import math
from fractions import Fraction
from itertools import product

from second import functions as fn
from second.answers import Answer
from second.formats import (
    FORMATS,
    INF,
    NAN,
    category,
    float_type,
    is_inf,
    is_nan,
    number,
    opmath,
)
from second.reductions import (
    contracted,
    cast,
    dims_of,
    finite,
    moments,
    reduced,
    root_of,
    shifted_exponentials,
    total,
)
from second.tensors import (
    Tensor,
    broadcast,
    by_type,
    convert,
    operation,
    result_type,
)


def log_of(x):
    return fn.UNARY["log"][0](x)


@operation("logsumexp.default")
def logsumexp(x, dim, keepdim=False):
    dtype = float_type(x.dtype)
    form = FORMATS[dtype]

    def one(values):
        values = [form.round(number(v)) for v in values]
        if not values:
            return Answer(-INF)
        if any(is_nan(v) for v in values):
            return Answer(NAN)
        middle, parts = shifted_exponentials(values)
        log = log_of(total(parts))
        value = fn.add(middle, log)
        live, n = sum(v != -INF for v in values), len(values)
        if live == 1 or is_inf(value):
            return Answer(value)
        length = Fraction(log_of(Fraction(n)))
        reach = (
            form.eps
            * (
                by_type(dtype, 4, 3)
                + length
                + by_type(dtype, 3, 2) * abs(Fraction(log))
                + abs(Fraction(middle))
            )
            + n * opmath(dtype).eps
        )
        return Answer(value, most=reach, within=form, tight=True)

    return reduced(one, x, dim, keepdim, dtype)


@operation("softmax.int", "_softmax.default")
def softmax(x, dim, half_to_float=False):
    return each_line(x, dim, softmax_line)


@operation("log_softmax.int")
def log_softmax(x, dim):
    return each_line(x, dim, log_softmax_line)


def each_line(x, dim, f):
    dim = dim % max(len(x.sizes), 1)
    done = {}
    for index in x.indices():
        start = index[:dim] + (0,) + index[dim + 1 :] if index else ()
        if start not in done:
            places = (
                [
                    start[:dim] + (k,) + start[dim + 1 :]
                    for k in range(x.sizes[dim])
                ]
                if index
                else [()]
            )
            done.update(zip(places, f([x.at(p) for p in places], x.dtype)))
    return [(x.dtype, x.sizes, [done[index] for index in x.indices()])]


def not_summable(values):
    """inf - inf, or NaN, in every element's formula."""
    return any(is_nan(v) or v == INF for v in values) or all(
        v == -INF for v in values
    )


def softmax_line(values, dtype):
    if not_summable(values):
        return [Answer(NAN)] * len(values)
    middle, parts = shifted_exponentials(values)
    whole, alone = total(parts), sum(v != -INF for v in values) == 1
    answers = []
    for v, part in zip(values, parts):
        if alone or v == -INF:
            answers.append(Answer(fn.div(part, whole)))
        else:
            distance = abs(Fraction(v) - Fraction(middle))
            answers.append(
                Answer(
                    fn.div(part, whole),
                    by_type(dtype, 6, 4) + distance + len(values),
                    limits=(0, 1),
                )
            )
    return answers


def log_softmax_line(values, dtype):
    if not_summable(values):
        return [Answer(NAN)] * len(values)
    middle, parts = shifted_exponentials(values)
    log, n = log_of(total(parts)), len(values)
    alone = sum(v != -INF for v in values) == 1
    answers = []
    for v in values:
        distance = fn.add(v, fn.neg(middle))
        value = fn.add(distance, fn.neg(log))
        if alone or is_inf(value):
            answers.append(Answer(value))
            continue
        reach = opmath(dtype).eps * (
            n
            + by_type(dtype, 4, 3)
            + Fraction(log_of(Fraction(n)))
            + by_type(dtype, 4, 3) * abs(Fraction(log))
            + 2 * abs(Fraction(distance))
        )
        answers.append(
            Answer(value, most=reach, tight=True, limits=(None, 0))
        )
    return answers


@operation("layer_norm.default")
def layer_norm(
    x, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True
):
    """The bound is that of specs/ops/norm/layer_norm.yaml: mean, variance and
    root each err, and what is computed from them."""
    n, u = math.prod(normalized_shape), opmath(x.dtype).eps
    answers = []
    for start in range(0, len(x.values), n) if n else ():
        row = x.values[start : start + n]
        if not finite(row):
            answers += [Answer(NAN)] * n
            continue
        middle, s, q = moments(row)
        variance = s / n + Fraction(eps)
        inverse = 1 / root_of(variance)
        sizes = sum(
            abs(Fraction(v)) for v in row
        )  # n times the mean magnitude
        d = ((n + 4) * root_of(s * q) + n * n * u * q) / n
        for k, v in enumerate(row):
            gain = Fraction(weight.values[k]) if weight else Fraction(1)
            shift = Fraction(bias.values[k]) if bias else Fraction(0)
            centred = Fraction(v) - middle
            value = centred * inverse * gain + shift
            reach = u * (
                abs(gain)
                * (
                    (sizes + abs(centred)) * inverse
                    + abs(centred) * inverse * (d / variance + 6)
                )
                + 2 * abs(shift)
            )
            answers.append(Answer(number(value), most=reach, tight=True))
    return [(x.dtype, x.sizes, answers)]


# --- Contractions



def matrix(a, i, j, rows, columns, at=0):
    """Row i or column j of the matrix that starts at `at`."""
    if i is not None:
        return a.values[at + i * columns : at + (i + 1) * columns]
    return a.values[at + j : at + rows * columns : columns]


@operation("mm.default", "bmm.default")
def matmul(a, b):
    return affine(None, a, b, 0, 1)


@operation("addmm.default", "baddbmm.default")
def addmm(c, a, b, beta=1, alpha=1):
    return affine(c, a, b, beta, alpha)


def affine(c, a, b, beta, alpha):
    """beta c + alpha a b; with beta = 0, c is ignored (documented)."""
    batches = a.sizes[0] if len(a.sizes) == 3 else 1
    m, k = a.sizes[-2:]
    n = b.sizes[-1]
    sizes = a.sizes[:-1] + [n]
    if category(a.dtype) != "float" and not (
        isinstance(beta, int) and isinstance(alpha, int)
    ):
        return None
    added = broadcast(c, sizes) if c and beta != 0 else None
    answers = []
    for batch, i, j in product(range(batches), range(m), range(n)):
        beside = None
        if added:
            v = added[len(answers)]
            beside = (
                beta * v if isinstance(v, int) else fn.mul(number(beta), v)
            )
        answers.append(
            contracted(
                matrix(a, i, None, m, k, batch * m * k),
                matrix(b, None, j, k, n, batch * k * n),
                a.dtype,
                alpha,
                beside,
                1 if c is None else 4,
            )
        )
    return [(a.dtype, sizes, answers)]


@operation("conv2d.default")
def conv2d(
    x, w, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1
):
    """Cross-correlation over zero padding."""

    def pair(v):
        return (v[0], v[-1]) if isinstance(v, (list, tuple)) else (v, v)

    stride, padding, dilation = pair(stride), pair(padding), pair(dilation)
    batch, _, *image = x.sizes
    outputs, depth, *window = w.sizes
    extent = [
        (image[d] + 2 * padding[d] - dilation[d] * (window[d] - 1) - 1)
        // stride[d]
        + 1
        for d in (0, 1)
    ]
    sizes = [batch, outputs, *extent]
    answers = []
    for n, o, y, z in product(*map(range, sizes)):
        left, right = [], []
        for c, r, s in product(
            range(depth), range(window[0]), range(window[1])
        ):
            place = (
                y * stride[0] + r * dilation[0] - padding[0],
                z * stride[1] + s * dilation[1] - padding[1],
            )
            inside = 0 <= place[0] < image[0] and 0 <= place[1] < image[1]
            left.append(
                x.at((n, o // (outputs // groups) * depth + c, *place))
                if inside
                else 0.0
            )
            right.append(w.at((o, c, r, s)))
        answers.append(
            contracted(
                left, right, x.dtype, 1, bias.values[o] if bias else None, 2
            )
        )
    return [(x.dtype, sizes, answers)]


# --- Moving elements


def moved(x, sizes, source):
    """Each index of the result takes the element of x at source(index)."""

    def one(index):
        place = source(index)
        return Answer(x.at(place)) if place is not None else None

    return [
        (x.dtype, list(sizes), [one(i) for i in product(*map(range, sizes))])
    ]


@operation("flip.default")
def flip(x, dims):
    turned = dims_of(x, dims) if dims else []
    return moved(
        x,
        x.sizes,
        lambda index: [
            x.sizes[d] - 1 - i if d in turned else i
            for d, i in enumerate(index)
        ],
    )


@operation("permute.default")
def permute(x, dims):
    order = [d % max(len(x.sizes), 1) for d in dims]
    return moved(
        x,
        [x.sizes[d] for d in order],
        lambda index: [index[order.index(d)] for d in range(len(order))],
    )


@operation("transpose.int")
def transpose(x, dim0, dim1):
    order = list(range(len(x.sizes)))
    if order:
        a, b = dim0 % len(order), dim1 % len(order)
        order[a], order[b] = order[b], order[a]
    return permute(x, order)


@operation("unsqueeze.default")
def unsqueeze(x, dim):
    dim %= len(x.sizes) + 1
    return moved(
        x,
        x.sizes[:dim] + [1] + x.sizes[dim:],
        lambda index: index[:dim] + index[dim + 1 :],
    )


@operation("squeeze.dim")
def squeeze(x, dim):
    if not x.sizes or x.sizes[dim] != 1:
        return moved(x, x.sizes, lambda index: index)
    dim %= len(x.sizes)
    return moved(
        x,
        x.sizes[:dim] + x.sizes[dim + 1 :],
        lambda index: index[:dim] + (0,) + index[dim:],
    )


@operation("cat.default")
def cat(tensors, dim=0):
    dtype = result_type(*tensors)
    whole = [cast(t, dtype) for t in tensors if t.sizes != [0]]
    if not whole:
        return moved(cast(tensors[0], dtype), [0], None)
    dim %= len(whole[0].sizes)
    sources = [(t, k) for t in whole for k in range(t.sizes[dim])]
    sizes = whole[0].sizes[:dim] + [len(sources)] + whole[0].sizes[dim + 1 :]
    answers = []
    for index in product(*map(range, sizes)):
        tensor, k = sources[index[dim]]
        answers.append(
            Answer(tensor.at(index[:dim] + (k,) + index[dim + 1 :]))
        )
    return [(dtype, sizes, answers)]


@operation("stack.default")
def stack(tensors, dim=0):
    dim %= len(tensors[0].sizes) + 1
    sizes = tensors[0].sizes[:dim] + [1] + tensors[0].sizes[dim:]
    return cat([Tensor(t.dtype, sizes, t.values) for t in tensors], dim)


@operation("gather.default")
def gather(x, dim, index, sparse_grad=False):
    dim %= max(len(x.sizes), 1)

    def source(place):
        k = index.at(place)
        return place[:dim] + (k,) + place[dim + 1 :] if x.sizes else ()

    return moved(x, index.sizes, source)


@operation("index_select.default")
def index_select(x, dim, index):
    if not x.sizes:
        return moved(x, [], lambda place: ())
    dim %= len(x.sizes)
    sizes = x.sizes[:dim] + [len(index.values)] + x.sizes[dim + 1 :]
    return moved(
        x,
        sizes,
        lambda place: place[:dim]
        + (index.values[place[dim]],)
        + place[dim + 1 :],
    )


@operation("constant_pad_nd.default")
def constant_pad_nd(x, pad, value=0):
    """Pairs of `pad` go from the last dimension on; negative ones cut."""
    before, after = [0] * len(x.sizes), [0] * len(x.sizes)
    for k in range(len(pad) // 2):
        before[-1 - k], after[-1 - k] = pad[2 * k], pad[2 * k + 1]
    sizes = [b + n + a for b, n, a in zip(before, x.sizes, after)]
    filler = convert(
        number(value) if isinstance(value, float) else value, x.dtype
    )
    answers = []
    for index in product(*map(range, sizes)):
        place = [i - b for i, b in zip(index, before)]
        inside = all(0 <= p < n for p, n in zip(place, x.sizes))
        answers.append(Answer(x.at(place) if inside else filler))
    return [(x.dtype, sizes, answers)]
