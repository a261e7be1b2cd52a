"""Programs (core/program_text.h) as Python functions for torch.compile."""

import array
import linecache
import math
import re

from torch_setup import without_torn_libraries

EAGER = "eager"
# Our names of dtypes to torch's, and back; filled once torch is imported.
DTYPES, NAMES = {}, {}


class Failure(Exception):
    """An answer with "ok": false that is not the program's exception."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def row_major(sizes):
    strides, stride = [], 1
    for size in reversed(sizes):
        strides.insert(0, stride)
        stride *= size or 1
    return strides


def device_number(text):
    """Which of several devices of one kind the program is for."""
    first = re.match(r"assay-program 1(?: device (\d+))?\n", text)
    if not first:
        raise Failure("internal", "only 'assay-program 1' is known")
    return int(first[1] or 0)


class Parser:
    """Reads core/program_text.h's text into the source of a function."""

    TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|%\d+|\[|\]|\(|\)|=|[^\s,=()\[\]]+')

    def __init__(self, text, dtypes, device=None):
        self.dtypes = dtypes
        self.device = device
        self.inputs, self.types = [], []
        self.constants, self.ops = {}, []
        # Calls of several outputs, and the last one that is named.
        self.taken = {}
        for call, output in re.findall(r"= getitem\(%(\d+), (\d+)\)", text):
            self.taken[call] = max(self.taken.get(call, 0), int(output))
        body, returned = [], None
        number = device_number(text)
        if number and device:
            self.device = f"{device.partition(':')[0]}:{number}"
        for line in filter(None, text.splitlines()[1:]):
            if line.startswith("return "):
                returned = re.findall(r"%(\d+)", line)
                continue
            name, _, value = line[1:].partition(" = ")
            if value.startswith("input "):
                self.inputs.append("v" + name)
                self.types.append(self.type(value))
            elif value.startswith("const "):
                self.constants["v" + name] = self.constant(value)
            elif value.startswith("getitem("):
                call, output = re.findall(r"\d+", value)
                body.append(f"v{name} = r{call}[{output}]")
            elif name in self.taken:
                body.append(f"r{name} = {self.call(value, name)}")
                body.append(f"v{name} = r{name}[0]")
            else:
                body.append(f"v{name} = {self.call(value, name)}")
        if returned is None:
            raise Failure("internal", "the program has no return line")
        body.append("return (" + "".join(f"v{n}, " for n in returned) + ")")
        # A function within a function, so that constants are captured.
        self.source = "\n".join(
            [f"def make(torch, math, {', '.join(self.constants)}):",
             f"    def program({', '.join(self.inputs)}):"]
            + ["        " + line for line in body]
            + ["    return program", ""])

    @staticmethod
    def integers(text, base=10):
        return [int(s, base) for s in text.split(",") if s.strip()]

    def type(self, value):
        dtype, sizes, strides = re.fullmatch(
            r"input (\w+)\[([\d, ]*)\](?: strides\[([\d, ]*)\])?",
            value).groups()
        sizes = self.integers(sizes)
        return dtype, sizes, (row_major(sizes) if strides is None
                              else self.integers(strides))

    def constant(self, value):
        dtype, sizes, bits = re.fullmatch(
            r"const (\w+)\[([\d, ]*)\] \{(.*)\}", value).groups()
        return dtype, self.integers(sizes), self.integers(bits, 16)

    def call(self, value, name):
        op, _, rest = value.partition("(")
        self.ops.append((op, self.taken.get(name, 0) + 1))
        tokens = self.TOKEN.findall(rest[:-1])
        args, i = [], 0
        while i < len(tokens):
            prefix = key = ""
            if i + 1 < len(tokens) and tokens[i + 1] == "=":
                key = tokens[i]
                prefix = key + "="
                i += 2
            if tokens[i] == "[":
                end = tokens.index("]", i)
                items = [self.atom(t, key) for t in tokens[i + 1:end]]
                args.append(f"{prefix}[{', '.join(items)}]")
                i = end + 1
            else:
                args.append(prefix + self.atom(tokens[i], key))
                i += 1
        if self.device and "%" not in rest:
            args.append(f"device='{self.device}'")
        return f"torch.ops.{op}({', '.join(args)})"

    def atom(self, token, key):
        words = {"none": "None", "true": "True", "false": "False",
                 "nan": "math.nan", "inf": "math.inf", "-inf": "-math.inf"}
        if token.startswith("%"):
            return "v" + token[1:]
        if token.startswith('"'):
            text = re.sub(r"\\(.)", r"\1", token[1:-1])
            # Python has objects for these, not names.
            if key in ("memory_format", "layout"):
                return "torch." + text
            return repr(text)
        if token in words:
            return words[token]
        if token in self.dtypes:
            return str(self.dtypes[token])
        return token


