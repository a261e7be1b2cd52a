"""Operations that take elements one by one: what PyTorch's documentation says
they are, and their bounds from the accuracy sections of specs/ops.

An operation is called as its schema says, with Tensors and Python values, and
returns its outputs.
"""

import math
from fractions import Fraction
from itertools import product

from second import functions as fn
from second.answers import Answer
from second.formats import (FORMATS, INF, NAN, category, float_type, is_inf, is_nan,
                            negative, number, opmath, power_of_two, promote_types)

OPERATIONS = {}


def operation(*names):
    def register(f):
        for name in names:
            OPERATIONS["aten." + name] = f
        return f
    return register


class Tensor:
    def __init__(self, dtype, sizes, values):
        self.dtype, self.sizes, self.values = dtype, list(sizes), values

    @property
    def format(self):
        return FORMATS[self.dtype]

    def indices(self):
        return product(*map(range, self.sizes))

    def at(self, index):
        place = 0
        for i, n in zip(index, self.sizes):
            place = place * n + i
        return self.values[place]


def is_tensor(a):
    return isinstance(a, Tensor)


def result_type(*operands):
    """torch.result_type: of one category, tensors with dimensions decide before
    those without, and these before Python numbers."""
    groups = [None, None, None]
    for a in operands:
        group = 2 if not is_tensor(a) else 0 if a.sizes else 1
        if group < 2:
            dtype = a.dtype
        else:
            dtype = "bool" if isinstance(a, bool) else "i64" if isinstance(a, int) else "f32"
        groups[group] = promote_types(groups[group] or dtype, dtype)
    return combine(groups[0], combine(groups[1], groups[2]))


def combine(first, second):
    if first is None or second is None:
        return first or second
    order = {"bool": 0, "int": 1, "float": 2}
    if order[category(second)] > order[category(first)]:
        return promote_types(first, second)
    return first


def common_shape(*shapes):
    size = []
    for dims in zip(*([1] * (max(map(len, shapes)) - len(s)) + list(s) for s in shapes)):
        size.append(next((d for d in dims if d != 1), 1))
    return size


def broadcast(a, sizes):
    """The elements of a Tensor or a number over a larger shape."""
    if not is_tensor(a):
        value = number(a) if isinstance(a, float) else int(a)
        return [value] * math.prod(sizes)
    if a.sizes == list(sizes):
        return a.values
    skipped = len(sizes) - len(a.sizes)
    return [a.at([0 if n == 1 else i for i, n in zip(index[skipped:], a.sizes)])
            for index in product(*map(range, sizes))]


def shape_of(*operands):
    return common_shape(*(a.sizes if is_tensor(a) else [] for a in operands))


def convert(x, dtype):
    """One element to another type: to nearest, toward zero to integers, which
    wrap. A float beyond an integer's range has no conversion: None."""
    form = FORMATS[dtype]
    if form.is_float:
        return form.round(number(x))
    if dtype == "bool":
        return int(is_nan(x) or x != 0)
    if isinstance(x, int):
        return form.wrap(x)
    if is_nan(x) or is_inf(x):
        return None
    whole = math.trunc(x)
    return whole if form.least <= whole <= form.greatest else None


def rounded(a, sizes, dtype):
    """The elements of an operand in the type of the result."""
    if is_tensor(a) and a.dtype == dtype:
        return broadcast(a, sizes)
    return [convert(x, dtype) for x in broadcast(a, sizes)]


def each(f, dtype, *operands, compute=None):
    """One output: f of the operands' elements in the type `compute`, or dtype.
    What f returns is an Answer or an exact value."""
    sizes = shape_of(*operands)
    columns = [rounded(a, sizes, compute or dtype) for a in operands]
    return [(dtype, sizes, [answer(f(*row), dtype) for row in zip(*columns)])]


def answer(value, dtype):
    if value is None or isinstance(value, Answer):
        return value
    return Answer(value if FORMATS[dtype].is_float else FORMATS[dtype].wrap(int(value)))


def by_type(dtype, single, double):
    return double if dtype == "f64" else single


# --- Functions of one element

