"""Operations that see more than one element at a time: reductions, scans,
normalisation, contractions, and those that only move elements."""

import math
from fractions import Fraction
from itertools import product

from second import functions as fn
from second.answers import Answer
from second.elementwise import OPERATIONS, Tensor, broadcast, convert, operation, result_type
from second.formats import (FORMATS, INF, NAN, category, float_type, is_inf, is_nan, number,
                            opmath)


# --- Sums

def total(terms):
    """The exact sum, with infinities and NaN as IEEE 754 adds them."""
    special = [t for t in terms if isinstance(t, float) and t != 0]
    if special:
        return sum(special)
    return sum(t for t in terms if t != 0) or 0.0


def magnitude(terms):
    return sum((abs(t) for t in terms if isinstance(t, (Fraction, int))), Fraction(0))


def is_exact(terms, dtype):
    """Are all partial sums elements, in any order? They are where the terms
    are integers times one power of two and their magnitudes fit together."""
    finite = [t for t in terms if t != 0]
    if not finite:
        return True
    step = min(-(t.denominator.bit_length() - 1) if t.denominator > 1
               else (t.numerator & -t.numerator).bit_length() - 1 for t in finite)
    return magnitude(finite) <= Fraction(2) ** (step + opmath(dtype).precision)


def gamma(height, dtype):
    units = height * opmath(dtype).eps / 2
    return units / (1 - units)


def summed(terms, dtype, height, divisor=1):
    """A sum in any order, and perhaps one division of it. A sum of nothing but
    -0 may be either zero; one that starts from +0 never is -0."""
    if not FORMATS[dtype].is_float:
        return Answer(FORMATS[dtype].wrap(sum(terms)))
    if divisor == 0:
        return Answer(NAN)
    value = fn.div(total(terms), Fraction(divisor))
    if isinstance(value, float) and value != 0:
        return Answer(value)
    only_minus = bool(terms) and all(t == 0 and isinstance(t, float)
                                     and math.copysign(1, t) < 0 for t in terms)
    if is_exact(terms, dtype) and divisor == 1:
        return Answer(value, any_zero=only_minus)
    return Answer(value, most=gamma(height, dtype) * magnitude(terms) / divisor,
                  any_zero=only_minus)


def dims_of(x, dim):
    rank = max(len(x.sizes), 1)
    if dim is None or dim == []:
        return list(range(len(x.sizes)))
    dims = dim if isinstance(dim, list) else [dim]
    return sorted(d % rank for d in dims) if x.sizes else []


def lines(x, dim, keepdim):
    """The reduced shape, and for each of its elements those reduced to it."""
    dims = dims_of(x, dim)
    kept = [1 if d in dims else n for d, n in enumerate(x.sizes)]
    groups = {index: [] for index in product(*map(range, kept))}
    for index, value in zip(x.indices(), x.values):
        groups[tuple(0 if d in dims else i for d, i in enumerate(index))].append(value)
    sizes = kept if keepdim else [n for d, n in enumerate(x.sizes) if d not in dims]
    return sizes, list(groups.values())


def reduced(f, x, dim, keepdim, dtype):
    sizes, groups = lines(x, dim, keepdim)
    return [(dtype, sizes, [f(group) for group in groups])]


def summed_type(x, dtype):
    return dtype or (x.dtype if category(x.dtype) == "float" else "i64")


def cast(x, dtype):
    """"The input tensor is cast to dtype before the operation is performed"."""
    if dtype is None or dtype == x.dtype:
        return x
    return Tensor(dtype, x.sizes, [convert(v, dtype) for v in x.values])


@operation("sum.default", "sum.dim_IntList")
def sum_(x, dim=None, keepdim=False, dtype=None):
    form = summed_type(x, dtype)
    x = cast(x, dtype)
    if any(v is None for v in x.values):
        return None
    return reduced(lambda t: summed(t, form, len(t)), x, dim, keepdim, form)


