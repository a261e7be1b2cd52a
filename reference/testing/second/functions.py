"""Real functions of a number, to 200 bits, with IEEE 754's and ISO C's (annex
F.10) special values; and exact arithmetic with infinities and signed zeros."""

from fractions import Fraction

from mpmath import mp, mpf

from second.formats import (
    INF,
    NAN,
    exponent,
    is_inf,
    is_nan,
    negative,
    number,
    power_of_two,
)

# Bits in which functions are evaluated first, and again where the result looks
# like a number of a few digits: is exp(x) 1, or a little more? The least
# element of f64 is 2^-1074, so exp, cos, cosh or hypot differ from such a
# number by 2^-2150 of it at least, if they do.
SHORT, LONG = 200, 2400
# What agrees with a number of 130 bits to all but the last digits is that
# number: an error of the last bit must not turn 8 into its neighbour. Chance
# makes such runs of digits once in 2^60 values.
EXACT = 130
mp.prec = SHORT


def real(x):
    """A number as an mpf, exactly (all elements have fewer than 200 bits)."""
    return (
        mpf(x.numerator) / x.denominator
        if isinstance(x, (int, Fraction))
        else mpf(x)
    )


def evaluate(f, *operands, saturates=False):
    """f of numbers. A function that saturates (tanh) comes nearer to its limit
    than any precision shows, from below."""
    value = fraction(f(*map(real, operands)))
    if isinstance(value, float) or exact_digits(value) > EXACT:
        return value
    with mp.workprec(LONG):
        closer = fraction(f(*map(real, operands)), LONG)
    if saturates and abs(closer) == power_of_two(exponent(closer)):
        return closer * (1 - power_of_two(-LONG))
    return closer


def exact_digits(x):
    n = abs(x.numerator)
    return n.bit_length() - ((n & -n).bit_length() - 1)


def fraction(x, precision=SHORT):
    """An mpf as a number. What no format can hold becomes 2^+-20000."""
    if mp.isnan(x):
        return NAN
    if mp.isinf(x):
        return INF if x > 0 else -INF
    if x == 0:
        return 0.0
    sign, man, exp, bits = x._mpf_
    size = exp + bits
    if abs(size) > 20000:
        man, exp = 1, 20000 if size > 0 else -20000
    elif bits > EXACT:
        cut = bits - EXACT
        near = (man + (1 << (cut - 1))) >> cut
        unsure = bits - precision + 16  # last bits that may be wrong
        if unsure > 0 and abs((near << cut) - man) < 1 << unsure:
            man, exp = near, exp + cut
    value = man * power_of_two(exp)
    return -value if sign else value


def odd(f, at_infinity, saturates=False):
    """A function that keeps zeros, with its value at +infinity."""

    def g(x):
        if is_inf(x):
            return (
                fraction(at_infinity())
                if x > 0
                else neg(fraction(at_infinity()))
            )
        return x if x == 0 else evaluate(f, x, saturates=saturates)

    return g


def plain(f, at_zero, at_plus, at_minus, domain=None, saturates=False):
    """Of numbers within `domain`, with values at 0, inf and -inf."""

    def g(x):
        if x == 0:
            return (
                number(at_zero)
                if isinstance(at_zero, (int, float))
                else fraction(at_zero())
            )
        if is_inf(x):
            end = at_plus if x > 0 else at_minus
            return number(end)
        if domain and not domain(x):
            return NAN
        return evaluate(f, x, saturates=saturates)

    return g


def log_of(f, one):
    """Logarithms: minus infinity at the pole x = -one (or 0), NaN beyond."""

    def g(x):
        if is_inf(x):
            return INF if x > 0 else NAN
        if one and x == 0:
            return x
        if x == -one:
            return -INF
        return NAN if x < -one else evaluate(f, x)

    return g


def atanh(x):
    if is_inf(x) or abs(x) > 1:
        return NAN
    if abs(x) == 1:
        return INF if x > 0 else -INF
    return x if x == 0 else evaluate(mp.atanh, x)