def unary(name):
    f, double, single = fn.UNARY[name]
    exact_at = fn.EXACT_AT.get(name, ())

    def run(x):
        dtype = float_type(x.dtype)
        bound = by_type(dtype, single, double)
        # Half steps, as Fractions
        ulp = Fraction(bound) if bound else None

        def one(v):
            if is_nan(v):
                return Answer(NAN)
            return Answer(f(v), None if isinstance(v, float) and v in exact_at else ulp)
        return each(one, dtype, x)
    return run


for _name in fn.UNARY:
    OPERATIONS[f"aten.{_name}.default"] = unary(_name)


@operation("reciprocal.default")
def reciprocal(x):
    return each(lambda v: fn.div(Fraction(1), v), float_type(x.dtype), x)


@operation("square.default")
def square(x):
    return each(lambda v: v * v if isinstance(v, int) else fn.mul(v, v), x.dtype, x)


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
        value = fn.evaluate(lambda u: 1 / (1 + fn.mp.exp(-u)), v, saturates=v > 1)
        # exp(-x) may overflow in the format of computation.
        grown = 1 / value - 1
        also = (0.0,) if grown > Fraction(999, 1000) * opmath(dtype).largest else ()
        return Answer(value, Fraction(by_type(dtype, 5, 4.5)), also=also)
    return each(one, dtype, x)


@operation("special_entr.default")
def special_entr(x):
    def one(v):
        if is_nan(v) or v < 0:
            return v if is_nan(v) else -INF
        if v == 0 or v == 1:
            return Answer(0.0, any_zero=True)
        return -INF if is_inf(v) else Answer(fn.evaluate(fn.minus_x_log_x, v), Fraction(4),
                                             any_zero=True)
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
        return Answer(fn.evaluate(fn.normal_distribution, v), Fraction(5),
                      most=2 * computed.eps * abs(v), tight=True)
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
        return Answer(fn.evaluate(lambda u: fn.mp.log(u / (1 - u)), v), Fraction(3),
                      most=2 * opmath(dtype).eps, tight=True)
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
        return Answer(v if v == 0 else Fraction(1 if v > 0 else -1),
                      any_zero=v == 0 and negative(v), free=is_nan(v))
    return each(one, x.dtype, x)


@operation("zeros_like.default")
def zeros_like(x):
    return each(lambda v: 0.0, x.dtype, x)


@operation("relu.default")
def relu(x):
    return limited(x, 0, None)


@operation("relu6.default")
def relu6(x):
    return limited(x, 0, 6)


@operation("hardtanh.default")
def limited(x, min_val=-1, max_val=1):
    """NaN stays; a zero that equals a limit may come with either sign."""
    low, high = (None if v is None else convert(number(v), x.dtype) for v in (min_val, max_val))

    def one(v):
        if low is not None and v < low:
            v = low
        if high is not None and v > high:
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


for _name, _f in (("ceil", math.ceil), ("floor", math.floor), ("trunc", math.trunc),
                  ("round", round)):
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


for _name, _f in (("isnan", is_nan), ("isinf", is_inf),
                  ("isfinite", lambda v: not is_nan(v) and not is_inf(v)),
                  ("isposinf", lambda v: v == INF), ("isneginf", lambda v: v == -INF),
                  ("logical_not", lambda v: v == 0)):
    OPERATIONS[f"aten.{_name}.default"] = test(_f)


