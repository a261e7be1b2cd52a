"""Reductions, scans and statistics."""

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
    is_inf,
    is_nan,
    number,
    opmath,
)
from second.tensors import (
    OPERATIONS,
    Tensor,
    convert,
    operation,
)

# --- Sums


def total(terms):
    """The exact sum, with infinities and NaN as IEEE 754 adds them."""
    special = [t for t in terms if isinstance(t, float) and t != 0]
    if special:
        return sum(special)
    return sum(t for t in terms if t != 0) or 0.0


def magnitude(terms):
    return sum(
        (abs(t) for t in terms if isinstance(t, (Fraction, int))), Fraction(0)
    )


def is_exact(terms, dtype):
    """Are all partial sums elements, in any order? They are where the terms
    are integers times one power of two and their magnitudes fit together."""
    finite = [t for t in terms if t != 0]
    if not finite:
        return True
    step = min(
        (
            -(t.denominator.bit_length() - 1)
            if t.denominator > 1
            else (t.numerator & -t.numerator).bit_length() - 1
        )
        for t in finite
    )
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
    only_minus = bool(terms) and all(
        t == 0 and isinstance(t, float) and math.copysign(1, t) < 0
        for t in terms
    )
    if is_exact(terms, dtype) and divisor == 1:
        return Answer(value, any_zero=only_minus)
    return Answer(
        value,
        most=gamma(height, dtype) * magnitude(terms) / divisor,
        any_zero=only_minus,
    )


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
        groups[
            tuple(0 if d in dims else i for d, i in enumerate(index))
        ].append(value)
    sizes = (
        kept
        if keepdim
        else [n for d, n in enumerate(x.sizes) if d not in dims]
    )
    return sizes, list(groups.values())


def reduced(f, x, dim, keepdim, dtype):
    sizes, groups = lines(x, dim, keepdim)
    return [(dtype, sizes, [f(group) for group in groups])]


def summed_type(x, dtype):
    return dtype or (x.dtype if category(x.dtype) == "float" else "i64")


def cast(x, dtype):
    """Documented: the input is cast to dtype before the operation."""
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
    return reduced(
        lambda t: summed(t, form, len(t) + 1, len(t)),
        cast(x, dtype),
        dim,
        keepdim,
        form,
    )


@operation("nansum.default")
def nansum(x, dim=None, keepdim=False, dtype=None):
    form = summed_type(x, dtype)
    return reduced(
        lambda t: summed([v for v in t if not is_nan(v)], form, len(t)),
        cast(x, dtype),
        dim,
        keepdim,
        form,
    )


@operation("cumsum.default")
def cumsum(x, dim, dtype=None):
    form = summed_type(x, dtype)
    return scanned(
        lambda t: summed(t, form, len(t)), cast(x, dtype), dim, form
    )


def scanned(f, x, dim, dtype):
    dim = dim % max(len(x.sizes), 1)
    answers = []
    for index in x.indices():
        upto = index[dim] + 1 if index else 1
        answers.append(
            f(
                [
                    x.at(index[:dim] + (k,) + index[dim + 1 :])
                    for k in range(upto)
                ]
            )
        )
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
        if (
            math.prod(p for p in parts if p > 1) > wide.largest / 2
            or math.prod(p for p in parts if p < 1) < wide.smallest_normal
        ):
            return None  # parts may overflow or underflow before the whole
        rounded_ones = sum(p != 1 for p in parts)
        if (
            not isinstance(value, Fraction)
            or rounded_ones <= 2
            or all(p.denominator == 1 for p in parts)
            and abs(value) <= 2 / wide.eps
        ):
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
        return reduced(
            lambda t: Answer(f(t), any_zero=True), x, dim, keepdim, x.dtype
        )

    return run


for _name, _f in (("max", greatest), ("min", least)):
    OPERATIONS[f"aten.{_name}.default"] = extremes(_f)
    OPERATIONS[f"aten.a{_name}.default"] = extremes(_f)


def first(f):
    def run(x, dim=None, keepdim=False):
        def one(values):
            best = f(values)
            return Answer(
                next(
                    i
                    for i, v in enumerate(values)
                    if v == best or (is_nan(v) and is_nan(best))
                )
            )

        return reduced(one, x, dim, keepdim, "i64")

    return run


for _name, _f in (("max", greatest), ("min", least)):
    OPERATIONS[f"aten.arg{_name}.default"] = first(_f)


@operation("aminmax.default")
def aminmax(x, dim=None, keepdim=False):
    return OPERATIONS["aten.amin.default"](x, dim, keepdim) + OPERATIONS[
        "aten.amax.default"
    ](x, dim, keepdim)


def truth(f):
    """Documented to return u8 for u8, and bool for all other types."""

    def run(x, dim=None, keepdim=False):
        dtype = "u8" if x.dtype == "u8" else "bool"
        return reduced(
            lambda t: Answer(int(f(v != 0 for v in t))), x, dim, keepdim, dtype
        )

    return run


for _name, _f in (("all", all), ("any", any)):
    for _overload in ("default", "dim", "dims"):
        OPERATIONS[f"aten.{_name}.{_overload}"] = truth(_f)


@operation("count_nonzero.default", "count_nonzero.dim_IntList")
def count_nonzero(x, dim=None):
    return reduced(
        lambda t: Answer(sum(v != 0 for v in t)), x, dim, False, "i64"
    )


# --- Statistics


def finite(values):
    return all(isinstance(v, Fraction) or v == 0 for v in values)


def moments(values):
    """Mean, sum of squares about it, and of squares."""
    exact = [Fraction(v) for v in values]
    middle = sum(exact) / len(exact)
    return (
        middle,
        sum((v - middle) ** 2 for v in exact),
        sum(v * v for v in exact),
    )


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
        if (
            n == 0
            or not finite(values)
            or (n <= less and len(set(values)) == 1)
        ):
            return Answer(NAN)
        if n <= less:
            return Answer(INF)
        _, s, q = moments(values)
        variance = s / (n - less)
        alike = len(set(values)) == 1 and all(
            wide.round(number(k * Fraction(values[0]))) == k * values[0]
            for k in range(1, n + 1)
        )
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
        return (
            answer
            if answer.most
            else Answer(
                answer.value,
                most=gamma(len(t) + 1, x.dtype)
                * magnitude(t)
                / max(len(t), 1),
                any_zero=answer.any_zero,
            )
        )

    return deviation(x, dim, correction, keepdim, root) + reduced(
        one, x, dim, keepdim, x.dtype
    )


@operation("std_mean.correction")
def std_mean(x, dim=None, correction=None, keepdim=False):
    return var_mean(x, dim, correction, keepdim, True)


def shifted_exponentials(values):
    """The greatest element (0 in place of an infinity), and exp of what each
    is above it."""
    high = greatest(values)
    middle = 0.0 if is_inf(high) else high
    exp = fn.UNARY["exp"][0]
    return middle, [
        v if is_nan(v) else exp(fn.add(v, fn.neg(middle))) for v in values
    ]


def contracted(left, right, dtype, scale=1, beside=None, height=1):
    """scale * sum left * right + beside, the products summed in any order."""
    if not FORMATS[dtype].is_float:
        whole = sum(a * b for a, b in zip(left, right))
        return Answer(FORMATS[dtype].wrap(scale * whole + (beside or 0)))
    terms = [fn.mul(number(scale), fn.mul(a, b)) for a, b in zip(left, right)]
    if beside is not None:
        terms.append(beside)
    return summed(terms, dtype, len(left) + height)
