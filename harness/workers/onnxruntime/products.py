"""Contractions, convolutions, pooling, resizing and normalization."""

import numpy as np

from graph import op
from table import (attribute, number, only, operation, reshaped,
                   together)


@operation("mm.default", "bmm.default", "mv.default", "matmul.default",
           "dot.default")
def matmul(a, b):
    return op.MatMul(a, b)


@operation("outer.default")
def outer(a, b):
    a, b = together(a, b)
    return op.Mul(reshaped(a, [a.size, 1]), b)


def gemm(a, b, c, beta=1, alpha=1, transposed=0):
    """Where beta is 0, ATen does not read c."""
    return op.Gemm(a, b, None if beta == 0 else c,
                   alpha=attribute(alpha, a.dtype),
                   beta=attribute(beta, a.dtype), transB=transposed)


@operation("addmm.default")
def addmm(c, a, b, beta=1, alpha=1):
    return gemm(a, b, c, beta, alpha)


@operation("addmv.default")
def addmv(c, a, v, beta=1, alpha=1):
    if c.ndim == 1:
        c = reshaped(c, [c.size, 1])
    out = gemm(a, reshaped(v, [v.size, 1]), c, beta, alpha)
    return reshaped(out, [a.shape[0]])


@operation("linear.default")
def linear(x, weight, bias=None):
    if bias is None or weight.ndim == 1:
        only(bias is None, "a vector's product with a bias")
        return op.MatMul(x, weight if weight.ndim == 1 else
                         op.Transpose(weight, perm=[1, 0]))
    rows = x.size // x.shape[-1] if x.shape[-1] else int(
        np.prod(x.shape[:-1]))
    out = gemm(reshaped(x, [rows, x.shape[-1]]), weight, bias, transposed=1)
    return reshaped(out, [*x.shape[:-1], weight.shape[0]])


def pair(value):
    return list(value) * (2 // len(value))


def batched(x):
    """An image alone is a batch of one."""
    return x if x.ndim == 4 else reshaped(x, [1, *x.shape])


def unbatched(out, x):
    return out if x.ndim == 4 else reshaped(out, out.shape[1:])


@operation("conv2d.default")
def conv2d(x, weight, bias=None, stride=(1, 1), padding=(0, 0),
           dilation=(1, 1), groups=1):
    return unbatched(op.Conv(
        batched(x), weight, bias, strides=pair(stride),
        pads=pair(padding) * 2, dilations=pair(dilation), group=groups), x)


@operation("max_pool2d_with_indices.default")
def max_pool2d(x, kernel, stride=(), padding=(0, 0), dilation=(1, 1),
               ceil_mode=False):
    values, places = op.MaxPool(
        batched(x), outputs=2, kernel_shape=pair(kernel),
        strides=pair(stride or kernel), pads=pair(padding) * 2,
        dilations=pair(dilation), ceil_mode=int(ceil_mode))
    # ONNX counts through the whole tensor, ATen through each plane.
    plane = number(x.shape[-2] * x.shape[-1], "i64")
    return unbatched(values, x), unbatched(op.Mod(places, plane), x)


@operation("avg_pool2d.default")
def avg_pool2d(x, kernel, stride=(), padding=(0, 0), ceil_mode=False,
               count_include_pad=True, divisor_override=None):
    only(divisor_override is None, "ONNX's AveragePool takes no divisor")
    return unbatched(op.AveragePool(
        batched(x), kernel_shape=pair(kernel), strides=pair(stride or kernel),
        pads=pair(padding) * 2, ceil_mode=int(ceil_mode),
        count_include_pad=int(count_include_pad)), x)


@operation("adaptive_avg_pool2d.default")
def adaptive_avg_pool2d(x, output_size):
    sizes = list(zip(x.shape[-2:], output_size))
    only(all(n and n % k == 0 for n, k in sizes if k) and all(output_size),
         "ONNX has windows of one size only")
    return avg_pool2d(x, [n // k for n, k in sizes])


def nearest(x, output_size, *scales):
    """floor(place * in / out), which is ONNX's asymmetric."""
    only(all(s is None for s in scales), "scales beside the sizes")
    return op.Resize(x, None, None, [*x.shape[:2], *output_size],
                     mode="nearest", nearest_mode="floor",
                     coordinate_transformation_mode="asymmetric")


operation("upsample_nearest1d.default", "upsample_nearest2d.default")(nearest)


@operation("upsample_bilinear2d.default")
def bilinear(x, output_size, align_corners, *scales):
    only(all(s is None for s in scales), "scales beside the sizes")
    return op.Resize(
        x, None, None, [*x.shape[:2], *output_size], mode="linear",
        coordinate_transformation_mode=(
            "align_corners" if align_corners else "half_pixel"))


def given_or(x, default, like, shape):
    return x if x is not None else op.Expand(number(default, like.dtype),
                                             list(shape))


@operation("batch_norm.default")
def batch_norm(x, weight, bias, mean, var, training, momentum, eps,
               cudnn_enabled):
    only(not training, "in training ATen's result needs no running statistics")
    channels = [x.shape[1]]
    return op.BatchNormalization(
        x, given_or(weight, 1, x, channels), given_or(bias, 0, x, channels),
        mean, var, epsilon=attribute(eps, x.dtype))


@operation("layer_norm.default")
def layer_norm(x, shape, weight=None, bias=None, eps=1e-5,
               cudnn_enable=True):
    return native_layer_norm(x, shape, weight, bias, eps)[0]


@operation("native_layer_norm.default")
def native_layer_norm(x, shape, weight, bias, eps):
    return op.LayerNormalization(
        x, given_or(weight, 1, x, shape), bias, outputs=3,
        axis=x.ndim - len(shape), epsilon=attribute(eps, x.dtype),
        stash_type=stash(x))


def stash(x):
    """The precision of the statistics: ATen's opmath."""
    return 11 if x.dtype == "f64" else 1


@operation("group_norm.default")
def group_norm(x, groups, weight=None, bias=None, eps=1e-5,
               cudnn_enabled=True):
    channels = [x.shape[1]]
    return op.GroupNormalization(
        x, given_or(weight, 1, x, channels), given_or(bias, 0, x, channels),
        num_groups=groups, epsilon=attribute(eps, x.dtype),
        stash_type=stash(x))


@operation("rms_norm.default")
def rms_norm(x, shape, weight=None, eps=None):
    if eps is None:
        eps = float(np.finfo("f8" if x.dtype == "f64" else "f4").eps)
    return op.RMSNormalization(
        x, given_or(weight, 1, x, shape), axis=x.ndim - len(shape),
        epsilon=attribute(eps, x.dtype), stash_type=stash(x))