def root(x):
    if x == 0:
        return x
    if x < 0:
        return NAN
    return INF if is_inf(x) else evaluate(mp.sqrt, x)


def reciprocal_root(x):
    if x == 0:
        return -INF if negative(x) else INF
    if x < 0:
        return NAN
    return 0.0 if is_inf(x) else evaluate(lambda v: 1 / mp.sqrt(v), x)


def asin(x):
    if is_inf(x) or abs(x) > 1:
        return NAN
    return x if x == 0 else evaluate(mp.asin, x)


def expm1(x):
    if is_inf(x):
        return INF if x > 0 else Fraction(-1)
    return x if x == 0 else evaluate(mp.expm1, x, saturates=x < -1)


def erfcx(x):
    """exp(x^2) erfc(x); the asymptotic series where erfc is too small."""
    if x < 1000:
        return mp.exp(x * x) * mp.erfc(x)
    total, term, k = mpf(1), mpf(1), 0
    while abs(term) > mpf(2) ** -210 and k < 100:
        k += 1
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return total / (x * mp.sqrt(mp.pi))


def minus_x_log_x(x):
    return -x * mp.log(x)


def normal_distribution(x):
    """x times the distribution function of the normal distribution, which far
    from 0 is 1 or 0 but for less than any format shows."""
    if abs(x) > 10000:
        return x * (1 - mpf(2) ** -LONG / 2) if x > 0 else -mpf(2) ** -20000
    return x * mp.erfc(-x / mp.sqrt(mpf(2))) / 2


# Each function, and its bound in ulp for f64 and for the others: CUDA's tables
# plus a half (specs/shared/clauses.yaml, cuda_table), or the spec's own. None:
# correctly rounded.
UNARY = {
    "exp": (plain(mp.exp, 1, INF, 0.0), 1.5, 2.5),
    "exp2": (plain(lambda x: mpf(2) ** x, 1, INF, 0.0), 1.5, 2.5),
    "expm1": (expm1, 1.5, 1.5),
    "log": (log_of(mp.log, 0), 1.5, 1.5),
    "log2": (log_of(lambda x: mp.log(x, 2), 0), 1.5, 1.5),
    "log10": (log_of(mp.log10, 0), 1.5, 2.5),
    "log1p": (log_of(mp.log1p, 1), 1.5, 1.5),
    "sin": (odd(mp.sin, lambda: mp.nan), 2.5, 2.5),
    "cos": (plain(mp.cos, 1, NAN, NAN), 2.5, 2.5),
    "tan": (odd(mp.tan, lambda: mp.nan), 2.5, 4.5),
    "sinh": (odd(mp.sinh, lambda: mp.inf), 2.5, 3.5),
    "cosh": (plain(mp.cosh, 1, INF, INF), 1.5, 2.5),
    "tanh": (odd(mp.tanh, lambda: mpf(1), saturates=True), 1.5, 2.5),
    "asinh": (odd(mp.asinh, lambda: mp.inf), 3.5, 3.5),
    "acosh": (plain(mp.acosh, NAN, INF, NAN, lambda x: x >= 1), 3.5, 4.5),
    "atanh": (atanh, 2.5, 3.5),
    "asin": (asin, 2.5, 2.5),
    "acos": (
        plain(mp.acos, lambda: mp.pi / 2, NAN, NAN, lambda x: abs(x) <= 1),
        2.5,
        2.5,
    ),
    "atan": (odd(mp.atan, lambda: mp.pi / 2), 2.5, 2.5),
    "erf": (odd(mp.erf, lambda: mpf(1), saturates=True), 2.5, 2.5),
    "erfc": (plain(mp.erfc, 1, 0.0, 2, saturates=True), 5.5, 4.5),
    "special_erfcx": (plain(erfcx, 1, 0.0, INF), 4.5, 4.5),
    "sqrt": (root, None, None),
    "rsqrt": (reciprocal_root, 1.5, 2.5),
    "deg2rad": (odd(lambda x: x * mp.pi / 180, lambda: mp.inf), 2, 2),
    "rad2deg": (odd(lambda x: x * 180 / mp.pi, lambda: mp.inf), 2, 2),
}

