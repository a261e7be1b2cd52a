"""A program's way through torch.compile to a plan, on a StaticDevice."""

import shutil
import warnings

from torch_errors import answer_of, chain_of
from torch_launch_recorder import Recorder
from torch_program import DTYPES, Failure, Program
from torch_triton_launch import install

# What a driver's absence makes torch say: our replacements have a hole then,
# and the program refused nothing.
NO_DRIVER = ("NVIDIA driver", "CUDA driver", "CUDA error", "libcuda")


def error_reply(error, in_program):
    chain = chain_of(error)
    for cause in chain:
        if isinstance(cause, Failure):  # wrapped by the compiler
            error = cause
        elif type(cause).__name__ == "SkipFrame":  # bf16 before sm_80
            error = Failure("unsupported", f"left to eager: {cause}")
    if any(word in str(c) for c in chain for word in NO_DRIVER):
        error = Failure("internal", f"asked for a driver: {error}")
    return answer_of(error, in_program)


class CudaProgram(Program):
    """Constants on the device have a place there, and values that we know."""

    def __init__(self, torch, text, options, mode):
        self.mode = mode
        super().__init__(torch, text, "inductor", options, device="cuda")
        if self.twin:
            raise Failure("internal", "the options calls and grad compare with "
                          "eager mode, and that takes a device")

    def captured(self, constant):
        with self.mode:
            return self.torch.empty_strided(
                constant.shape, constant.stride(), dtype=constant.dtype,
                device=self.device)

    def inputs(self):
        return [self.torch.empty_strided(t.sizes, t.strides,
                                         dtype=DTYPES[t.dtype],
                                         device=self.device)
                for t in self.types]


class Maker:
    def __init__(self, torch, device, scratch):
        """`scratch`: the folder in which Inductor and Triton keep files."""
        self.torch = torch
        self.device = device
        self.scratch = scratch
        self.texts = []
        self.recorder = None
        warnings.simplefilter("ignore")  # about speed
        install(device.target.block_shared_kib << 10, lambda: self.recorder)
        self.install_recorder()
        from torch._inductor.graph import GraphLowering
        GraphLowering.save_output_code = staticmethod(
            lambda code: self.texts.append(code))

    def check(self, options):
        """Raises if Inductor does not know an option; loads what it loads at
        its first program."""
        facts, _ = self.make(
            "assay-program 1\n%0 = input f32[3]\n"
            "%1 = aten.add.Tensor(%0, %0)\nreturn %1\n", options)
        # With some options nothing is a kernel of Triton's.
        if facts["reply"].get("kind", "unsupported") != "unsupported":
            raise Failure("internal", "inductor of torch "
                          f"{self.torch.__version__} cannot compile x + x with "
                          f"options {options} for {self.device.target.name}: "
                          f"{facts['reply']['message'][:300]}")

    def make(self, text, options):
        """What is to be kept of a program: its reply and plan, and CUBINs."""
        self.texts, self.recorder, program = [], None, None
        in_program = False
        try:
            program = CudaProgram(self.torch, text, options,
                                  self.device.fake_mode())
            in_program = True
            results = self.trace(program)
            in_program = False
            plan = self.recorder.plan(
                results, f"sm_{self.device.target.sm}")
            return {"reply": {"ok": True}, "plan": plan,
                    "python": program.source.text,
                    "code": "\n".join(self.texts)}, self.recorder.cubins()
        except Exception as e:
            return {"reply": error_reply(e, in_program)}, []
        finally:
            self.recorder = None
            self.forget(program)

    def trace(self, program):
        """Compiles and calls what was compiled. What the program refuses is
        raised here."""
        with program.mode, self.torch.no_grad():
            inputs = program.inputs()
            self.recorder = Recorder(self.torch, inputs, list(zip(
                program.constants, program.originals)))
            return program.function(*inputs)

    def recorded(self, compiled):
        """Dynamo does not compile under a recorder, so what Inductor returns
        enters it when it is called."""
        def call(*args):
            if self.recorder is None:
                return compiled(*args)
            with self.recorder:
                return compiled(*args)
        return call

    def install_recorder(self):
        wrapper = self.torch._TorchCompileInductorWrapper
        compile_graph = wrapper.__call__
        wrapper.__call__ = lambda backend, graph, inputs: self.recorded(
            compile_graph(backend, graph, inputs))

    def forget(self, program):
        """Keeps hundreds of programs from piling up, here and on disk."""
        if program is not None:
            program.close()
        self.torch._dynamo.reset()
        from torch._inductor.codecache import PyCodeCache
        PyCodeCache.cache_clear()
        shutil.rmtree(self.scratch, ignore_errors=True)
