"""What is timed: programs (core/program_text.h) by name and size.

A program is the text that every contestant is given. `shapes` are those of its
inputs; integers mark operands that hold indices below that number.
"""

SMALL, LARGE = (64, 1024), (4096, 4096)
KERNELS = []  # (name, function of its shape, shapes)
BY_NAME = set()  # those that are not in the table: timed where a filter says so


def kernel(*shapes, by_name=False):
    def add(function):
        KERNELS.append((function.__name__, function, shapes))
        if by_name:
            BY_NAME.add(function.__name__)
        return function
    return add


class Text:
    """A program under construction: values are numbers."""

    def __init__(self):
        self.lines, self.count, self.limits = ["assay-program 1"], 0, []

    def line(self, text):
        self.lines.append(f"%{self.count} = {text}")
        self.count += 1
        return self.count - 1

    def input(self, dtype, *sizes, strides=None, below=None):
        self.limits.append(below)
        layout = f" strides{list(strides)}" if strides else ""
        return self.line(f"input {dtype}{list(sizes)}{layout}")

    def call(self, op, *args, overload="default", **kwargs):
        """Integers are values; other arguments are given as text."""
        given = [f"%{a}" if isinstance(a, int) else a for a in args]
        given += [f"{k}={v}" for k, v in kwargs.items()]
        return self.line(f"aten.{op}.{overload}({', '.join(given)})")

    def add(self, a, b):
        return self.call("add", a, b, overload="Tensor")

    def mul(self, a, b):
        return self.call("mul", a, b, overload="Tensor")

    def returns(self, *values):
        self.lines.append("return " + ", ".join(f"%{v}" for v in values))
        return "\n".join(self.lines) + "\n", self.limits


@kernel(SMALL, LARGE)
def triad(t, m, n):
    a, b, c = (t.input("f32", m, n) for _ in range(3))
    return t.returns(t.add(t.mul(a, b), c))


@kernel(SMALL, LARGE)
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


@kernel(SMALL, LARGE)
def bias_gelu(t, m, n):
    x, b = t.input("f32", m, n), t.input("f32", n)
    return t.returns(t.call("gelu", t.add(x, b)))


@kernel(SMALL, LARGE)
def gelu_f16(t, m, n):
    return t.returns(t.call("gelu", t.input("f16", m, n)))


@kernel(SMALL, LARGE)
def silu_mul_bf16(t, m, n):
    x, y = t.input("bf16", m, n), t.input("bf16", m, n)
    return t.returns(t.mul(t.call("silu", x), y))


@kernel(SMALL, LARGE)
def softmax(t, m, n):
    return t.returns(t.call("softmax", t.input("f32", m, n), "-1",
                            overload="int"))


@kernel(SMALL, LARGE)
def softmax_bf16(t, m, n):
    return t.returns(t.call("softmax", t.input("bf16", m, n), "-1",
                            overload="int"))


@kernel(SMALL, LARGE)
def layer_norm(t, m, n):
    x, w, b = t.input("f32", m, n), t.input("f32", n), t.input("f32", n)
    return t.returns(t.call("layer_norm", x, f"[{n}]", w, b))


@kernel(SMALL, LARGE)
def rms_norm(t, m, n):
    x, w = t.input("f32", m, n), t.input("f32", n)
    return t.returns(t.call("rms_norm", x, f"[{n}]", w, "1e-05"))


@kernel(SMALL, LARGE)
def residual_layer_norm(t, m, n):
    x, y = t.input("f32", m, n), t.input("f32", m, n)
    w, b = t.input("f32", n), t.input("f32", n)
    s = t.add(x, y)
    return t.returns(t.call("layer_norm", s, f"[{n}]", w, b), s)


@kernel(SMALL, LARGE)
def log_softmax_nll(t, m, n):
    x = t.input("f32", m, n)
    target = t.input("i64", m, 1, below=n)
    p = t.call("log_softmax", x, "-1", overload="int")
    taken = t.call("gather", p, "1", target)
    return t.returns(t.call("neg", t.call("mean", taken)))


@kernel(SMALL, LARGE)
def transposed_add(t, m, n):
    x = t.input("f32", m, n)
    y = t.input("f32", m, n, strides=(1, m))
    return t.returns(t.add(x, y))


