"""Activation functions."""

from graph import op
from table import (attribute, cast, floats, in_opmath, number, only,
                   operation, reshaped)


@operation("silu.default")
def silu(x):
    # ONNX defines its operator Swish as this; the runtime has no kernel of it.
    return in_opmath(lambda x: op.Mul(x, op.Sigmoid(x)))(x)


@operation("glu.default")
def glu(x, dim=-1):
    """The first half times sigmoid of the second."""
    only(x.shape[dim] % 2 == 0, "halves of the same size")
    half = x.shape[dim] // 2
    first, second = op.Split(x, [half, half], axis=dim, outputs=2)
    return in_opmath(lambda a, b: op.Mul(a, op.Sigmoid(b)))(first, second)


@operation("mish.default")
def mish(x):
    return op.Mish(x)


@operation("hardswish.default")
def hardswish(x):
    return op.HardSwish(x)


@operation("hardsigmoid.default")
def hardsigmoid(x):
    return op.HardSigmoid(x, alpha=attribute(1 / 6, x.dtype), beta=0.5)


@operation("selu.default")
def selu(x):
    only(x.dtype != "f64", "ONNX's alpha and gamma are rounded to f32")
    return op.Selu(x)


@operation("gelu.default")
def gelu(x, approximate="none"):
    return op.Gelu(x, approximate=approximate)


@operation("leaky_relu.default")
def leaky_relu(x, negative_slope=0.01):
    return op.LeakyRelu(x, alpha=attribute(negative_slope, x.dtype))


@operation("elu.default")
def elu(x, alpha=1, scale=1, input_scale=1):
    only(scale == 1 and input_scale == 1, "ONNX's Elu has no scales")
    return op.Elu(x, alpha=attribute(alpha, x.dtype))


@operation("celu.default")
def celu(x, alpha=1.0):
    return op.Celu(x, alpha=attribute(alpha, x.dtype))


@operation("relu6.default")
def relu6(x):
    return op.Clip(x, number(0, x.dtype), number(6, x.dtype))


@operation("hardtanh.default")
def hardtanh(x, low=-1, high=1):
    return op.Clip(x, cast(low, x.dtype), cast(high, x.dtype))


@operation("softplus.default")
def softplus(x, beta=1, threshold=20):
    only(beta == 1, "ONNX's Softplus has no beta")
    # Beyond the threshold ATen returns x: of log(exp(x) + 1) that is within
    # the accuracy of both, from 20 on; a lower threshold is another function.
    only(threshold >= 20, "ONNX's Softplus has no threshold")
    return op.Softplus(x)


@operation("threshold.default")
def threshold(x, bound, other):
    return op.Where(op.Greater(x, cast(bound, x.dtype)), x,
                    cast(other, x.dtype))


@operation("prelu.default")
def prelu(x, slope):
    if slope.size != 1:  # one for each channel, which is the second dimension
        slope = reshaped(slope, [slope.size] + [1] * (x.ndim - 2))
    elif slope.ndim > x.ndim:
        slope = reshaped(slope, [1] * x.ndim)
    return op.PRelu(x, slope)


def shrunk(bias):
    def shrink(x, bound=0.5):
        only(floats(x), "ONNX's formula of integers wraps")
        result = op.Shrink(x, lambd=attribute(bound, x.dtype),
                           bias=attribute(bound if bias else 0, x.dtype))
        # By ONNX's formula that of NaN is 0, and ATen's is NaN.
        return op.Where(op.IsNaN(x), x, result)
    return shrink


operation("hardshrink.default")(shrunk(False))
operation("softshrink.default")(shrunk(True))
