"""Programs (core/program_text.h) as Python functions for torch.compile."""

import array

import kit_path  # noqa: F401
from assay_worker.errors import Failure
from assay_worker.program import parse
from torch_agreement import require_agreement
from torch_options import CompileOptions
from torch_setup import without_torn_libraries
from torch_source import Source, overload, returns_list
from torch_spelling import DTYPES
from torch_views import INSIDE, first_arguments, share

EAGER = "eager"
# Names of torch's dtypes to ours; filled once torch is imported.
NAMES = {}


def require(condition, message):
    if not condition:
        raise Failure("unsupported", message)


def views_of(function):
    """What makes the views that it takes beside its inputs."""
    return getattr(function, "views", lambda *inputs: ())


def device_number(text):
    """Which of several devices of one kind the program is for."""
    return parse(text).device


class Program:
    """One compiled program."""

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
        source = Source(torch, parsed, device, how.calls, how.numbers,
                        how.views)
        require(how.numbers == "literals" or source.numbers,
                "the program has no numbers to be arguments")
        require(how.views == INSIDE or source.views,
                "the program has no views of inputs to be arguments")
        # What it must do in eager mode to be asked at all.
        self.twin = None
        if how.calls != "overloads" or how.grad:
            self.twin = Source(torch, parsed, device)
            require(how.grad or source.text != self.twin.text,
                    f"the program has no {how.calls} to call")
        self.source = source
        function = source.function(self.constants)
        self.views = views_of(function)
        self.function = (function if backend == EAGER else
                         how.compile(torch, function))
        self.types = parsed.inputs
        self.backend = backend
        self.grad = how.grad
        self.way = how.views

    def captured(self, constant):
        """What the function sees of a constant; it may write to that."""
        return constant.to(device=self.device, copy=True)

    def close(self):
        self.source.close()
        if self.twin:
            self.twin.close()

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
        if self.twin:
            require_agreement(self.torch, self.in_eager(self.twin, False),
                              self.in_eager(self.source, self.grad),
                              inputs,
                              [self.captured(t) for t in self.originals])
        views = self.views(*inputs)
        require(share(views, inputs), "what may be a view is a copy")
        first = first_arguments(self.way, inputs, views)
        if first:
            self.called(self.function, first, self.source.numbers, self.grad)
        for constant, original in zip(self.constants, self.originals):
            constant.copy_(original)
        return self.called(self.function, [*inputs, *views],
                           self.source.numbers, self.grad)

    def in_eager(self, source, grad):
        def call(inputs, constants):
            function = source.function(constants)
            return self.called(function,
                               [*inputs, *views_of(function)(*inputs)],
                               source.numbers, grad)
        return call

    def called(self, function, inputs, numbers, grad):
        self.torch.manual_seed(0)  # each run draws the same numbers (D1)
        for tensor in inputs if grad else []:
            tensor.requires_grad_(tensor.is_floating_point() or
                                  tensor.is_complex())
        with self.torch.set_grad_enabled(grad):
            return function(*inputs, *numbers)