@operation("signbit.default")
def signbit(x):
    """That of NaN means nothing."""
    return [("bool", x.sizes, [Answer(int(negative(v)), free=is_nan(v)) for v in x.values])]


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
        return each(lambda u, v: form.wrap(u + step * v) if dtype != "bool" else u | v,
                    dtype, a, b)
    scale = number(sign * alpha)
    pairs = [(s, t) for s in sorted(choices(a, dtype)) for t in sorted(choices(b, dtype))]
    pairs.sort(key=lambda p: p != (dtype, dtype))  # the answer first, then what else is right
    results = []
    for s, t in pairs:
        terms = zip(rounded(a, sizes, s), rounded(b, sizes, t))
        results.append([(fn.add(u, fn.mul(scale, v)), u, fn.mul(scale, v)) for u, v in terms])
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
    if not isinstance(value, Fraction) and value != 0 or any(
            is_inf(t) or is_nan(t) for t in terms):
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
    if opmath(dtype).name == dtype or not any(len(choices(c, dtype)) > 1 for c in loose):
        return each(f, dtype, a, b)
    sizes, wide = shape_of(a, b), opmath(dtype)

    def one(u, v, wide_u, wide_v):
        value, other = f(u, v), f(wide_u, wide_v)
        if value == other or not (isinstance(value, Fraction) and isinstance(other, Fraction)):
            return Answer(value)
        return Answer(value, Fraction(1), most=Fraction(10001, 10000) * abs(value - other))
    operands = [rounded(c, sizes, dtype) for c in (a, b)]
    operands += [rounded(c, sizes, wide.name if any(c is x for x in loose) else dtype)
                 for c in (a, b)]
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
    operands = [rounded(a, sizes, dtype), rounded(b, sizes, dtype), rounded(b, sizes, wide.name)]

    def one(u, v, wide_v):
        quotient = fn.div(u, v)
        value = whole(quotient, math.floor)
        if is_inf(u) and not is_nan(v) and v != 0:
            return Answer(NAN, also=[value] if either else [])
        if is_inf(v) and not is_nan(u) and u != 0 and negative(u) != negative(v):
            return Answer(Fraction(-1), also=[value] if either else [])
        if not isinstance(quotient, Fraction):
            return Answer(value)
        other = fn.div(u, wide_v)
        moved = abs(math.floor(quotient) - math.floor(other)) if isinstance(other, Fraction) else 0
        large = abs(quotient) > Fraction(1, 2) / wide.eps
        return Answer(value, Fraction(2) if large else None, most=Fraction(moved) or None)
    return [(dtype, sizes, [one(*row) for row in zip(*operands)])]


def whole(x, f):
    if not isinstance(x, Fraction):
        return x
    return Fraction(f(x)) if f(x) else (-0.0 if x < 0 else 0.0)


@operation("div.Tensor_mode")
def div_mode(a, b, rounding_mode=None):
    dtype = result_type(a, b)
    form, wide = FORMATS[dtype], opmath(dtype)
    if rounding_mode is None:
        return each(fn.div, float_type(dtype), a, b)
    if rounding_mode == "floor":
        return floored(a, b, False)
    if not form.is_float:
        return each(lambda u, v: abs(u) // abs(v) * (1 if (u < 0) == (v < 0) else -1),
                    dtype, a, b)

    def one(u, v):
        """A quotient may round to the next integer before it is cut."""
        quotient = fn.div(u, v)
        value = whole(quotient, math.trunc)
        near = {value} | {whole(f.round(quotient), math.trunc) for f in (form, wide)}
        if is_nan(value) or len(near) == 1:
            return Answer(value)
        return Answer(value, most=Fraction(1))
    return each(one, dtype, a, b)


@operation("fmod.Tensor", "fmod.Scalar")
def fmod(a, b):
    dtype = result_type(a, b)
    if not FORMATS[dtype].is_float:
        return each(lambda u, v: abs(u) % abs(v) * (-1 if u < 0 else 1), dtype, a, b)
    return each(fn.fmod, dtype, a, b)


@operation("remainder.Tensor", "remainder.Scalar")
def remainder(a, b):
    """"Python's modulus" gives a zero the divisor's sign, a - b floor(a / b)
    the dividend's: either."""
    dtype = result_type(a, b)
    if not FORMATS[dtype].is_float:
        return each(lambda u, v: u % v, dtype, a, b)

    def one(u, v):
        rest = fn.remainder(u, v)
        return Answer(rest, any_zero=rest == 0 and (negative(u) or negative(v)))
    return each(one, dtype, a, b)


@operation("lerp.Tensor", "lerp.Scalar")
def lerp(a, b, weight):
    """a + weight (b - a); the bound is the sum of its roundings and those of
    the other form, b - (b - a) (1 - weight) (specs/ops, lerp_scalar)."""
    is_scalar = not is_tensor(weight)
    dtype = result_type(a, b) if is_scalar else result_type(a, b, weight)
    wide, sizes = opmath(dtype), shape_of(a, b, weight)
    weights = broadcast(weight, sizes) if is_scalar else rounded(weight, sizes, dtype)

    def one(u, v, w):
        d = fn.add(v, fn.neg(u))
        value = fn.add(u, fn.mul(number(w), d))
        finite = all(isinstance(x, Fraction) or x == 0 for x in (u, v, d, w))
        if not finite:
            return None
        w, d = Fraction(w), Fraction(d)
        if any(abs(x) > wide.largest for x in (d, w * d, (1 - w) * d)):
            return None
        reach = Fraction(5001, 10000) * wide.eps * (
            abs(Fraction(value)) + abs(d) * (3 * max(abs(w), abs(1 - w)) + abs(w))
            + 2 * wide.smallest_normal)
        return Answer(value, most=reach, tight=True)
    rows = zip(rounded(a, sizes, dtype), rounded(b, sizes, dtype), weights)
    return [(dtype, sizes, [one(*row) for row in rows])]


