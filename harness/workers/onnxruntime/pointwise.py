"""Operations on single elements: arithmetic, elementary functions,
comparisons, bits and choices."""

import numpy as np
from assay_worker.dtypes import itemsize

from graph import TYPES, op
from table import (as_float, cast, common_name, floats, floats_together,
                   in_opmath, integers, number, only, operation, together)

# Of one operand, in its dtype.
SAME = {"abs": "Abs", "neg": "Neg", "positive": "Identity", "sign": "Sign",
        "relu": "Relu", "ceil": "Ceil", "floor": "Floor", "round": "Round",
        "isnan": "IsNaN", "isinf": "IsInf"}
# Integers become f32 first.
FLOAT = {"exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos", "tan": "Tan",
         "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh",
         "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh", "acosh": "Acosh",
         "atanh": "Atanh", "sqrt": "Sqrt", "reciprocal": "Reciprocal",
         "erf": "Erf", "sigmoid": "Sigmoid"}
# Of two in the common dtype.
BINARY = {"maximum.default": "Max", "minimum.default": "Min",
          "clamp_min.default": "Max", "clamp_max.default": "Min",
          "clamp_min.Tensor": "Max", "clamp_max.Tensor": "Min",
          "eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater",
          "ge": "GreaterOrEqual"}
# The same; of bools an operator of their own.
BITWISE = {"bitwise_and": ("BitwiseAnd", "And"),
           "bitwise_or": ("BitwiseOr", "Or"),
           "bitwise_xor": ("BitwiseXor", "Xor")}


def same(kind):
    return lambda x: getattr(op, kind)(x)


def of_float(kind):
    return lambda x: getattr(op, kind)(as_float(x))


def binary(kind):
    return lambda a, b: getattr(op, kind)(*together(a, b))


def bitwise(kinds):
    def entry(a, b):
        a, b = together(a, b)
        return getattr(op, kinds[a.dtype == "bool"])(a, b)
    return entry


for names, entry in ((SAME, same), (FLOAT, of_float), (BINARY, binary),
                     (BITWISE, bitwise)):
    for name, kind in names.items():
        two = entry in (binary, bitwise) and "." not in name
        for suffix in ((".Tensor", ".Scalar") if two else
                       ("" if "." in name else ".default",)):
            operation(name + suffix)(entry(kind))


@operation("ne.Tensor", "ne.Scalar")
def ne(a, b):
    return op.Not(op.Equal(*together(a, b)))


@operation("_to_copy.default", "to.dtype")
def to_copy(x, dtype=None):
    return x if dtype is None else cast(x, dtype.name)


def scaled_sum(of):
    """a + alpha b: rounded once, so in opmath, where alpha is not 1."""
    def entry(a, b, alpha=1):
        a, b = together(a, b)
        if alpha == 1:
            return of(a, b)
        scale = in_opmath(
            lambda a, b: of(a, op.Mul(b, number(alpha, b.dtype))))
        return scale(a, b)
    return entry


def add(a, b):
    return op.Or(a, b) if a.dtype == "bool" else op.Add(a, b)


operation("add.Tensor")(scaled_sum(add))
subtract = operation("sub.Tensor")(scaled_sum(op.Sub))


@operation("rsub.Scalar")
def rsub(a, b, alpha=1):
    return subtract(b, a, alpha)


@operation("mul.Tensor")
def mul(a, b):
    a, b = together(a, b)
    return op.And(a, b) if a.dtype == "bool" else op.Mul(a, b)


@operation("square.default")
def square(x):
    x = cast(x, "i64") if x.dtype == "bool" else x
    return op.Mul(x, x)


@operation("div.Tensor", "div.Scalar")
def div(a, b):
    return op.Div(*floats_together(a, b))


def floored(a, b):
    """Of integers, where ONNX's division truncates: one less where something
    is left and the signs differ."""
    quotient = op.Div(a, b)
    if a.dtype.startswith("u"):
        return quotient
    zero = number(0, a.dtype)
    inexact = op.Not(op.Equal(op.Mod(a, b), zero))
    below = op.And(inexact, op.Xor(op.Less(a, zero), op.Less(b, zero)))
    return op.Sub(quotient, cast(below, a.dtype))


@operation("floor_divide.default", "floor_divide.Scalar")
def floor_divide(a, b):
    a, b = together(a, b)
    only(integers(a), "ONNX has no floored division of floats; of what is "
         "rounded before, Floor(Div) is another function")
    return floored(a, b)