class Program:
    """One compiled program."""

    count = 0

    def __init__(self, torch, text, backend, options, device=None):
        """`device`: where operations without a tensor make theirs."""
        self.torch = torch
        parsed = Parser(text, DTYPES, device)
        self.device = parsed.device
        self.check_operations(parsed.ops)
        self.originals = [self.tensor(*c) for c in parsed.constants.values()]
        self.constants = [self.captured(t) for t in self.originals]
        self.source = parsed.source
        Program.count += 1
        # Errors show the line of the program, and every program has code of
        # its own for Dynamo to hang its cache on.
        self.file = f"<assay program {Program.count}>"
        lines = self.source.splitlines(True)
        linecache.cache[self.file] = (len(self.source), None, lines, self.file)
        scope = {}
        exec(compile(self.source, self.file, "exec"), scope)
        function = scope["make"](torch, math, *self.constants)
        if backend != EAGER:
            # fullgraph: a graph break would let eager do part of the work, and
            # what is certified here is the compiler. dynamic=False: sizes are
            # the program's own and not a guess from earlier calls.
            function = torch.compile(function, backend=backend, fullgraph=True,
                                     dynamic=False, options=options or None)
        self.function = function
        self.types = parsed.types
        self.backend = backend

    def captured(self, constant):
        """What the function sees of a constant; it may write to that."""
        return constant.to(device=self.device, copy=True)

    def close(self):
        linecache.cache.pop(self.file, None)

    def tensor(self, dtype, sizes, bits):
        kind = DTYPES[dtype]
        codes = {1: "B", 2: "H", 4: "I", 8: "Q"}
        if not bits:
            return self.torch.empty(sizes, dtype=kind)
        raw = bytearray(array.array(codes[kind.itemsize], bits).tobytes())
        return self.torch.frombuffer(raw, dtype=kind).reshape(sizes).clone()

    def check_operations(self, ops):
        for op, taken in ops:
            place = self.torch.ops
            for part in op.split("."):
                place = getattr(place, part, None)
            if not isinstance(place, self.torch._ops.OpOverload):
                raise Failure("unsupported", "torch "
                              f"{self.torch.__version__} has no {op}")
            returns = place._schema.returns
            # Taken are one of one, or several of at least as many.
            if (any(str(r.type) != "Tensor" for r in returns)
                    or taken > len(returns)
                    or (taken == 1) != (len(returns) == 1)):
                plural = "tensor" if taken == 1 else "tensors"
                raise Failure("unsupported",
                              f"{op} does not return {taken} {plural}")

    def generated_code(self):
        """Inductor's own text, from compiling afresh for zeros."""
        if self.backend != "inductor":
            return None
        from torch._inductor import config
        from torch._inductor.graph import GraphLowering
        texts = []
        inputs = [self.torch.zeros(
            1 + sum((n - 1) * s for n, s in zip(sizes, strides) if n),
            dtype=DTYPES[dtype],
            device=self.device).as_strided(sizes, strides).detach()
            for dtype, sizes, strides in self.types]
        before = GraphLowering.save_output_code
        GraphLowering.save_output_code = staticmethod(texts.append)
        try:
            self.torch._dynamo.reset()
            with config.patch(force_disable_caches=True):
                self(inputs)
        except Exception as e:
            texts.append(f"{type(e).__name__}: {e}")
        finally:
            GraphLowering.save_output_code = before
            self.torch._dynamo.reset()
        return "\n".join(texts)

    def __call__(self, inputs):
        if self.backend == EAGER:
            return self.run(inputs)
        return without_torn_libraries(self.torch, lambda: self.run(inputs))

    def run(self, inputs):
        for constant, original in zip(self.constants, self.originals):
            constant.copy_(original)
        with self.torch.no_grad():
            return self.function(*inputs)