@operation("addcmul.default", "addcdiv.default")
def addcmul(a, b, c, value=1, f=fn.mul):
    dtype = result_type(a, b, c)
    form, sizes = FORMATS[dtype], shape_of(a, b, c)
    if not form.is_float:
        if not isinstance(value, int):
            return None
        return each(lambda u, v, w: u + value * v * w, dtype, a, b, c)
    wide, scale = opmath(dtype), number(value)

    def one(u, v, w):
        part, scaled_v = f(v, w), fn.mul(scale, v)
        product_ = fn.mul(scale, part)
        total = fn.add(u, product_)
        parts = [x for x in (part, scaled_v, product_) if isinstance(x, Fraction)]
        if any(abs(x) > wide.largest or abs(x) < wide.smallest_normal for x in parts):
            return None  # it depends on the order of the factors
        if product_ == 0 and u == 0 or not all(isinstance(x, Fraction) or x == 0
                                               for x in (u, v, w, product_)):
            return Answer(total)
        times = 1 if value == 1 else 3
        reach = Fraction(5001, 10000) * wide.eps * (
            abs(Fraction(total)) + times * abs(Fraction(product_))
            + (1 if value == 1 else 2) * wide.smallest_normal)
        return Answer(total, most=reach, tight=True)
    return each(one, dtype, a, b, c)


OPERATIONS["aten.addcdiv.default"] = lambda a, b, c, value=1: addcmul(a, b, c, value, fn.div)


@operation("ldexp.Tensor")
def ldexp(a, b):
    """a 2^b; of a whole b nothing is rounded but the product."""
    dtype, sizes = float_type(result_type(a, b)), shape_of(a, b)

    def one(u, v):
        if not isinstance(v, int) and not (isinstance(v, Fraction) and v.denominator == 1):
            return Answer(u) if v == 0 else None
        return Answer(fn.mul(u, power_of_two(max(-9999, min(9999, int(v))))))
    return [(dtype, sizes, [one(*row) for row in
                            zip(rounded(a, sizes, dtype), broadcast(b, sizes))])]


@operation("pow.Tensor_Tensor", "pow.Tensor_Scalar")
def power(a, b):
    dtype = result_type(a, b)
    form = FORMATS[dtype]
    if not form.is_float:
        return each(lambda u, v: pow(u, v, 1 << form.width) if v >= 0 else None, dtype, a, b)
    if not is_tensor(b) and form.round(number(b)) != b:
        return None  # its bound depends on whether the exponent is rounded
    return each(lambda u, v: powered(u, v, dtype), dtype, a, b)


@operation("float_power.Tensor_Tensor", "float_power.Tensor_Scalar")
def float_power(a, b):
    return each(lambda u, v: powered(u, v, "f64"), "f64", a, b)


def powered(u, v, dtype):
    named = v == 0 or u == 1 or (u == -1 and is_inf(v))
    return Answer(fn.power(u, v), None if named else Fraction(by_type(dtype, 4.5, 2.5)))


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
    return each(lambda u, v: Answer(fn.hypot(u, v), None if u == 0 or v == 0 else ulp),
                dtype, a, b)


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


OPERATIONS["aten.special_xlog1py.default"] = lambda a, b: xlogy(a, b, fn.UNARY["log1p"][0])


# --- Choices and comparisons

def extremum(better, skips_nan):
    """Of equal zeros either may be returned: the documentation is silent."""
    def one(u, v):
        if is_nan(u) or is_nan(v):
            return Answer((v if is_nan(u) else u) if skips_nan else NAN, any_zero=skips_nan)
        return Answer(u if better(u, v) else v, any_zero=True)

    def run(a, b):
        return each(one, result_type(a, b), a, b)
    return run