@kernel(SMALL, LARGE)
def column_sum(t, m, n):
    return t.returns(t.call("sum", t.input("f32", m, n), "[0]",
                            overload="dim_IntList"))


@kernel(SMALL, LARGE)
def full_sum(t, m, n):
    return t.returns(t.call("sum", t.input("f32", m, n)))


@kernel(SMALL, LARGE)
def var(t, m, n):
    return t.returns(t.call("var", t.input("f32", m, n), "[1]",
                            overload="correction"))


@kernel((512, 512, 512))
def addmm_gelu(t, m, n, k):
    bias, a, b = t.input("f32", n), t.input("f32", m, k), t.input("f32", k, n)
    return t.returns(t.call("gelu", t.call("addmm", bias, a, b)))


@kernel((512, 512, 512))
def mm(t, m, n, k):
    return t.returns(t.call("mm", t.input("f32", m, k), t.input("f32", k, n)))


@kernel((16, 128, 64))
def bmm(t, b, m, k):
    return t.returns(t.call("bmm", t.input("f32", b, m, k),
                            t.input("f32", b, k, m)))


@kernel((4, 32, 32))
def conv2d_relu(t, n, c, side):
    x, w = t.input("f32", n, c, side, side), t.input("f32", c, c, 3, 3)
    b = t.input("f32", c)
    return t.returns(t.call("relu", t.call("conv2d", x, w, b, "[1, 1]",
                                           "[1, 1]")))


@kernel(SMALL, LARGE)
def embedding_add(t, m, n):
    table, at = t.input("f32", 1000, n), t.input("i64", m, below=1000)
    y = t.input("f32", m, n)
    return t.returns(t.add(t.call("embedding", table, at), y))


@kernel((16, 64, 64), (64, 256, 256))
def upsample_bilinear(t, c, h, w):
    x = t.input("f32", 1, c, h, w)
    return t.returns(t.call("upsample_bilinear2d", x, f"[{2 * h}, {2 * w}]",
                            "false"))


@kernel(SMALL, by_name=True)
def rotary(t, m, n):
    x, a = t.input("f32", m, n), t.input("f32", m, n)
    return t.returns(t.add(t.mul(x, t.call("cos", a)),
                           t.mul(x, t.call("sin", a))))


@kernel(SMALL, by_name=True)
def tan(t, m, n):
    return t.returns(t.call("tan", t.input("f32", m, n)))


@kernel(SMALL, by_name=True)
def glu(t, m, n):
    return t.returns(t.call("glu", t.input("f32", m, n), "1"))


@kernel(SMALL, by_name=True)
def floor_divide(t, m, n):
    return t.returns(t.call("floor_divide", t.input("f32", m, n),
                            t.input("f32", m, n)))


@kernel((8, 64, 16, 16), by_name=True)
def channel_sum(t, n, c, h, w):
    return t.returns(t.call("sum", t.input("f32", n, c, h, w), "[0, 2, 3]",
                            overload="dim_IntList"))


@kernel((4, 32, 64, 64), by_name=True)
def avg_pool(t, n, c, h, w):
    return t.returns(t.call("avg_pool2d", t.input("f32", n, c, h, w),
                            "[3, 3]", "[2, 2]", "[1, 1]"))


@kernel((4, 32, 64, 64), by_name=True)
def max_pool(t, n, c, h, w):
    x = t.input("f32", n, c, h, w)
    values = t.call("max_pool2d_with_indices", x, "[2, 2]", "[2, 2]")
    return t.returns(values, t.line(f"getitem(%{values}, 1)"))


@kernel((1, 16, 64, 64), by_name=True)
def upsample_bicubic(t, n, c, h, w):
    return t.returns(t.call("upsample_bicubic2d", t.input("f32", n, c, h, w),
                            f"[{3 * h // 2}, {3 * w // 2}]", "false"))


@kernel((4, 16, 128), by_name=True)
def upsample_linear(t, n, c, w):
    return t.returns(t.call("upsample_linear1d", t.input("f32", n, c, w),
                            f"[{2 * w}]", "false"))


