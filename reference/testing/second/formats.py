"""Element types from their standards: IEEE 754 binary formats, bfloat16, the
8-bit floats of OCP (OFP8, and E8M0 of Microscaling) and of Graphcore and AMD
("fnuz"), two's complement integers and bool.

A number is a Fraction where it is finite and not zero, a Python float where it
is 0.0, -0.0, an infinity or NaN (a Fraction has none of these), and a Python
int where its type is an integer or bool.
"""

import math
from fractions import Fraction

INF = math.inf
NAN = math.nan


def is_nan(x):
    return isinstance(x, float) and x != x


def is_inf(x):
    return isinstance(x, float) and abs(x) == INF


def negative(x):
    """Does x carry a minus sign? -0.0 does."""
    return math.copysign(1, x) < 0 if isinstance(x, float) else x < 0


def number(x):
    """A Python int, float or Fraction as a number of this module."""
    if isinstance(x, float) and (x == 0 or x != x or abs(x) == INF):
        return x
    return Fraction(x) if x else 0.0


def exponent(x):
    """floor(log2 |x|) of a finite x that is not zero."""
    x = abs(x)
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if x >= power_of_two(guess) else guess - 1


def power_of_two(n):
    return Fraction(1 << n) if n >= 0 else Fraction(1, 1 << -n)


def nearest_integer(x):
    """To nearest, ties to even (Python rounds Fractions so)."""
    return round(x)


class Float:
    """A binary floating-point format.

    `top` is the bit pattern of the largest finite element. `kind` says what
    the remaining patterns are: "ieee" has infinity above `top` and NaN above
    that, "fn" only NaN above `top`, "fnuz" NaN in the place of -0.
    """

    is_float = True

    def __init__(self, name, width, precision, least_exponent, top, kind):
        self.name, self.width, self.precision = name, width, precision
        self.emin, self.top, self.kind = least_exponent, top, kind
        self.sign = 1 << (width - 1)
        self.smallest_normal = power_of_two(least_exponent)
        self.largest = self.magnitude(top)
        self.emax = exponent(self.largest)
        self.eps = power_of_two(1 - precision)

    def magnitude(self, code):
        """The value of a pattern without its sign, as if no pattern were
        special: the patterns continue evenly beyond the largest element."""
        field, rest = code >> (self.precision - 1), code & (
            (1 << (self.precision - 1)) - 1
        )
        if field:
            rest |= 1 << (self.precision - 1)
        return rest * power_of_two(self.emin + max(field, 1) - self.precision)

    def decode(self, bits):
        code = bits & ~self.sign
        if self.kind == "fnuz" and bits == self.sign:
            return NAN
        if self.kind == "ieee" and code == self.top + 1:
            return -INF if bits & self.sign else INF
        if code > self.top:
            return NAN
        if not code:
            return -0.0 if bits & self.sign else 0.0
        return (
            -self.magnitude(code) if bits & self.sign else self.magnitude(code)
        )

    def ulp(self, x):
        """ulp(x) of docs/accuracy.md, of a real x that is not zero."""
        return power_of_two(
            min(max(exponent(x), self.emin), self.emax) - self.precision + 1
        )

    def code(self, x, towards=nearest_integer):
        """The pattern of |x|, rounded; beyond `top` the patterns go on as if
        the exponent had no upper end."""
        place = max(exponent(x), self.emin)
        steps = towards(abs(x) / power_of_two(place - self.precision + 1))
        return steps + ((place - self.emin) << (self.precision - 1))

    def signed(self, code, minus):
        """Places on a line, on which -0 is next below +0."""
        return -1 - code if minus else code

    def place_of_bits(self, bits):
        return self.signed(bits & ~self.sign, bool(bits & self.sign))

    def place(self, x):
        """Where the correctly rounded x lies; None for NaN. Overflow is
        infinity, and NaN in a format without."""
        if is_nan(x):
            return None
        if is_inf(x) or x == 0:
            code = 0 if x == 0 else self.top + 1
        else:
            code = min(self.code(x), self.top + 1)
        if code > self.top and self.kind != "ieee":
            return None
        if code == 0 and self.kind == "fnuz":
            return 0  # the only zero
        return self.signed(code, negative(x))

    def round(self, x):
        """x as an element's number."""
        where = self.place(x)
        if where is None:
            return NAN
        code = where if where >= 0 else -1 - where
        if code > self.top:
            return -INF if where < 0 else INF
        value = self.magnitude(code) if code else 0.0
        return -value if where < 0 else value