# What lies outside of these is not granted.
LIMITS = {
    "sin": (-1, 1),
    "cos": (-1, 1),
    "tanh": (-1, 1),
    "erf": (-1, 1),
    "erfc": (0, 2),
}

# Inputs at which annex F.10 names a number, which alone is right.
EXACT_AT = {
    "exp": (0,),
    "exp2": (0,),
    "expm1": (-INF,),
    "cos": (0,),
    "cosh": (0,),
    "tanh": (INF, -INF),
    "erf": (INF, -INF),
    "erfc": (-INF,),
}


def neg(x):
    return -x


def add(a, b):
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b or 0.0
    if isinstance(a, Fraction) or isinstance(b, Fraction):
        exact, other = (a, b) if isinstance(a, Fraction) else (b, a)
        return exact if other == 0 else other
    return a + b  # of zeros, infinities and NaN: IEEE 754's


def mul(a, b):
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return unit(a) * unit(b)


def unit(x):
    """A stand-in of a finite factor that is not zero, beside one that is not
    such: only its sign matters."""
    return (1.0 if x > 0 else -1.0) if isinstance(x, Fraction) else x


def div(a, b):
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a / b
    a, b = unit(a), unit(b)
    if b == 0:
        if a == 0 or is_nan(a):
            return NAN
        return INF if negative(a) == negative(b) else -INF
    return a / b


def fmod(a, b):
    """C's: a - b trunc(a / b), exact, of a's sign."""
    if is_nan(a) or is_nan(b) or is_inf(a) or b == 0:
        return NAN
    if is_inf(b) or a == 0:
        return a
    rest = abs(a) % abs(b)
    if rest == 0:
        return -0.0 if negative(a) else 0.0
    return -rest if a < 0 else rest


def remainder(a, b):
    """Python's %: of b's sign; with an infinite divisor of the other sign it
    is that divisor (a - b floor(a / b) of floor(-0...) = -1)."""
    rest = fmod(a, b)
    if is_nan(rest) or rest == 0 or negative(rest) == negative(b):
        return rest
    return b if is_inf(b) else add(rest, b)


def power(a, b):
    """pow of ISO C, annex F.10.4.4."""
    if b == 0 or a == 1:
        return Fraction(1)
    if is_nan(a) or is_nan(b):
        return NAN
    whole = isinstance(b, Fraction) and b.denominator == 1
    odd_power = whole and b.numerator % 2 == 1
    if is_inf(b):
        if abs(a) == 1:
            return Fraction(1)
        return INF if (abs(a) > 1) == (b > 0) else 0.0
    if a == 0 or is_inf(a):
        size = INF if (a == 0) == (b < 0) else 0.0
        return -size if odd_power and negative(a) else size
    if a < 0 and not whole:
        return NAN
    if whole and abs(b) < 64:
        return a**b.numerator
    size = evaluate(lambda u, v: u**v, abs(a), b)
    return -size if a < 0 and odd_power else size


def atan2(y, x):
    if is_nan(y) or is_nan(x):
        return NAN
    if y == 0:
        if negative(x):
            return -fraction(+mp.pi) if negative(y) else fraction(+mp.pi)
        return y
    if is_inf(x) and not is_inf(y):
        if x < 0:
            return fraction(mp.pi) if y > 0 else -fraction(+mp.pi)
        return -0.0 if y < 0 else 0.0
    if is_inf(y):
        size = (
            mp.pi / 2
            if not is_inf(x)
            else mp.pi / 4 if x > 0 else 3 * mp.pi / 4
        )
        return fraction(size) if y > 0 else -fraction(size)
    return evaluate(mp.atan2, y, x)


def hypot(a, b):
    if is_inf(a) or is_inf(b):
        return INF
    if is_nan(a) or is_nan(b):
        return NAN
    if a == 0 or b == 0:
        return abs(b) if a == 0 else abs(a)
    return evaluate(lambda u, v: mp.sqrt(u * u + v * v), a, b)
