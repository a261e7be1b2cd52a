"""Operations of one tensor, element by element: what PyTorch's documentation
says they are, and their bounds from the accuracy sections of specs/ops.

An operation is called as its schema says, with Tensors and Python values,
and returns its outputs."""

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
)
from second.tensors import (
    OPERATIONS,
    by_type,
    convert,
    each,
    operation,
)


def unary(name):
    f, double, single = fn.UNARY[name]
    exact_at = fn.EXACT_AT.get(name, ())
    limits = fn.LIMITS.get(name, (None, None))

    def run(x):
        dtype = float_type(x.dtype)
        bound = by_type(dtype, single, double)
        # Half steps, as Fractions
        ulp = Fraction(bound) if bound else None

        def one(v):
            if is_nan(v):
                return Answer(NAN)
            exact = isinstance(v, float) and v in exact_at
            return Answer(f(v), None if exact else ulp, limits=limits)

        return each(one, dtype, x)

    return run


for _name in fn.UNARY:
    OPERATIONS[f"aten.{_name}.default"] = unary(_name)


@operation("reciprocal.default")
def reciprocal(x):
    return each(lambda v: fn.div(Fraction(1), v), float_type(x.dtype), x)


@operation("square.default")
def square(x):
    return each(
        lambda v: v * v if isinstance(v, int) else fn.mul(v, v), x.dtype, x
    )


@operation("sigmoid.default")
def sigmoid(x):
    dtype = float_type(x.dtype)

    def one(v):
        if is_nan(v):
            return NAN
        if v == 0:
            return Fraction(1, 2)
        if is_inf(v):
            return Fraction(1) if v > 0 else 0.0
        value = fn.evaluate(
            lambda u: 1 / (1 + fn.mp.exp(-u)), v, saturates=v > 1
        )
        # exp(-x) may overflow in the format of computation.
        grown = 1 / value - 1
        also = (
            (0.0,)
            if grown > Fraction(999, 1000) * opmath(dtype).largest
            else ()
        )
        return Answer(
            value,
            Fraction(by_type(dtype, 6.5, 4.5)),
            also=also,
            limits=(0, 1),
        )

    return each(one, dtype, x)


@operation("special_entr.default")
def special_entr(x):
    def one(v):
        if is_nan(v) or v < 0:
            return v if is_nan(v) else -INF
        if v == 0 or v == 1:
            return Answer(0.0, any_zero=True)
        return (
            -INF
            if is_inf(v)
            else Answer(
                fn.evaluate(fn.minus_x_log_x, v), Fraction(4), any_zero=True
            )
        )

    return each(one, float_type(x.dtype), x)


@operation("gelu.default")
def gelu(x, approximate="none"):
    if approximate != "none":
        return None
    computed = opmath(x.dtype)

    def one(v):
        if is_nan(v) or v == 0:
            return v
        if is_inf(v):
            return v if v > 0 else Answer(0.0, free=True)
        if abs(v) < 16 * computed.magnitude(1):
            return None  # where 5 ulp reach zero: may the sign be lost?
        return Answer(
            fn.evaluate(fn.normal_distribution, v),
            Fraction(5),
            most=2 * computed.eps * abs(v),
            tight=True,
        )

    return each(one, x.dtype, x)


@operation("logit.default")
def logit(x, eps=None):
    dtype = float_type(x.dtype)
    if eps is not None:
        return None

    def one(v):
        if is_nan(v) or (v < 0 and v != 0) or v > 1:
            return NAN
        if v == 0 or v == 1:
            return -INF if v == 0 else INF
        return Answer(
            fn.evaluate(lambda u: fn.mp.log(u / (1 - u)), v),
            Fraction(3),
            most=2 * opmath(dtype).eps,
            tight=True,
        )

    return each(one, dtype, x)


@operation("abs.default")
def absolute(x):
    return each(abs, x.dtype, x)


@operation("neg.default")
def negated(x):
    return each(fn.neg, x.dtype, x)


@operation("positive.default")
def positive(x):
    return each(lambda v: v, x.dtype, x)


@operation("sign.default")
def sign(x):
    """The sign of NaN means nothing; of -0 it is a zero, and open which."""

    def one(v):
        return Answer(
            v if v == 0 else Fraction(1 if v > 0 else -1),
            any_zero=v == 0 and negative(v),
            free=is_nan(v),
        )

    return each(one, x.dtype, x)


@operation("zeros_like.default")
def zeros_like(x):
    return each(lambda v: 0.0, x.dtype, x)


@operation("relu.default")
def relu(x):
    return rectified(x, None)


@operation("relu6.default")
def relu6(x):
    return rectified(x, 6)


def rectified(x, limit):
    """max(0, x), and of -0 either zero; a limit above; NaN stays."""

    def one(v):
        if v == 0:
            return Answer(0.0, any_zero=negative(v))
        if v < 0:
            return Answer(0.0)
        return Answer(limit if limit is not None and v > limit else v)

    return each(one, x.dtype, x)


@operation("hardtanh.default")
def limited(x, min_val=-1, max_val=1):
    """NaN stays; a zero that equals a limit may come with either sign."""
    low, high = (
        convert(number(v), x.dtype) for v in (min_val, max_val)
    )

    def one(v):
        if v < low:
            v = low
        if v > high:
            v = high
        return Answer(v, any_zero=True)

    return each(one, x.dtype, x)


def to_whole(f):
    """Rounding to integers, which keeps the sign of what becomes zero."""

    def one(v):
        if isinstance(v, (float, int)):
            return v
        whole = f(v)
        return Fraction(whole) if whole else (-0.0 if v < 0 else 0.0)

    return lambda x: each(one, x.dtype, x)


for _name, _f in (
    ("ceil", math.ceil),
    ("floor", math.floor),
    ("trunc", math.trunc),
    ("round", round),
):
    OPERATIONS[f"aten.{_name}.default"] = to_whole(_f)


@operation("frac.default")
def frac(x):
    """The documentation's formula, x - floor(|x|) sgn(x), leaves open which
    zero an integer below 0 gives."""

    def one(v):
        rest = fn.fmod(v, Fraction(1))
        return Answer(rest, any_zero=rest == 0 and negative(v))

    return each(one, x.dtype, x)


def test(f):
    def run(x):
        sizes = x.sizes
        return [("bool", sizes, [Answer(int(f(v))) for v in x.values])]

    return run


for _name, _f in (
    ("isnan", is_nan),
    ("isinf", is_inf),
    ("isfinite", lambda v: not is_nan(v) and not is_inf(v)),
    ("isposinf", lambda v: v == INF),
    ("isneginf", lambda v: v == -INF),
    ("logical_not", lambda v: v == 0),
):
    OPERATIONS[f"aten.{_name}.default"] = test(_f)


@operation("signbit.default")
def signbit(x):
    """That of NaN means nothing."""
    return [
        (
            "bool",
            x.sizes,
            [Answer(int(negative(v)), free=is_nan(v)) for v in x.values],
        )
    ]


@operation("_to_copy.default")
def to_copy(x, dtype):
    """A cast. PyTorch 2.11 makes NaN of what overflows f8e4m3fn; f8e8m0fnu has
    neither signs nor zero, and no rule for them."""

    def one(v):
        if dtype == "f8e8m0fnu" and not is_nan(v) and v <= 0:
            return Answer(v, free=True)
        if FORMATS[dtype].is_float:
            return Answer(number(v))
        value = convert(v, dtype)
        return Answer(value, free=value is None)

    return [(dtype, x.sizes, [one(v) for v in x.values])]


# --- Arithmetic
