"""Programs (core/program_text.h) as Python functions for torch.compile."""

import array
import linecache
import math

import kit_path  # noqa: F401
from assay_worker.errors import Failure
from assay_worker.program import DType, Value, parse
from torch_options import CompileOptions
from torch_setup import without_torn_libraries

EAGER = "eager"
# Our names of dtypes to torch's, and back; filled once torch is imported.
DTYPES, NAMES = {}, {}


def source_of(torch, program, device):
    """The function of a parsed program, as text: one within another, so that
    constants are captured. Operations without a tensor make theirs on the
    device, if there is one."""
    inputs = [f"v{i}" for i in range(len(program.inputs))]
    constants = [f"v{c.id}" for c in program.constants]
    body = []
    for call in program.calls:
        text = call_text(call, device if makes_its_own(torch, call) else None)
        if len(call.results) == 1:
            first = "[0]" if returns_list(torch, call.op) else ""
            body.append(f"v{call.results[0]} = {text}{first}")
            continue
        if returns_list(torch, call.op):
            # Each member has a name, and there is no other.
            names = ", ".join(f"v{value}" for value in call.results)
            body.append(f"{names} = {text}")
            continue
        several = f"r{call.results[0]}"
        body.append(f"{several} = {text}")
        body += [f"v{value} = {several}[{k}]"
                 for k, value in enumerate(call.results) if value is not None]
    body.append("return (" + "".join(f"v{n}, " for n in program.outputs) + ")")
    return "\n".join(
        [f"def make(torch, math, {', '.join(constants)}):",
         f"    def program({', '.join(inputs)}):"]
        + ["        " + line for line in body]
        + ["    return program", ""])


def call_text(call, device):
    arguments = [argument_text(a) for a in call.args]
    arguments += [f"{key}={argument_text(a, key)}"
                  for key, a in call.kwargs.items()]
    if device:
        arguments.append(f"device='{device}'")
    return f"torch.ops.{call.op}({', '.join(arguments)})"


def makes_its_own(torch, call):
    """Is no tensor among the arguments to say where the result is? An empty
    list of tensors does not, and takes no device either."""
    flat = list(call.args) + list(call.kwargs.values())
    flat += [one for a in flat if isinstance(a, list) for one in a]
    return (not any(isinstance(a, Value) for a in flat) and
            any(a.name == "device"
                for a in overload(torch, call.op)._schema.arguments))


def returns_list(torch, op):
    """One list of tensors, split's pieces say, whose length its operands
    tell."""
    place = overload(torch, op)
    return (place is not None and
            [str(r.type) for r in place._schema.returns] == ["List[Tensor]"])


def overload(torch, op):
    """None if this torch has none of that name."""
    place = torch.ops
    for part in op.split("."):
        place = getattr(place, part, None)
    return place if isinstance(place, torch._ops.OpOverload) else None


def argument_text(argument, key=""):
    if isinstance(argument, list):
        return f"[{', '.join(argument_text(a) for a in argument)}]"
    if isinstance(argument, Value):
        return f"v{argument.id}"
    if isinstance(argument, DType):
        return str(DTYPES[argument.name])
    # Python has objects for these, not names.
    if isinstance(argument, str) and key in ("memory_format", "layout"):
        return "torch." + argument
    if isinstance(argument, float) and not math.isfinite(argument):
        return f"{'-' if argument < 0 else ''}math." + (
            "nan" if math.isnan(argument) else "inf")
    return repr(argument)


def device_number(text):
    """Which of several devices of one kind the program is for."""
    return parse(text).device


class Program:
    """One compiled program."""

    count = 0

    def __init__(self, torch, text, backend, options, device=None):
        """`device`: where operations without a tensor make theirs."""
        self.torch = torch
        how = CompileOptions(backend, options)
        parsed = parse(text)
        if parsed.device and device:
            device = f"{device.partition(':')[0]}:{parsed.device}"
        self.device = device
        self.check_operations(parsed.calls)
        self.originals = [self.tensor(c) for c in parsed.constants]
        self.constants = [how.captured(torch, self.captured(t))
                          for t in self.originals]
        self.source = source_of(torch, parsed, device)
        Program.count += 1
        # Errors show the line of the program, and every program has code of
        # its own for Dynamo to hang its cache on.
        self.file = f"<assay program {Program.count}>"
        lines = self.source.splitlines(True)
        linecache.cache[self.file] = (len(self.source), None, lines, self.file)
        scope = {}
        exec(compile(self.source, self.file, "exec"), scope)
        function = scope["make"](torch, math, *self.constants)
        self.function = (function if backend == EAGER else
                         how.compile(torch, function))
        self.types = parsed.inputs
        self.backend = backend

    def captured(self, constant):
        """What the function sees of a constant; it may write to that."""
        return constant.to(device=self.device, copy=True)

    def close(self):
        linecache.cache.pop(self.file, None)

    def tensor(self, constant):
        kind = DTYPES[constant.dtype]
        codes = {1: "B", 2: "H", 4: "I", 8: "Q"}
        if not constant.bits:
            return self.torch.empty(constant.sizes, dtype=kind)
        raw = bytearray(
            array.array(codes[kind.itemsize // (1 + kind.is_complex)],
                        constant.bits).tobytes())
        return self.torch.frombuffer(raw, dtype=kind).reshape(
            constant.sizes).clone()

    def check_operations(self, calls):
        for call in calls:
            op, taken = call.op, len(call.results)
            place = overload(self.torch, op)
            if place is None:
                raise Failure("unsupported", "torch "
                              f"{self.torch.__version__} has no {op}")
            if returns_list(self.torch, op):
                continue
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
            1 + sum((n - 1) * s for n, s in zip(t.sizes, t.strides) if n),
            dtype=DTYPES[t.dtype],
            device=self.device).as_strided(t.sizes, t.strides).detach()
            for t in self.types]
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
        self.torch.manual_seed(0)  # each run draws the same numbers (D1)
        with self.torch.no_grad():
            return self.function(*inputs)