@kernel((1, 8, 8, 16, 16), by_name=True)
def upsample_trilinear(t, n, c, d, h, w):
    return t.returns(t.call("upsample_trilinear3d",
                            t.input("f32", n, c, d, h, w),
                            f"[{2 * d}, {3 * h // 2}, {3 * w // 2}]", "false"))


@kernel((1, 16, 64, 64), by_name=True)
def grid_sample(t, n, c, h, w):
    return t.returns(t.call("grid_sampler_2d", t.input("f32", n, c, h, w),
                            t.input("f32", n, h, w, 2), "0", "0", "false"))


@kernel(SMALL, by_name=True)
def scatter_add(t, m, n):
    x, at = t.input("f32", m, n), t.input("i64", m, n, below=n)
    return t.returns(t.call("scatter_add", x, "1", at, t.input("f32", m, n)))


@kernel((16, 32), by_name=True)
def col2im(t, c, side):
    x = t.input("f32", 1, 9 * c, side * side)
    return t.returns(t.call("col2im", x, f"[{side}, {side}]", "[3, 3]",
                            "[1, 1]", "[1, 1]", "[1, 1]"))


@kernel(SMALL, by_name=True)
def scatter(t, m, n):
    x, at = t.input("f32", m, n), t.input("i64", m, n, below=n)
    return t.returns(t.call("scatter", x, "1", at, t.input("f32", m, n),
                            overload="src"))


@kernel((16, 32), by_name=True)
def im2col(t, c, side):
    return t.returns(t.call("im2col", t.input("f32", 1, c, side, side),
                            "[3, 3]", "[1, 1]", "[1, 1]", "[1, 1]"))


@kernel((8, 10, 16), by_name=True)
def conv3d(t, c, depth, side):
    return t.returns(t.call("conv3d", t.input("f32", 1, c, depth, side, side),
                            t.input("f32", c, c, 3, 3, 3)))


@kernel((2, 8, 128, 64), by_name=True)
def attention(t, b, heads, length, width):
    q, k, v = (t.input("f32", b, heads, length, width) for _ in range(3))
    return t.returns(t.call("scaled_dot_product_attention", q, k, v))


@kernel((2, 8, 128, 64), by_name=True)
def attention_by_hand(t, b, heads, length, width):
    q, k, v = (t.input("f32", b * heads, length, width) for _ in range(3))
    scores = t.call("bmm", q, t.call("transpose", k, "1", "2",
                                     overload="int"))
    scores = t.call("mul", scores, str(width ** -0.5), overload="Tensor")
    weights = t.call("softmax", scores, "-1", overload="int")
    return t.returns(t.call("bmm", weights, v))


@kernel((64, 1024, 1024), (1, 1024, 1024), by_name=True)
def linear(t, m, n, k):
    return t.returns(t.call("linear", t.input("f32", m, k),
                            t.input("f32", n, k), t.input("f32", n)))


@kernel((8, 128, 14), by_name=True)
def global_avg_pool(t, n, c, side):
    return t.returns(t.call("_adaptive_avg_pool2d",
                            t.input("f32", n, c, side, side), "[1, 1]"))


@kernel(SMALL, by_name=True)
def one_hot(t, m, n):
    x, y = t.input("i64", m, 1, below=n), t.input("i64", n)
    return t.returns(t.call("_to_copy", t.call("eq", x, y, overload="Tensor"),
                            dtype="f32"))


@kernel(SMALL, (16384, 10), by_name=True)
def cross_entropy(t, m, n):
    return t.returns(t.call("cross_entropy_loss", t.input("f32", m, n),
                            t.input("i64", m, below=n)))


@kernel(SMALL, by_name=True)
def binary_cross_entropy(t, m, n):
    x, y = t.input("f32", m, n), t.input("f32", m, n)
    return t.returns(t.call("binary_cross_entropy", t.call("sigmoid", x),
                            t.call("sigmoid", y)))


@kernel(SMALL, by_name=True)
def cosine_similarity(t, m, n):
    return t.returns(t.call("cosine_similarity", t.input("f32", m, n),
                            t.input("f32", m, n), "1"))


def text_of(function, shape):
    """(program text, a limit of the indices that each input holds or None)"""
    return function(Text(), *shape)
