"""What is timed on a GPU: programs by name and size, as in kernels.py. A
tensor of the sizes here has 2^26 elements: of f32 256 MiB, four times the L2 of
an H200 and more of others."""

WIDE = (16384, 4096)
# Rows of 1 k to 16 k columns.
ROWS = ((65536, 1024), (16384, 4096), (8192, 8192), (4096, 16384))
KERNELS = []  # (name, function of its shape, shapes)


def kernel(*shapes):
    def add(function):
        KERNELS.append((function.__name__, function, shapes))
        return function
    return add


@kernel(WIDE)
def triad(t, m, n):
    a, b, c = (t.input("f32", m, n) for _ in range(3))
    return t.returns(t.add(t.mul(a, b), c))


@kernel(WIDE)
def bias_gelu(t, m, n):
    x, b = t.input("f32", m, n), t.input("f32", n)
    return t.returns(t.call("gelu", t.add(x, b)))


@kernel(WIDE)
def chain_14(t, m, n):
    x, y = t.input("f32", m, n), t.input("f32", m, n)
    v = t.call("sigmoid", t.mul(x, y))
    v = t.add(t.call("tanh", v), x)
    v = t.mul(t.call("exp", t.call("neg", t.call("abs", v))), y)
    v = t.call("gelu", t.add(v, x))
    v = t.call("sub", v, y, overload="Tensor")
    v = t.call("relu", t.mul(v, v))
    return t.returns(t.call("sqrt", t.call("add", v, "1.0",
                                           overload="Tensor")))


@kernel((32768, 4096))
def silu_mul_bf16(t, m, n):
    x, y = t.input("bf16", m, n), t.input("bf16", m, n)
    return t.returns(t.mul(t.call("silu", x), y))


@kernel((32768, 4096))
def gelu_f16(t, m, n):
    return t.returns(t.call("gelu", t.input("f16", m, n)))


@kernel(*ROWS)
def softmax(t, m, n):
    return t.returns(t.call("softmax", t.input("f32", m, n), "-1",
                            overload="int"))


@kernel(*ROWS)
def layer_norm(t, m, n):
    x, w, b = t.input("f32", m, n), t.input("f32", n), t.input("f32", n)
    return t.returns(t.call("layer_norm", x, f"[{n}]", w, b))


@kernel(*ROWS)
def rms_norm(t, m, n):
    x, w = t.input("f32", m, n), t.input("f32", n)
    return t.returns(t.call("rms_norm", x, f"[{n}]", w, "1e-05"))


@kernel((32768, 4096))
def softmax_bf16(t, m, n):
    return t.returns(t.call("softmax", t.input("bf16", m, n), "-1",
                            overload="int"))


@kernel((32768, 4096))
def rms_norm_bf16(t, m, n):
    x, w = t.input("bf16", m, n), t.input("bf16", n)
    return t.returns(t.call("rms_norm", x, f"[{n}]", w, "1e-05"))


@kernel(WIDE)
def column_sum(t, m, n):
    return t.returns(t.call("sum", t.input("f32", m, n), "[0]",
                            overload="dim_IntList"))


@kernel(WIDE)
def full_sum(t, m, n):
    return t.returns(t.call("sum", t.input("f32", m, n)))


@kernel(WIDE)
def var(t, m, n):
    return t.returns(t.call("var", t.input("f32", m, n), "[1]",
                            overload="correction"))


@kernel(WIDE)
def transposed_add(t, m, n):
    x = t.input("f32", m, n)
    y = t.input("f32", m, n, strides=(1, m))
    return t.returns(t.add(x, y))


@kernel(WIDE)
def transposed(t, m, n):
    return t.returns(t.call("reshape", t.call("t", t.input("f32", m, n)),
                            f"[{m * n}]"))


@kernel((4096, 4096, 4096))
def mm_bf16(t, m, n, k):
    return t.returns(t.call("mm", t.input("bf16", m, k),
                            t.input("bf16", k, n)))
