"""What is timed on a GPU: programs of kernels.py, and some more, in sizes for
its memory. A tensor of the sizes here has 2^26 elements: of f32 256 MiB, four
times the L2 of an H200 and more of others."""

import kernels

WIDE = (16384, 4096)
NARROW = (32768, 4096)  # of elements of 16 bits
# Rows of 1 k to 16 k columns.
ROWS = ((65536, 1024), (16384, 4096), (8192, 8192), (4096, 16384))


def rms_norm_bf16(t, m, n):
    x, w = t.input("bf16", m, n), t.input("bf16", n)
    return t.returns(t.call("rms_norm", x, f"[{n}]", w, "1e-05"))


def transposed(t, m, n):
    return t.returns(t.call("reshape", t.call("t", t.input("f32", m, n)),
                            f"[{m * n}]"))


def mm_bf16(t, m, n, k):
    return t.returns(t.call("mm", t.input("bf16", m, k),
                            t.input("bf16", k, n)))


PROGRAMS = (
    (kernels.triad, (WIDE,)),
    (kernels.bias_gelu, (WIDE,)),
    (kernels.chain_14, (WIDE,)),
    (kernels.silu_mul_bf16, (NARROW,)),
    (kernels.gelu_f16, (NARROW,)),
    (kernels.softmax, ROWS),
    (kernels.layer_norm, ROWS),
    (kernels.rms_norm, ROWS),
    (kernels.softmax_bf16, (NARROW,)),
    (rms_norm_bf16, (NARROW,)),
    (kernels.column_sum, (WIDE,)),
    (kernels.full_sum, (WIDE,)),
    (kernels.var, (WIDE,)),
    (kernels.transposed_add, (WIDE,)),
    (transposed, (WIDE,)),
    (mm_bf16, ((4096, 4096, 4096),)),
)
# (name, function of its shape, shapes)
KERNELS = [(f.__name__, f, shapes) for f, shapes in PROGRAMS]