@operation("div.Tensor_mode", "div.Scalar_mode")
def div_mode(a, b, rounding_mode=None):
    if rounding_mode is None:
        return div(a, b)
    if rounding_mode == "floor":
        return floor_divide(a, b)
    a, b = together(a, b)
    only(integers(a), "ONNX has no truncation of floats")
    return op.Div(a, b)


# From opset 28 on Mod is Python's remainder of floats, too.
@operation("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def remainder(a, b):
    return op.Mod(*together(a, b), fmod=0)


@operation("fmod.Tensor", "fmod.Scalar")
def fmod(a, b):
    return op.Mod(*together(a, b), fmod=1)


@operation("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar")
def power(a, b):
    return op.Pow(*together(a, b))


@operation("float_power.Tensor_Tensor", "float_power.Tensor_Scalar",
           "float_power.Scalar")
def float_power(a, b):
    return op.Pow(cast(a, "f64"), cast(b, "f64"))


@operation("exp2.default")
def exp2(x):
    x = as_float(x)
    return op.Pow(number(2, x.dtype), x)


@operation("rsqrt.default")
def rsqrt(x):
    """1 / sqrt(x), as it is documented."""
    return in_opmath(lambda x: op.Reciprocal(op.Sqrt(x)))(as_float(x))


@operation("isposinf.default")
def isposinf(x):
    return op.IsInf(x, detect_negative=0)


@operation("isneginf.default")
def isneginf(x):
    return op.IsInf(x, detect_positive=0)


@operation("isfinite.default")
def isfinite(x):
    return op.Not(op.Or(op.IsNaN(x), op.IsInf(x)))


@operation("signbit.default")
def signbit(x):
    """Of a float its first bit, which makes an integer negative."""
    if floats(x):
        x = op.BitCast(x, to=TYPES[f"i{8 * itemsize(x.dtype)}"])
    return op.Less(x, number(0, x.dtype))


@operation("logical_not.default")
def logical_not(x):
    return op.Not(cast(x, "bool"))


def logical(kind):
    return lambda a, b: getattr(op, kind)(cast(a, "bool"), cast(b, "bool"))


for kind in ("And", "Or", "Xor"):
    operation(f"logical_{kind.lower()}.default")(logical(kind))


@operation("bitwise_not.default")
def bitwise_not(x):
    return op.Not(x) if x.dtype == "bool" else op.BitwiseNot(x)


def shift(direction):
    def entry(a, b):
        a, b = together(a, b)
        only(integers(a), "ONNX shifts integers only")
        return op.BitShift(a, b, direction=direction)
    return entry


for direction, name in (("LEFT", "left"), ("RIGHT", "right")):
    operation(f"bitwise_{name}_shift.Tensor",
              f"bitwise_{name}_shift.Tensor_Scalar",
              f"__{name[0]}shift__.Tensor",
              f"__{name[0]}shift__.Scalar")(shift(direction))


@operation("where.self")
def where(condition, a, b):
    return op.Where(condition, *together(a, b))


@operation("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(x, mask, value):
    return op.Where(mask, cast(value, x.dtype), x)


@operation("clamp.default", "clamp.Tensor")
def clamp(x, low=None, high=None, **bounds):
    low, high = bounds.get("min", low), bounds.get("max", high)
    name = common_name(x, *[b for b in (low, high) if b is not None])
    x, low, high = (b if b is None else cast(b, name) for b in (x, low, high))
    if all(b is not None and b.ndim == 0 for b in (low, high)):
        return op.Clip(x, low, high)
    # Clip's bounds are scalars, and finite where none is given; it is
    # documented as this.
    x = x if low is None else op.Max(x, low)
    return x if high is None else op.Min(high, x)


LARGEST = {"f64": float(np.finfo("f8").max), "f32": 2.0**128 - 2.0**104,
           "f16": 65504.0, "bf16": 2.0**128 - 2.0**120}


@operation("nan_to_num.default")
def nan_to_num(x, nan=None, posinf=None, neginf=None):
    if not floats(x):
        return x
    largest = LARGEST[x.dtype]
    out = op.Where(op.IsNaN(x), number(nan or 0.0, x.dtype), x)
    for find, given, default in ((isposinf, posinf, largest),
                                 (isneginf, neginf, -largest)):
        value = default if given is None else float(given)
        out = op.Where(find(x), number(value, x.dtype), out)
    return out


@operation("deg2rad.default")
def deg2rad(x):
    return scaled_by(x, np.pi / 180)


@operation("rad2deg.default")
def rad2deg(x):
    return scaled_by(x, 180 / np.pi)


def scaled_by(x, factor):
    """As ATen has it: times a constant, in opmath."""
    return in_opmath(lambda x: op.Mul(x, number(factor, x.dtype)))(
        as_float(x))
