"""Operations of several tensors and numbers, element by element; as unary."""

import math
from fractions import Fraction

from second import functions as fn
from second.answers import Answer
from second.formats import (
    FORMATS,
    INF,
    NAN,
    float_type,
    is_inf,
    is_nan,
    negative,
    number,
    opmath,
    power_of_two,
)
from second.tensors import (
    whole,
    OPERATIONS,
    broadcast,
    by_type,
    each,
    is_tensor,
    operation,
    result_type,
    rounded,
    shape_of,
)


def choices(a, dtype):
    """A number or a 0-d tensor may stay as it is in the format of computation
    (ATen's opmath_t); nothing documents when it is rounded."""
    if FORMATS[dtype].is_float and not (is_tensor(a) and a.sizes):
        return {dtype, opmath(dtype).name}
    return {dtype}


@operation("add.Tensor")
def add(a, b, alpha=1):
    return sum_of(a, b, alpha, 1)


@operation("sub.Tensor")
def sub(a, b, alpha=1):
    return sum_of(a, b, alpha, -1)


@operation("rsub.Scalar")
def rsub(a, b, alpha=1):
    return sum_of(b, a, alpha, -1)


def sum_of(a, b, alpha, sign):
    dtype, sizes = result_type(a, b), shape_of(a, b)
    form = FORMATS[dtype]
    if not form.is_float:
        step = sign * int(alpha)
        return each(
            lambda u, v: form.wrap(u + step * v) if dtype != "bool" else u | v,
            dtype,
            a,
            b,
        )
    scale = number(sign * alpha)
    pairs = [
        (s, t)
        for s in sorted(choices(a, dtype))
        for t in sorted(choices(b, dtype))
    ]
    pairs.sort(
        key=lambda p: p != (dtype, dtype)
    )  # the answer first, then what else is right
    results = []
    for s, t in pairs:
        terms = zip(rounded(a, sizes, s), rounded(b, sizes, t))
        results.append(
            [
                (fn.add(u, fn.mul(scale, v)), u, fn.mul(scale, v))
                for u, v in terms
            ]
        )
    answers = []
    for row in zip(*results):
        value = row[0][0]
        if alpha == 1:
            answers.append(Answer(value, also=[r[0] for r in row[1:]]))
        else:
            answers.append(dotted(value, row[0][1:], 2, dtype))
    return [(dtype, sizes, answers)]


def dotted(value, terms, height, dtype, exact=False):
    """gamma_h sum |terms| (docs/accuracy.md, Sums and products)."""
    if (
        not isinstance(value, Fraction)
        and value != 0
        or any(is_inf(t) or is_nan(t) for t in terms)
    ):
        return Answer(value)
    bound = height * opmath(dtype).eps / 2
    reach = bound / (1 - bound) * sum(abs(t) for t in terms if t != 0)
    return Answer(value, most=None if exact else reach)


@operation("mul.Tensor")
def mul(a, b):
    dtype = result_type(a, b)
    if not FORMATS[dtype].is_float:
        return each(lambda u, v: u * v, dtype, a, b)
    return scaled(fn.mul, a, b, dtype, (a, b))


@operation("div.Tensor")
def div(a, b):
    return scaled(fn.div, a, b, float_type(result_type(a, b)), (b,))


def scaled(f, a, b, dtype, loose):
    """A product or quotient, rounded once. In 16 bits what `choices` leaves
    open moves the exact result, and the bound by as much (mul/A4, div/A4)."""
    if opmath(dtype).name == dtype or not any(
        len(choices(c, dtype)) > 1 for c in loose
    ):
        return each(f, dtype, a, b)
    sizes, wide = shape_of(a, b), opmath(dtype)

    def one(u, v, wide_u, wide_v):
        value, other = f(u, v), f(wide_u, wide_v)
        if value == other or not (
            isinstance(value, Fraction) and isinstance(other, Fraction)
        ):
            return Answer(value)
        return Answer(
            value,
            Fraction(1),
            most=Fraction(10001, 10000) * abs(value - other),
        )

    operands = [rounded(c, sizes, dtype) for c in (a, b)]
    operands += [
        rounded(c, sizes, wide.name if any(c is x for x in loose) else dtype)
        for c in (a, b)
    ]
    return [(dtype, sizes, [one(*row) for row in zip(*operands)])]