@operation("mean.default", "mean.dim")
def mean(x, dim=None, keepdim=False, dtype=None):
    form = dtype or x.dtype
    return reduced(lambda t: summed(t, form, len(t) + 1, len(t)), cast(x, dtype), dim, keepdim,
                   form)


@operation("nansum.default")
def nansum(x, dim=None, keepdim=False, dtype=None):
    form = summed_type(x, dtype)
    return reduced(lambda t: summed([v for v in t if not is_nan(v)], form, len(t)),
                   cast(x, dtype), dim, keepdim, form)


@operation("cumsum.default")
def cumsum(x, dim, dtype=None):
    form = summed_type(x, dtype)
    return scanned(lambda t: summed(t, form, len(t)), cast(x, dtype), dim, form)


def scanned(f, x, dim, dtype):
    dim = dim % max(len(x.sizes), 1)
    answers = []
    for index in x.indices():
        upto = index[dim] + 1 if index else 1
        answers.append(f([x.at(index[:dim] + (k,) + index[dim + 1:]) for k in range(upto)]))
    return [(dtype, x.sizes, answers)]


@operation("dot.default")
def dot(a, b):
    return [(a.dtype, [], [contracted(a.values, b.values, a.dtype)])]


@operation("prod.default", "prod.dim_int")
def prod(x, dim=None, keepdim=False):
    form = summed_type(x, None)

    def one(factors):
        if not FORMATS[form].is_float:
            return Answer(FORMATS[form].wrap(math.prod(factors)))
        value, wide = Fraction(1), opmath(form)
        for v in factors:
            value = fn.mul(value, v)
        parts = [abs(v) for v in factors if isinstance(v, Fraction)]
        if math.prod(p for p in parts if p > 1) > wide.largest / 2 \
                or math.prod(p for p in parts if p < 1) < wide.smallest_normal:
            return None  # parts may overflow or underflow before the whole
        rounded_ones = sum(p != 1 for p in parts)
        if not isinstance(value, Fraction) or rounded_ones <= 2 \
                or all(p.denominator == 1 for p in parts) and abs(value) <= 2 / wide.eps:
            return Answer(value)
        return Answer(value, most=gamma(rounded_ones - 1, form) * abs(value))
    return reduced(one, x, dim, keepdim, form)


# --- Extremes, counts

def extreme(f):
    def one(values):
        nan = [v for v in values if is_nan(v)]
        return nan[0] if nan else f(values)
    return one


greatest, least = extreme(max), extreme(min)


def extremes(f):
    def run(x, dim=None, keepdim=False):
        return reduced(lambda t: Answer(f(t), any_zero=True), x, dim, keepdim, x.dtype)
    return run


for _name, _f in (("max", greatest), ("min", least)):
    OPERATIONS[f"aten.{_name}.default"] = extremes(_f)
    OPERATIONS[f"aten.a{_name}.default"] = extremes(_f)


def first(f):
    def run(x, dim=None, keepdim=False):
        def one(values):
            best = f(values)
            return Answer(next(i for i, v in enumerate(values)
                               if v == best or (is_nan(v) and is_nan(best))))
        return reduced(one, x, dim, keepdim, "i64")
    return run


for _name, _f in (("max", greatest), ("min", least)):
    OPERATIONS[f"aten.arg{_name}.default"] = first(_f)


@operation("aminmax.default")
def aminmax(x, dim=None, keepdim=False):
    return OPERATIONS["aten.amin.default"](x, dim, keepdim) \
        + OPERATIONS["aten.amax.default"](x, dim, keepdim)


def truth(f):
    """Documented to return u8 for u8, and bool for all other types."""
    def run(x, dim=None, keepdim=False):
        dtype = "u8" if x.dtype == "u8" else "bool"
        return reduced(lambda t: Answer(int(f(v != 0 for v in t))), x, dim, keepdim, dtype)
    return run


