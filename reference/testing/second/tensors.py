"""Tensors as the goldens have them, and what all operations share: their
register, promotion, broadcasting, conversion."""

import math
from fractions import Fraction
from itertools import product

from second.answers import Answer
from second.formats import (
    FORMATS,
    category,
    is_inf,
    is_nan,
    number,
    promote_types,
)

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
            dtype = (
                "bool"
                if isinstance(a, bool)
                else "i64" if isinstance(a, int) else "f32"
            )
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
    for dims in zip(
        *([1] * (max(map(len, shapes)) - len(s)) + list(s) for s in shapes)
    ):
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
    return [
        a.at([0 if n == 1 else i for i, n in zip(index[skipped:], a.sizes)])
        for index in product(*map(range, sizes))
    ]


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
    return Answer(
        value if FORMATS[dtype].is_float else FORMATS[dtype].wrap(int(value))
    )


def by_type(dtype, single, double):
    return double if dtype == "f64" else single


# --- Functions of one element


def whole(x, f):
    if not isinstance(x, Fraction):
        return x
    return Fraction(f(x)) if f(x) else (-0.0 if x < 0 else 0.0)