def floor_quotient(a, b):
    """Python's a // b of integers, which the documentation names."""
    return a // b


@operation("floor_divide.default", "floor_divide.Scalar")
def floor_divide(a, b):
    """Of floats: floor(a / b), or Python's, whose inf // b is NaN and whose
    quotients of opposite signs are -1 before an infinite divisor."""
    return floored(a, b, True)


def floored(a, b, either):
    dtype = result_type(a, b)
    form, wide = FORMATS[dtype], opmath(dtype)
    if not form.is_float:
        return each(floor_quotient, dtype, a, b)
    sizes = shape_of(a, b)
    operands = [
        rounded(a, sizes, dtype),
        rounded(b, sizes, dtype),
        rounded(b, sizes, wide.name),
    ]

    def one(u, v, wide_v):
        quotient = fn.div(u, v)
        value = whole(quotient, math.floor)
        if is_inf(u) and not is_nan(v) and v != 0:
            return Answer(NAN, also=[value] if either else [])
        if (
            is_inf(v)
            and not is_nan(u)
            and u != 0
            and negative(u) != negative(v)
        ):
            return Answer(Fraction(-1), also=[value] if either else [])
        if not isinstance(quotient, Fraction):
            return Answer(value)
        other = fn.div(u, wide_v)
        moved = (
            abs(math.floor(quotient) - math.floor(other))
            if isinstance(other, Fraction)
            else 0
        )
        large = abs(quotient) > Fraction(1, 2) / wide.eps
        return Answer(
            value, Fraction(2) if large else None, most=Fraction(moved) or None
        )

    return [(dtype, sizes, [one(*row) for row in zip(*operands)])]


@operation("div.Tensor_mode")
def div_mode(a, b, rounding_mode=None):
    dtype = result_type(a, b)
    form, wide = FORMATS[dtype], opmath(dtype)
    if rounding_mode is None:
        return each(fn.div, float_type(dtype), a, b)
    if rounding_mode == "floor":
        return floored(a, b, False)
    if not form.is_float:
        return each(
            lambda u, v: abs(u) // abs(v) * (1 if (u < 0) == (v < 0) else -1),
            dtype,
            a,
            b,
        )

    def one(u, v):
        """A quotient may round to the next integer before it is cut."""
        quotient = fn.div(u, v)
        value = whole(quotient, math.trunc)
        near = {value} | {
            whole(f.round(quotient), math.trunc) for f in (form, wide)
        }
        if is_nan(value) or len(near) == 1:
            return Answer(value)
        return Answer(value, most=Fraction(1))

    return each(one, dtype, a, b)


@operation("fmod.Tensor", "fmod.Scalar")
def fmod(a, b):
    dtype = result_type(a, b)
    if not FORMATS[dtype].is_float:
        return each(
            lambda u, v: abs(u) % abs(v) * (-1 if u < 0 else 1), dtype, a, b
        )
    return each(fn.fmod, dtype, a, b)


@operation("remainder.Tensor", "remainder.Scalar")
def remainder(a, b):
    """ "Python's modulus" gives a zero the divisor's sign, a - b floor(a / b)
    the dividend's: either."""
    dtype = result_type(a, b)
    if not FORMATS[dtype].is_float:
        return each(lambda u, v: u % v, dtype, a, b)

    def one(u, v):
        rest = fn.remainder(u, v)
        return Answer(
            rest, any_zero=rest == 0 and (negative(u) or negative(v))
        )

    return each(one, dtype, a, b)


