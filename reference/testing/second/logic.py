"""Comparisons, choices, and operations on bits and truth values."""

from second.answers import Answer
from second.formats import (
    FORMATS,
)
from second.tensors import (
    OPERATIONS,
    answer,
    broadcast,
    each,
    operation,
    result_type,
    rounded,
    shape_of,
)


def comparison(f):
    """Both operands in the type that they promote to (a number first wraps)."""

    def run(a, b):
        sizes, dtype = shape_of(a, b), result_type(a, b)
        pairs = zip(rounded(a, sizes, dtype), rounded(b, sizes, dtype))
        return [("bool", sizes, [Answer(int(f(u, v))) for u, v in pairs])]

    return run


for _name, _f in (
    ("eq", lambda u, v: u == v),
    ("ne", lambda u, v: u != v),
    ("lt", lambda u, v: u < v),
    ("le", lambda u, v: u <= v),
    ("gt", lambda u, v: u > v),
    ("ge", lambda u, v: u >= v),
):
    OPERATIONS[f"aten.{_name}.Tensor"] = comparison(_f)
    OPERATIONS[f"aten.{_name}.Scalar"] = comparison(_f)


def logical(f):
    def run(a, b):
        sizes = shape_of(a, b)
        pairs = zip(broadcast(a, sizes), broadcast(b, sizes))
        return [
            ("bool", sizes, [Answer(int(f(u != 0, v != 0))) for u, v in pairs])
        ]

    return run


for _name, _f in (
    ("and", lambda u, v: u and v),
    ("or", lambda u, v: u or v),
    ("xor", lambda u, v: u != v),
):
    OPERATIONS[f"aten.logical_{_name}.default"] = logical(_f)


@operation("where.self")
def where(condition, a, b):
    dtype, sizes = result_type(a, b), shape_of(condition, a, b)
    rows = zip(
        broadcast(condition, sizes),
        rounded(a, sizes, dtype),
        rounded(b, sizes, dtype),
    )
    return [(dtype, sizes, [answer(u if c else v, dtype) for c, u, v in rows])]


# --- Bits


def bits(f):
    return lambda a, b: each(f, result_type(a, b), a, b)


for _name, _f in (
    ("and", lambda u, v: u & v),
    ("or", lambda u, v: u | v),
    ("xor", lambda u, v: u ^ v),
):
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


for _name, _f in (
    ("left", lambda u, v: u << v),
    ("right", lambda u, v: u >> v),
):
    OPERATIONS[f"aten.bitwise_{_name}_shift.Tensor"] = shift(_f)
    OPERATIONS[f"aten.bitwise_{_name}_shift.Tensor_Scalar"] = shift(_f)
