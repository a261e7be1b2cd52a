"""Operations on single elements."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

from table import (OPERATIONS, as_float, cast, common_name, floats,
                   floats_together, integers, name_of, only, operation,
                   together)

# The result has the operand's dtype.
SAME = {"abs": jnp.abs, "neg": jnp.negative, "positive": jnp.positive,
        "sign": jnp.sign, "relu": jax.nn.relu, "bitwise_not": jnp.bitwise_not,
        "ceil": jnp.ceil, "floor": jnp.floor, "trunc": jnp.trunc,
        "round": jnp.round, "silu": jax.nn.silu, "mish": jax.nn.mish,
        "log_sigmoid": jax.nn.log_sigmoid, "hardswish": jax.nn.hard_swish,
        "hardsigmoid": jax.nn.hard_sigmoid, "selu": jax.nn.selu}
# Integers become f32 first.
FLOAT = {"exp": jnp.exp, "exp2": jnp.exp2, "expm1": jnp.expm1, "log": jnp.log,
         "log2": jnp.log2, "log10": jnp.log10, "log1p": jnp.log1p,
         "sin": jnp.sin, "cos": jnp.cos, "tan": jnp.tan, "asin": jnp.arcsin,
         "acos": jnp.arccos, "atan": jnp.arctan, "sinh": jnp.sinh,
         "cosh": jnp.cosh, "tanh": jnp.tanh, "asinh": jnp.arcsinh,
         "acosh": jnp.arccosh, "atanh": jnp.arctanh, "sqrt": jnp.sqrt,
         "rsqrt": lax.rsqrt, "reciprocal": jnp.reciprocal, "erf": special.erf,
         "erfc": special.erfc, "erfinv": special.erfinv,
         "lgamma": special.gammaln, "digamma": special.digamma,
         "sigmoid": jax.nn.sigmoid, "sinc": jnp.sinc,
         "deg2rad": jnp.deg2rad, "rad2deg": jnp.rad2deg,
         "special_entr": special.entr, "special_ndtr": special.ndtr,
         "special_i0e": special.i0e, "special_i1e": special.i1e}
# The result is bool.
TEST = {"isfinite": jnp.isfinite, "isinf": jnp.isinf, "isnan": jnp.isnan,
        "isneginf": jnp.isneginf, "isposinf": jnp.isposinf,
        "signbit": jnp.signbit, "logical_not": jnp.logical_not}
# Operands in the common dtype.
BINARY = {"maximum.default": jnp.maximum, "minimum.default": jnp.minimum,
          "fmax.default": jnp.fmax, "fmin.default": jnp.fmin,
          "mul.Tensor": jnp.multiply, "eq.Tensor": jnp.equal,
          "ne.Tensor": jnp.not_equal, "lt.Tensor": jnp.less,
          "le.Tensor": jnp.less_equal, "gt.Tensor": jnp.greater,
          "ge.Tensor": jnp.greater_equal, "eq.Scalar": jnp.equal,
          "ne.Scalar": jnp.not_equal, "lt.Scalar": jnp.less,
          "le.Scalar": jnp.less_equal, "gt.Scalar": jnp.greater,
          "ge.Scalar": jnp.greater_equal,
          "bitwise_and.Tensor": jnp.bitwise_and,
          "bitwise_or.Tensor": jnp.bitwise_or,
          "bitwise_xor.Tensor": jnp.bitwise_xor,
          "bitwise_and.Scalar": jnp.bitwise_and,
          "bitwise_or.Scalar": jnp.bitwise_or,
          "bitwise_xor.Scalar": jnp.bitwise_xor,
          "remainder.Tensor": jnp.remainder, "fmod.Tensor": jnp.fmod,
          "remainder.Scalar": jnp.remainder, "fmod.Scalar": jnp.fmod,
          "remainder.Scalar_Tensor": jnp.remainder,
          "nextafter.default": jnp.nextafter, "hypot.default": jnp.hypot,
          "heaviside.default": jnp.heaviside,
          "logaddexp.default": jnp.logaddexp,
          "logaddexp2.default": jnp.logaddexp2,
          "clamp_min.default": jnp.maximum, "clamp_max.default": jnp.minimum,
          "clamp_min.Tensor": jnp.maximum, "clamp_max.Tensor": jnp.minimum,
          "gcd.default": jnp.gcd, "lcm.default": jnp.lcm}
# The same, integers as f32.
FLOAT_BINARY = {"div.Tensor": jnp.divide, "div.Scalar": jnp.divide,
                "copysign.Tensor": jnp.copysign,
                "copysign.Scalar": jnp.copysign,
                "atan2.default": jnp.arctan2, "xlogy.Tensor": special.xlogy,
                "special_xlog1py.default": special.xlog1py}


def same(function):
    return lambda x: function(x)


def of_float(function):
    return lambda x: function(as_float(x))


def binary(function):
    return lambda a, b: function(*together(a, b))


def float_binary(function):
    return lambda a, b: function(*floats_together(a, b))


for names, suffix, entry in ((SAME, ".default", same),
                             (FLOAT, ".default", of_float),
                             (TEST, ".default", same), (BINARY, "", binary),
                             (FLOAT_BINARY, "", float_binary)):
    for name, function in names.items():
        OPERATIONS[f"aten.{name}{suffix}"] = entry(function)


@operation("_to_copy.default", "to.dtype")
def to_copy(x, dtype=None):
    return x if dtype is None else cast(x, dtype.name)


@operation("add.Tensor")
def add(a, b, alpha=1):
    a, b = together(a, b)
    return a + b if alpha == 1 else a + b * cast(alpha, name_of(a))


@operation("sub.Tensor")
def sub(a, b, alpha=1):
    a, b = together(a, b)
    return a - b if alpha == 1 else a - b * cast(alpha, name_of(a))


@operation("rsub.Scalar")
def rsub(a, b, alpha=1):
    return sub(b, a, alpha)


@operation("square.default")
def square(x):
    return jnp.square(cast(x, "i64") if name_of(x) == "bool" else x)


@operation("floor_divide.default", "floor_divide.Scalar")
def floor_divide(a, b):
    return jnp.floor_divide(*together(a, b))


@operation("div.Tensor_mode", "div.Scalar_mode")
def div_mode(a, b, rounding_mode=None):
    if rounding_mode is None:
        return jnp.divide(*floats_together(a, b))
    a, b = together(a, b)
    if rounding_mode == "floor":
        return jnp.floor_divide(a, b)
    # lax.div of integers truncates.
    return (jnp.trunc(a / b) if floats(a)
            else lax.div(*jnp.broadcast_arrays(a, b)))


@operation("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar")
def power(a, b):
    return jnp.power(*together(a, b))


@operation("float_power.Tensor_Tensor", "float_power.Tensor_Scalar",
           "float_power.Scalar")
def float_power(a, b):
    return jnp.power(cast(a, "f64"), cast(b, "f64"))


for name in ("logical_and", "logical_or", "logical_xor"):
    OPERATIONS[f"aten.{name}.default"] = getattr(jnp, name)


@operation("bitwise_left_shift.Tensor", "bitwise_left_shift.Tensor_Scalar",
           "__lshift__.Scalar", "__lshift__.Tensor")
def left_shift(a, b):
    a, b = together(a, b)
    only(integers(a), "JAX shifts integers only")
    return jnp.left_shift(a, b)


@operation("bitwise_right_shift.Tensor", "bitwise_right_shift.Tensor_Scalar",
           "__rshift__.Scalar", "__rshift__.Tensor")
def right_shift(a, b):
    a, b = together(a, b)
    only(integers(a), "JAX shifts integers only")
    return jnp.right_shift(a, b)


@operation("where.self")
def where(condition, a, b):
    return jnp.where(condition, *together(a, b))


@operation("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(x, mask, value):
    return jnp.where(mask, cast(value, name_of(x)), x)


@operation("clamp.default", "clamp.Tensor")
def clamp(x, low=None, high=None, **bounds):
    low, high = bounds.get("min", low), bounds.get("max", high)
    given = [b for b in (low, high) if b is not None]
    name = common_name(x, *given)
    return jnp.clip(cast(x, name), *(
        b if b is None else cast(b, name) for b in (low, high)))


@operation("nan_to_num.default")
def nan_to_num(x, nan=None, posinf=None, neginf=None):
    return jnp.nan_to_num(x, nan=0.0 if nan is None else nan, posinf=posinf,
                          neginf=neginf)


@operation("ldexp.Tensor")
def ldexp(a, b):
    only(integers(b), "jnp.ldexp takes whole exponents")
    return jnp.ldexp(cast(a, name_of(floats_together(a, b)[0])), b)


@operation("logit.default")
def logit(x, eps=None):
    only(eps is None, "jax.scipy.special.logit has no eps")
    return special.logit(as_float(x))


@operation("gelu.default")
def gelu(x, approximate="none"):
    return jax.nn.gelu(x, approximate=approximate == "tanh")


@operation("leaky_relu.default")
def leaky_relu(x, negative_slope=0.01):
    return jax.nn.leaky_relu(x, cast(negative_slope, name_of(x)))


@operation("elu.default")
def elu(x, alpha=1, scale=1, input_scale=1):
    only(scale == 1 and input_scale == 1, "jax.nn.elu has no scales")
    return jax.nn.elu(x, cast(alpha, name_of(x)))


@operation("celu.default")
def celu(x, alpha=1.0):
    return jax.nn.celu(x, cast(alpha, name_of(x)))


@operation("relu6.default")
def relu6(x):
    only(floats(x), "jax.nn.relu6 of integers is a float")
    return jax.nn.relu6(x)


@operation("hardtanh.default")
def hardtanh(x, low=-1, high=1):
    only(low == -1 and high == 1, "jax.nn.hard_tanh is bounded by -1 and 1")
    return jax.nn.hard_tanh(x)


@operation("softplus.default")
def softplus(x, beta=1, threshold=20):
    only(beta == 1, "jax.nn.softplus has no beta")
    # Beyond the threshold ATen returns x: by log1p(exp(x)) that is within the
    # accuracy of both, from 20 on; a lower threshold is another function.
    only(threshold >= 20, "jax.nn.softplus has no threshold")
    return jax.nn.softplus(x)


@operation("glu.default")
def glu(x, dim=-1):
    return jax.nn.glu(x, axis=dim)


@operation("threshold.default")
def threshold(x, bound, other):
    return jnp.where(x > cast(bound, name_of(x)), x, cast(other, name_of(x)))