@operation("lerp.Tensor", "lerp.Scalar")
def lerp(a, b, weight):
    """a + weight (b - a); the bound is the sum of its roundings and those of
    the other form, b - (b - a) (1 - weight) (specs/ops, lerp_scalar)."""
    is_scalar = not is_tensor(weight)
    dtype = result_type(a, b) if is_scalar else result_type(a, b, weight)
    wide, sizes = opmath(dtype), shape_of(a, b, weight)
    weights = (
        broadcast(weight, sizes)
        if is_scalar
        else rounded(weight, sizes, dtype)
    )

    def one(u, v, w):
        d = fn.add(v, fn.neg(u))
        value = fn.add(u, fn.mul(number(w), d))
        finite = all(isinstance(x, Fraction) or x == 0 for x in (u, v, d, w))
        if not finite:
            return None
        w, d = Fraction(w), Fraction(d)
        if any(abs(x) > wide.largest for x in (d, w * d, (1 - w) * d)):
            return None
        reach = (
            Fraction(5001, 10000)
            * wide.eps
            * (
                abs(Fraction(value))
                + abs(d) * (3 * max(abs(w), abs(1 - w)) + abs(w))
                + 2 * wide.smallest_normal
            )
        )
        return Answer(value, most=reach, tight=True)

    rows = zip(rounded(a, sizes, dtype), rounded(b, sizes, dtype), weights)
    return [(dtype, sizes, [one(*row) for row in rows])]


@operation("addcmul.default", "addcdiv.default")
def addcmul(a, b, c, value=1, f=fn.mul):
    dtype = result_type(a, b, c)
    form = FORMATS[dtype]
    if not form.is_float:
        if not isinstance(value, int):
            return None
        return each(lambda u, v, w: u + value * v * w, dtype, a, b, c)
    wide, scale = opmath(dtype), number(value)

    def one(u, v, w):
        part, scaled_v = f(v, w), fn.mul(scale, v)
        product_ = fn.mul(scale, part)
        total = fn.add(u, product_)
        parts = [
            x for x in (part, scaled_v, product_) if isinstance(x, Fraction)
        ]
        if any(
            abs(x) > wide.largest or abs(x) < wide.smallest_normal
            for x in parts
        ):
            return None  # it depends on the order of the factors
        if (
            product_ == 0
            and u == 0
            or not all(
                isinstance(x, Fraction) or x == 0 for x in (u, v, w, product_)
            )
        ):
            return Answer(total)
        times = 1 if value == 1 else 3
        reach = (
            Fraction(5001, 10000)
            * wide.eps
            * (
                abs(Fraction(total))
                + times * abs(Fraction(product_))
                + (1 if value == 1 else 2) * wide.smallest_normal
            )
        )
        return Answer(total, most=reach, tight=True)

    return each(one, dtype, a, b, c)


OPERATIONS["aten.addcdiv.default"] = lambda a, b, c, value=1: addcmul(
    a, b, c, value, fn.div
)


@operation("ldexp.Tensor")
def ldexp(a, b):
    """a 2^b; of a whole b nothing is rounded but the product."""
    dtype, sizes = float_type(result_type(a, b)), shape_of(a, b)

    def one(u, v):
        if not isinstance(v, int) and not (
            isinstance(v, Fraction) and v.denominator == 1
        ):
            return Answer(u) if v == 0 else None
        return Answer(fn.mul(u, power_of_two(max(-9999, min(9999, int(v))))))

    return [
        (
            dtype,
            sizes,
            [
                one(*row)
                for row in zip(rounded(a, sizes, dtype), broadcast(b, sizes))
            ],
        )
    ]


@operation("pow.Tensor_Tensor", "pow.Tensor_Scalar")
def power(a, b):
    dtype = result_type(a, b)
    form = FORMATS[dtype]
    if not form.is_float:
        return each(
            lambda u, v: pow(u, v, 1 << form.width) if v >= 0 else None,
            dtype,
            a,
            b,
        )
    if not is_tensor(b) and form.round(number(b)) != b:
        return None  # its bound depends on whether the exponent is rounded
    return each(lambda u, v: powered(u, v, dtype), dtype, a, b)