class Scale(Float):
    """f8e8m0fnu: powers of two alone, 2^(bits - 127), 255 is NaN. All its
    significands are 1, so none is even, and of two neighbours that are equally
    near the larger is right (IEEE 754-2019, 4.3.1, on one digit)."""

    def __init__(self, name):
        self.name, self.width, self.precision, self.kind = name, 8, 1, "fn"
        self.sign, self.top, self.emin, self.emax = 0, 254, -127, 127
        self.largest, self.eps = power_of_two(127), Fraction(1)
        self.smallest_normal = power_of_two(-127)

    def magnitude(self, code):
        return power_of_two(code - 127)

    def decode(self, bits):
        return NAN if bits == 255 else self.magnitude(bits)

    def place_of_bits(self, bits):
        return bits

    def place(self, x):
        if is_nan(x) or is_inf(x) or x <= 0:
            return None
        low = exponent(x)
        code = low + 127 + (x >= 3 * power_of_two(low - 1))
        return None if code > 254 else max(code, 0)


class Integer:
    """Two's complement, or unsigned; bool is one bit."""

    is_float = False

    def __init__(self, name, width, is_signed):
        self.name, self.width, self.is_signed = name, width, is_signed
        self.least = -(1 << (width - 1)) if is_signed else 0
        self.greatest = self.least + (1 << width) - 1

    def wrap(self, n):
        return (n - self.least) % (1 << self.width) + self.least

    def decode(self, bits):
        return self.wrap(bits)

    def place_of_bits(self, bits):
        if bits >> self.width:
            raise ValueError(f"{bits} is no pattern of {self.name}")
        return self.wrap(bits)


FORMATS = {
    f.name: f
    for f in (
        Float("f64", 64, 53, -1022, (2046 << 52) + (1 << 52) - 1, "ieee"),
        Float("f32", 32, 24, -126, (254 << 23) + (1 << 23) - 1, "ieee"),
        Float("f16", 16, 11, -14, 0x7BFF, "ieee"),
        Float("bf16", 16, 8, -126, 0x7F7F, "ieee"),
        Float("f8e5m2", 8, 3, -14, 0x7B, "ieee"),
        Float("f8e4m3fn", 8, 4, -6, 0x7E, "fn"),
        Float("f8e5m2fnuz", 8, 3, -15, 0x7F, "fnuz"),
        Float("f8e4m3fnuz", 8, 4, -7, 0x7F, "fnuz"),
        Scale("f8e8m0fnu"),
        Integer("bool", 1, False),
        Integer("u8", 8, False),
        Integer("u16", 16, False),
        Integer("u32", 32, False),
        Integer("u64", 64, False),
        Integer("i8", 8, True),
        Integer("i16", 16, True),
        Integer("i32", 32, True),
        Integer("i64", 64, True),
    )
}


def category(dtype):
    return (
        "bool"
        if dtype == "bool"
        else "float" if FORMATS[dtype].is_float else "int"
    )


def opmath(dtype):
    """The format in which frameworks compute: f32 for narrower floats."""
    return FORMATS["f32" if dtype in ("f16", "bf16") else dtype]


def float_type(dtype):
    return dtype if category(dtype) == "float" else "f32"


def promote_types(a, b):
    """torch.promote_types, as "Tensor Attributes" describes it."""
    if a == b:
        return a
    rank = {"bool": 0, "int": 1, "float": 2}
    if rank[category(a)] != rank[category(b)]:
        return max(a, b, key=lambda t: rank[category(t)])
    if category(a) == "float":
        wider = max(a, b, key=lambda t: FORMATS[t].width)
        return "f32" if {a, b} == {"f16", "bf16"} else wider
    wide, narrow = sorted(
        (FORMATS[a], FORMATS[b]), key=lambda t: (-t.width, not t.is_signed)
    )
    if wide.is_signed:  # it holds an unsigned type that is narrower
        return next(
            t
            for t in (wide.name, "i16", "i32", "i64")
            if FORMATS[t].greatest >= narrow.greatest
        )
    return (
        {8: "i16", 16: "i32", 32: "i64"}[wide.width]
        if narrow.is_signed
        else wide.name
    )