for _name, _better in (("max", lambda u, v: u >= v), ("min", lambda u, v: u <= v)):
    OPERATIONS[f"aten.{_name}imum.default"] = extremum(_better, False)
    OPERATIONS[f"aten.f{_name}.default"] = extremum(_better, True)
OPERATIONS["aten.clamp_min.Tensor"] = OPERATIONS["aten.maximum.default"]
OPERATIONS["aten.clamp_max.Tensor"] = OPERATIONS["aten.minimum.default"]


@operation("copysign.Tensor", "copysign.Scalar")
def copysign(a, b):
    dtype, sizes = float_type(result_type(a, b)), shape_of(a, b)
    pairs = zip(rounded(a, sizes, dtype), broadcast(b, sizes))
    return [(dtype, sizes, [Answer(-abs(u) if negative(v) else abs(u)) if not is_nan(v) else None
                            for u, v in pairs])]


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
        size = INF if code > form.top else form.magnitude(code) if code else 0.0
        return -size if u < 0 else size
    return each(one, dtype, a, b)


def comparison(f):
    """Both operands in the type that they promote to (a number first wraps)."""
    def run(a, b):
        sizes, dtype = shape_of(a, b), result_type(a, b)
        pairs = zip(rounded(a, sizes, dtype), rounded(b, sizes, dtype))
        return [("bool", sizes, [Answer(int(f(u, v))) for u, v in pairs])]
    return run


for _name, _f in (("eq", lambda u, v: u == v), ("ne", lambda u, v: u != v),
                  ("lt", lambda u, v: u < v), ("le", lambda u, v: u <= v),
                  ("gt", lambda u, v: u > v), ("ge", lambda u, v: u >= v)):
    OPERATIONS[f"aten.{_name}.Tensor"] = comparison(_f)
    OPERATIONS[f"aten.{_name}.Scalar"] = comparison(_f)


def logical(f):
    def run(a, b):
        sizes = shape_of(a, b)
        pairs = zip(broadcast(a, sizes), broadcast(b, sizes))
        return [("bool", sizes, [Answer(int(f(u != 0, v != 0))) for u, v in pairs])]
    return run


for _name, _f in (("and", lambda u, v: u and v), ("or", lambda u, v: u or v),
                  ("xor", lambda u, v: u != v)):
    OPERATIONS[f"aten.logical_{_name}.default"] = logical(_f)


@operation("where.self")
def where(condition, a, b):
    dtype, sizes = result_type(a, b), shape_of(condition, a, b)
    rows = zip(broadcast(condition, sizes), rounded(a, sizes, dtype), rounded(b, sizes, dtype))
    return [(dtype, sizes, [answer(u if c else v, dtype) for c, u, v in rows])]


# --- Bits

def bits(f):
    return lambda a, b: each(f, result_type(a, b), a, b)


for _name, _f in (("and", lambda u, v: u & v), ("or", lambda u, v: u | v),
                  ("xor", lambda u, v: u ^ v)):
    OPERATIONS[f"aten.bitwise_{_name}.Tensor"] = bits(_f)
    OPERATIONS[f"aten.bitwise_{_name}.Scalar"] = bits(_f)


@operation("bitwise_not.default")
def bitwise_not(x):
    return each(lambda v: ~v, x.dtype, x)


def shift(f):
    """By less than nothing or by the width and more: nothing documents it."""
    def run(a, b):
        dtype, sizes = result_type(a, b), shape_of(a, b)
        form = FORMATS[dtype]

        def one(u, v):
            if v < 0 or v >= form.width:
                return Answer(0, free=True)
            return Answer(form.wrap(f(u, v)))
        rows = zip(rounded(a, sizes, dtype), broadcast(b, sizes))
        return [(dtype, sizes, [one(*row) for row in rows])]
    return run


for _name, _f in (("left", lambda u, v: u << v), ("right", lambda u, v: u >> v)):
    OPERATIONS[f"aten.bitwise_{_name}_shift.Tensor"] = shift(_f)
    OPERATIONS[f"aten.bitwise_{_name}_shift.Tensor_Scalar"] = shift(_f)