@operation("float_power.Tensor_Tensor", "float_power.Tensor_Scalar")
def float_power(a, b):
    return each(lambda u, v: powered(u, v, "f64"), "f64", a, b)


def powered(u, v, dtype):
    named = v == 0 or u == 1 or (u == -1 and is_inf(v))
    return Answer(
        fn.power(u, v), None if named else Fraction(by_type(dtype, 4.5, 2.5))
    )


@operation("atan2.default")
def atan2(a, b):
    dtype = float_type(result_type(a, b))
    ulp = Fraction(by_type(dtype, 3.5, 2.5))
    return each(lambda u, v: Answer(fn.atan2(u, v), ulp), dtype, a, b)


@operation("hypot.default")
def hypot(a, b):
    """hypot(x, 0) is |x| (ISO C, annex F.10.4.3)."""
    dtype = result_type(a, b)
    ulp = Fraction(by_type(dtype, 3.5, 2.5))
    return each(
        lambda u, v: Answer(fn.hypot(u, v), None if u == 0 or v == 0 else ulp),
        dtype,
        a,
        b,
    )


@operation("xlogy.Tensor")
def xlogy(a, b, f=fn.UNARY["log"][0]):
    """a log(b), where a is 0 zero beside every b but NaN."""

    def one(u, v):
        if is_nan(v):
            return Answer(NAN)
        if u == 0:
            return Answer(0.0, any_zero=True)
        value = fn.mul(u, f(v))
        return Answer(value, Fraction(4), any_zero=True)

    return each(one, float_type(result_type(a, b)), a, b)


OPERATIONS["aten.special_xlog1py.default"] = lambda a, b: xlogy(
    a, b, fn.UNARY["log1p"][0]
)


# --- Choices and comparisons


def extremum(better, skips_nan):
    """Of equal zeros either may be returned: the documentation is silent."""

    def one(u, v):
        if is_nan(u) or is_nan(v):
            return Answer(
                (v if is_nan(u) else u) if skips_nan else NAN,
                any_zero=skips_nan,
            )
        return Answer(u if better(u, v) else v, any_zero=True)

    def run(a, b):
        return each(one, result_type(a, b), a, b)

    return run


for _name, _better in (
    ("max", lambda u, v: u >= v),
    ("min", lambda u, v: u <= v),
):
    OPERATIONS[f"aten.{_name}imum.default"] = extremum(_better, False)
    OPERATIONS[f"aten.f{_name}.default"] = extremum(_better, True)
OPERATIONS["aten.clamp_min.Tensor"] = OPERATIONS["aten.maximum.default"]
OPERATIONS["aten.clamp_max.Tensor"] = OPERATIONS["aten.minimum.default"]


@operation("copysign.Tensor", "copysign.Scalar")
def copysign(a, b):
    dtype, sizes = float_type(result_type(a, b)), shape_of(a, b)
    pairs = zip(rounded(a, sizes, dtype), broadcast(b, sizes))
    return [
        (
            dtype,
            sizes,
            [
                (
                    Answer(-abs(u) if negative(v) else abs(u))
                    if not is_nan(v)
                    else None
                )
                for u, v in pairs
            ],
        )
    ]


@operation("heaviside.default")
def heaviside(a, b):
    def one(u, v):
        if is_nan(u):
            return Answer(u, free=True)
        return v if u == 0 else 0.0 if u < 0 else Fraction(1)

    return each(one, result_type(a, b), a, b)


@operation("nextafter.default")
def nextafter(a, b):
    dtype = result_type(a, b)
    form = FORMATS[dtype]

    def one(u, v):
        if is_nan(u) or is_nan(v):
            return NAN
        if u == v:
            return v
        if u == 0:
            size = form.magnitude(1)
            return -size if v < 0 else size
        place = form.place(u)
        code = place if place >= 0 else -1 - place
        code += 1 if (v > u) == (u > 0) else -1
        size = (
            INF if code > form.top else form.magnitude(code) if code else 0.0
        )
        return -size if u < 0 else size

    return each(one, dtype, a, b)