for _name, _f in (("all", all), ("any", any)):
    for _overload in ("default", "dim", "dims"):
        OPERATIONS[f"aten.{_name}.{_overload}"] = truth(_f)


@operation("count_nonzero.default", "count_nonzero.dim_IntList")
def count_nonzero(x, dim=None):
    return reduced(lambda t: Answer(sum(v != 0 for v in t)), x, dim, False, "i64")


# --- Statistics

def finite(values):
    return all(isinstance(v, Fraction) or v == 0 for v in values)


def moments(values):
    """Mean, sum of squares about it, and of squares."""
    exact = [Fraction(v) for v in values]
    middle = sum(exact) / len(exact)
    return middle, sum((v - middle) ** 2 for v in exact), sum(v * v for v in exact)


def root_of(x):
    return fn.evaluate(fn.mp.sqrt, x) if x else Fraction(0)


def deviation(x, dim, correction, keepdim, root):
    """Variance, or its root. The bound: two-pass sums and updating formulas
    (Chan, Golub and LeVeque 1983), as specs/ops/reduction/var.yaml derives."""
    wide = opmath(x.dtype)
    u = wide.eps
    less = 1 if correction is None else correction

    def one(values):
        n = len(values)
        if n == 0 or not finite(values) or (n <= less and len(set(values)) == 1):
            return Answer(NAN)
        if n <= less:
            return Answer(INF)
        _, s, q = moments(values)
        variance = s / (n - less)
        alike = len(set(values)) == 1 and all(
            wide.round(number(k * Fraction(values[0]))) == k * values[0]
            for k in range(1, n + 1))
        d = ((n + 4) * u * root_of(s * q) + n * n * u * u * q) / (n - less)
        d = Fraction(0) if alike else d
        if not root:
            return Answer(number(variance), most=d)
        size = root_of(variance)
        error = min(root_of(d), d / size) if size else root_of(d)
        return Answer(number(size), most=error + 2 * u * size)
    return reduced(one, x, dim, keepdim, x.dtype)


@operation("var.correction")
def var(x, dim=None, correction=None, keepdim=False):
    return deviation(x, dim, correction, keepdim, False)


@operation("std.correction")
def std(x, dim=None, correction=None, keepdim=False):
    return deviation(x, dim, correction, keepdim, True)


@operation("var_mean.correction")
def var_mean(x, dim=None, correction=None, keepdim=False, root=False):
    """A mean may be updated with each element, so it is never exact."""
    def one(t):
        answer = summed(t, x.dtype, len(t) + 1, len(t))
        return answer if answer.most else Answer(answer.value, most=gamma(
            len(t) + 1, x.dtype) * magnitude(t) / max(len(t), 1), any_zero=answer.any_zero)
    return deviation(x, dim, correction, keepdim, root) + reduced(one, x, dim, keepdim, x.dtype)


@operation("std_mean.correction")
def std_mean(x, dim=None, correction=None, keepdim=False):
    return var_mean(x, dim, correction, keepdim, True)


def shifted_exponentials(values):
    """The greatest element (0 in place of an infinity), and exp of what each
    is above it."""
    high = greatest(values)
    middle = 0.0 if is_inf(high) else high
    exp = fn.UNARY["exp"][0]
    return middle, [v if is_nan(v) else exp(fn.add(v, fn.neg(middle))) for v in values]


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
        reach = form.eps * (4 + length + 3 * abs(Fraction(log)) + abs(Fraction(middle))) \
            + n * opmath(dtype).eps
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
        start = index[:dim] + (0,) + index[dim + 1:] if index else ()
        if start not in done:
            places = [start[:dim] + (k,) + start[dim + 1:] for k in range(x.sizes[dim])] \
                if index else [()]
            done.update(zip(places, f([x.at(p) for p in places], x.dtype)))
    return [(x.dtype, x.sizes, [done[index] for index in x.indices()])]


def not_summable(values):
    """inf - inf, or NaN, in every element's formula."""
    return any(is_nan(v) or v == INF for v in values) or all(v == -INF for v in values)


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
            answers.append(Answer(fn.div(part, whole), 6 + distance + len(values)))
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
        reach = opmath(dtype).eps * (n + 4 + Fraction(log_of(Fraction(n)))
                                     + 4 * abs(Fraction(log)) + 2 * abs(Fraction(distance)))
        answers.append(Answer(value, most=reach, tight=True))
    return answers


@operation("layer_norm.default")
def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    """The bound is that of specs/ops/norm/layer_norm.yaml: mean, variance and
    root each err, and what is computed from them."""
    n, u = math.prod(normalized_shape), opmath(x.dtype).eps
    answers = []
    for start in range(0, len(x.values), n) if n else ():
        row = x.values[start:start + n]
        if not finite(row):
            answers += [Answer(NAN)] * n
            continue
        middle, s, q = moments(row)
        variance = s / n + Fraction(eps)
        inverse = 1 / root_of(variance)
        sizes = sum(abs(Fraction(v)) for v in row)  # n times the mean magnitude
        d = ((n + 4) * root_of(s * q) + n * n * u * q) / n
        for k, v in enumerate(row):
            gain = Fraction(weight.values[k]) if weight else Fraction(1)
            shift = Fraction(bias.values[k]) if bias else Fraction(0)
            centred = Fraction(v) - middle
            value = centred * inverse * gain + shift
            reach = u * (abs(gain) * ((sizes + abs(centred)) * inverse + abs(centred) * inverse
                                      * (d / variance + 6)) + 2 * abs(shift))
            answers.append(Answer(number(value), most=reach, tight=True))
    return [(x.dtype, x.sizes, answers)]


# --- Contractions

def contracted(left, right, dtype, scale=1, beside=None, height=1):
    """scale * sum left * right + beside, the products summed in any order."""
    if not FORMATS[dtype].is_float:
        whole = sum(a * b for a, b in zip(left, right))
        return Answer(FORMATS[dtype].wrap(scale * whole + (beside or 0)))
    terms = [fn.mul(number(scale), fn.mul(a, b)) for a, b in zip(left, right)]
    if beside is not None:
        terms.append(beside)
    return summed(terms, dtype, len(left) + height)


def matrix(a, i, j, rows, columns, at=0):
    """Row i or column j of the matrix that starts at `at`."""
    if i is not None:
        return a.values[at + i * columns:at + (i + 1) * columns]
    return a.values[at + j:at + rows * columns:columns]


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
    if category(a.dtype) != "float" and not (isinstance(beta, int) and isinstance(alpha, int)):
        return None
    added = broadcast(c, sizes) if c and beta != 0 else None
    answers = []
    for batch, i, j in product(range(batches), range(m), range(n)):
        beside = None
        if added:
            v = added[len(answers)]
            beside = beta * v if isinstance(v, int) else fn.mul(number(beta), v)
        answers.append(contracted(matrix(a, i, None, m, k, batch * m * k),
                                  matrix(b, None, j, k, n, batch * k * n), a.dtype, alpha,
                                  beside, 1 if c is None else 4))
    return [(a.dtype, sizes, answers)]


@operation("conv2d.default")
def conv2d(x, w, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    """Cross-correlation over zero padding."""
    def pair(v):
        return (v[0], v[-1]) if isinstance(v, (list, tuple)) else (v, v)
    stride, padding, dilation = pair(stride), pair(padding), pair(dilation)
    batch, _, *image = x.sizes
    outputs, depth, *window = w.sizes
    extent = [(image[d] + 2 * padding[d] - dilation[d] * (window[d] - 1) - 1) // stride[d] + 1
              for d in (0, 1)]
    sizes = [batch, outputs, *extent]
    answers = []
    for n, o, y, z in product(*map(range, sizes)):
        left, right = [], []
        for c, r, s in product(range(depth), range(window[0]), range(window[1])):
            place = (y * stride[0] + r * dilation[0] - padding[0],
                     z * stride[1] + s * dilation[1] - padding[1])
            inside = 0 <= place[0] < image[0] and 0 <= place[1] < image[1]
            left.append(x.at((n, o // (outputs // groups) * depth + c, *place))
                        if inside else 0.0)
            right.append(w.at((o, c, r, s)))
        answers.append(contracted(left, right, x.dtype, 1,
                                  bias.values[o] if bias else None, 2))
    return [(x.dtype, sizes, answers)]


# --- Moving elements

def moved(x, sizes, source):
    """Each index of the result takes the element of x at source(index)."""
    def one(index):
        place = source(index)
        return Answer(x.at(place)) if place is not None else None
    return [(x.dtype, list(sizes), [one(i) for i in product(*map(range, sizes))])]


@operation("flip.default")
def flip(x, dims):
    turned = dims_of(x, dims) if dims else []
    return moved(x, x.sizes, lambda index: [
        x.sizes[d] - 1 - i if d in turned else i for d, i in enumerate(index)])


@operation("permute.default")
def permute(x, dims):
    order = [d % max(len(x.sizes), 1) for d in dims]
    return moved(x, [x.sizes[d] for d in order],
                 lambda index: [index[order.index(d)] for d in range(len(order))])


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
    return moved(x, x.sizes[:dim] + [1] + x.sizes[dim:],
                 lambda index: index[:dim] + index[dim + 1:])


@operation("squeeze.dim")
def squeeze(x, dim):
    if not x.sizes or x.sizes[dim] != 1:
        return moved(x, x.sizes, lambda index: index)
    dim %= len(x.sizes)
    return moved(x, x.sizes[:dim] + x.sizes[dim + 1:],
                 lambda index: index[:dim] + (0,) + index[dim:])


@operation("cat.default")
def cat(tensors, dim=0):
    dtype = result_type(*tensors)
    whole = [cast(t, dtype) for t in tensors if t.sizes != [0]]
    if not whole:
        return moved(cast(tensors[0], dtype), [0], None)
    dim %= len(whole[0].sizes)
    sources = [(t, k) for t in whole for k in range(t.sizes[dim])]
    sizes = whole[0].sizes[:dim] + [len(sources)] + whole[0].sizes[dim + 1:]
    answers = []
    for index in product(*map(range, sizes)):
        tensor, k = sources[index[dim]]
        answers.append(Answer(tensor.at(index[:dim] + (k,) + index[dim + 1:])))
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
        return place[:dim] + (k,) + place[dim + 1:] if x.sizes else ()
    return moved(x, index.sizes, source)


@operation("index_select.default")
def index_select(x, dim, index):
    if not x.sizes:
        return moved(x, [], lambda place: ())
    dim %= len(x.sizes)
    sizes = x.sizes[:dim] + [len(index.values)] + x.sizes[dim + 1:]
    return moved(x, sizes, lambda place: place[:dim] + (index.values[place[dim]],)
                 + place[dim + 1:])


@operation("constant_pad_nd.default")
def constant_pad_nd(x, pad, value=0):
    """Pairs of `pad` go from the last dimension on; negative ones cut."""
    before, after = [0] * len(x.sizes), [0] * len(x.sizes)
    for k in range(len(pad) // 2):
        before[-1 - k], after[-1 - k] = pad[2 * k], pad[2 * k + 1]
    sizes = [b + n + a for b, n, a in zip(before, x.sizes, after)]
    filler = convert(number(value) if isinstance(value, float) else value, x.dtype)
    answers = []
    for index in product(*map(range, sizes)):
        place = [i - b for i, b in zip(index, before)]
        inside = all(0 <= p < n for p, n in zip(place, x.sizes))
        answers.append(Answer(x.at(place) if inside else filler))
    return [(x.dtype, sizes, answers)]
