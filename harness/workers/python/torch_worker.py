"""Executes programs through torch.compile with any backend, for Assay.

Speaks docs/subject-protocol.md, with what kit/python has for any worker.
Needs nothing but the standard library and torch, 2.10 to 2.15.
`--backend eager` runs the function uncompiled. With the target cuda that
happens on this machine's GPU (torch_gpu.py). With a target such as cuda-sm_90
nothing is executed: torch_cuda_planner.py takes over.
"""

import argparse
import json
import logging
import mmap
import os
import sys

sys.dont_write_bytecode = True  # in the source tree

import kit_path  # noqa: F401
from assay_worker.control import FloatingPointControl
from assay_worker.program import row_major
from assay_worker.records import open_stream, read_record, write_record
from relay import Relay, has_one_thread
from torch_cuda_planner import Planner
from torch_errors import answer_of
from torch_gpu import TARGET, open_gpu
from torch_options import CompileOptions
from torch_program import (DTYPES, EAGER, NAMES, Failure, Program,
                           device_number)
from torch_setup import (cache_folder, prepare_variables, remember_probes,
                         versions, without_torn_libraries)

sys.dont_write_bytecode = False

PROTOCOL = 1
ALIGNMENT = 64


class Worker:
    def __init__(self, backend, shm_fd):
        self.backend = backend
        self.shm = shm_fd
        self.control = FloatingPointControl()
        self.programs = {}
        self.handles = 0
        self.torch = None
        self.in_fork = False
        self.may_fork = True
        self.planner = None
        self.gpu = None

    def hello(self, request):
        if request["protocol"] != PROTOCOL:
            raise Failure("internal", f"protocol {request['protocol']} is "
                          f"asked for, {PROTOCOL} is spoken")
        if request.get("target", "cpu") not in ("cpu", TARGET):
            return self.plan(request)
        self.load_torch()
        # Threads of autograd's engine do not outlive a fork.
        self.may_fork = not (request.get("options") or {}).get("grad")
        if self.is_for_gpu(request):
            self.gpu = self.open_gpu()
        if not request.get("again"):  # it costs a program's compilation
            self.check_backend(request.get("options") or {})
        version = self.torch.__version__.split("+")[0]
        compiles = self.backend != EAGER
        identity = versions(self.torch, self.backend)
        if self.gpu is not None:
            identity.update(self.gpu.facts())
        return {"protocol": PROTOCOL, "version": version,
                "device": self.device_name(),
                "name": self.backend if compiles else "torch-eager",
                "identity": identity,
                "slow_compile": compiles, "allocates_outputs": True}

    def device_name(self):
        if self.gpu is not None:
            return self.gpu.name
        if self.backend != EAGER:
            return "cpu"
        # ATEN_CPU_CAPABILITY decides which kernels are called.
        level = self.torch.backends.cpu.get_cpu_capability()
        return f"cpu-{level.lower()}"

    def open_gpu(self):
        return open_gpu(self.torch)

    @staticmethod
    def is_for_gpu(request):
        return (request.get("verb") == "hello" and
                request.get("target") == TARGET)

    def plan(self, request):
        """From hello on all is the planner's, for a target without device."""
        self.planner = Planner(self.backend, request["target"],
                               self.load_torch)
        return {"protocol": PROTOCOL, **self.planner.hello(
            request.get("options") or {}, cache_folder())}

    def compile(self, request):
        self.forget()
        if self.gpu is not None:
            self.gpu.require(device_number(request["program"]))
        self.handles += 1
        self.programs[self.handles] = Program(
            self.torch, request["program"], self.backend,
            request.get("options"), self.gpu and str(self.gpu.device))
        return {"handle": self.handles}

    def run(self, request):
        program = self.programs[request["handle"]]
        size = os.fstat(self.shm).st_size
        memory = mmap.mmap(self.shm, size)
        inputs, storages = [], []
        for spec in request["inputs"]:
            tensor, place, storage = self.take(memory, spec, program.device)
            inputs.append(tensor)
            storages.append((place, storage))
        self.in_program = True
        results = (program(inputs) if self.gpu is None else
                   self.gpu.call(program, inputs))
        self.in_program = False
        self.leaked = self.control.read()
        self.control.restore()
        for place, storage in storages:
            self.write(memory, place, storage)
        outputs = self.give(results, request["scratch"])
        # What the program returned, which `give` has made copies of.
        layouts = [{"strides": list(r.stride()), "offset": r.storage_offset(),
                    "storage": number}
                   for r, number in zip(results,
                                        storage_numbers(inputs, results))]
        return {"outputs": outputs, "layouts": layouts}

    def explain(self, request):
        program = self.programs[request["handle"]]
        if request["kind"] == "python":
            return {"text": program.source.text}
        if request["kind"] == "code":
            return {"text": program.generated_code()}
        return {"text": None}

    def drop(self, request):
        self.programs.pop(request["handle"]).close()
        return {}

    def load_torch(self):
        self.cache = prepare_variables()
        try:
            import torch
        except ImportError as e:
            raise Failure("internal", f"{sys.executable} has no torch ({e}); "
                          "set ASSAY_PYTHON to one that has") from e
        self.torch = torch
        torch.set_num_threads(1)
        # What the compiler logs about refused programs is in the exception;
        # standard error is for last words.
        logging.disable(logging.ERROR)
        DTYPES.update(
            f64=torch.float64, f32=torch.float32, f16=torch.float16,
            bf16=torch.bfloat16, f8e4m3fn=torch.float8_e4m3fn,
            f8e5m2=torch.float8_e5m2, f8e4m3fnuz=torch.float8_e4m3fnuz,
            f8e5m2fnuz=torch.float8_e5m2fnuz, f8e8m0fnu=torch.float8_e8m0fnu,
            u8=torch.uint8, i8=torch.int8, i16=torch.int16, i32=torch.int32,
            i64=torch.int64, u16=torch.uint16, u32=torch.uint32,
            u64=torch.uint64, bool=torch.bool, c64=torch.complex64,
            c128=torch.complex128)
        NAMES.update({dtype: name for name, dtype in DTYPES.items()})
        return torch

    def check_backend(self, options):
        how = CompileOptions(self.backend, options)
        if self.backend == EAGER:
            if how.given:
                raise Failure("internal", "eager takes no options")
            return
        import torch._dynamo
        if self.backend == "inductor":
            remember_probes(self.cache)
        known = torch._dynamo.list_backends(exclude_tags=())
        if self.backend not in known:
            version = self.torch.__version__.split("+")[0]
            raise Failure(
                "internal", f"torch {version} of {sys.executable} knows no "
                f"backend '{self.backend}' but {', '.join(known)}. Install "
                "the package that brings it into an environment of yours and "
                "set ASSAY_PYTHON to that environment's python")
        # Loads what the backend loads at its first program, so that no case
        # pays for that, and shows whether it works at all.
        one = self.torch.ones(3, device=self.gpu and self.gpu.device)
        try:
            compiled = how.compile(
                self.torch, lambda x: self.torch.ops.aten.add.Tensor(x, x))
            with self.torch.no_grad():
                without_torn_libraries(self.torch, lambda: compiled(one))
        except Exception as e:
            raise Failure("internal", f"{self.backend} of torch "
                          f"{self.torch.__version__} cannot compile x + x with "
                          f"options {how.given}: {str(e)[:300]}") from e

    def forget(self):
        """Keeps hundreds of programs from piling up in one process."""
        if self.backend == EAGER:
            return
        self.torch._dynamo.reset()
        loaded = sys.modules.get("torch._inductor.codecache")
        if loaded is not None:
            loaded.PyCodeCache.cache_clear()

    def take(self, memory, spec, device):
        """A tensor with storage of its own, laid out as the input is."""
        dtype = DTYPES[spec["dtype"]]
        sizes, strides = spec["sizes"], spec["strides"]
        offset = spec.get("storage_offset", 0)
        span = 0 if 0 in sizes else 1 + sum(
            (n - 1) * s for n, s in zip(sizes, strides))
        place = spec["byte_offset"] - offset * dtype.itemsize
        count = (offset + span) * dtype.itemsize
        raw = self.torch.empty(count, dtype=self.torch.uint8,
                               device=device)
        if count:
            raw.copy_(self.torch.frombuffer(
                memory, dtype=self.torch.uint8, count=count, offset=place))
        # A storage of a GPU can be given to a tensor there only.
        tensor = raw.new_empty(0, dtype=dtype).set_(
            raw.untyped_storage(), offset, sizes, strides)
        return tensor, place, raw

    def write(self, memory, place, raw):
        if raw.numel():
            self.torch.frombuffer(memory, dtype=self.torch.uint8,
                                  count=raw.numel(), offset=place).copy_(raw)

    def give(self, results, scratch):
        plain, specs, end = [], [], scratch
        for result in results:
            if not isinstance(result, self.torch.Tensor):
                raise Failure("internal", f"a result is a {type(result)}")
            if result.dtype not in NAMES:
                raise Failure("unsupported", f"a result of {result.dtype}, "
                              "which the protocol does not carry")
            result = result.detach().resolve_conj().resolve_neg().contiguous()
            end = -(-end // ALIGNMENT) * ALIGNMENT
            specs.append({"dtype": NAMES[result.dtype],
                          "sizes": list(result.shape),
                          "strides": row_major(result.shape),
                          "byte_offset": end})
            # One element or none may have strides that no view of bytes has.
            flat = result.as_strided((result.numel(),), (1,))
            raw = flat.view(self.torch.uint8)
            plain.append((end, raw))
            end += raw.numel()
        if end > os.fstat(self.shm).st_size:
            os.ftruncate(self.shm, end)
        memory = mmap.mmap(self.shm, os.fstat(self.shm).st_size)
        for place, raw in plain:
            self.write(memory, place, raw)
        return specs

    def answer(self, request):
        verb = request.get("verb")
        verbs = {"hello": self.hello, "compile": self.compile,
                 "run": self.run, "explain": self.explain, "drop": self.drop}
        self.leaked = None
        self.in_program = False
        try:
            if verb not in verbs:
                raise Failure("internal", f"unknown verb {verb!r}")
            if self.planner is not None and verb != "hello":
                verbs[verb] = getattr(self.planner, verb)
            reply = {"ok": True, **verbs[verb](request)}
        except Exception as e:
            find = answer_of if self.gpu is None else self.gpu.answer_of
            reply = find(e, self.in_program)
        leaked = self.leaked
        if leaked == self.control.before:
            leaked = None
        reply["fp_env"] = self.control.report(leaked)
        return reply

    def serve(self, stream):
        """Until the stream ends, or is handed to a process that may die."""
        while (body := read_record(stream)) is not None:
            request = json.loads(body)
            if request.get("verb") == "quit":
                return
            if self.is_for_gpu(request) and not self.in_fork:
                return self.relay_gpu(stream, body)
            write_record(stream, json.dumps(self.answer(request)).encode())
            if self.is_loaded_compiler() and has_one_thread():
                return Relay(stream, self.serve_in_fork).serve()

    def relay_gpu(self, stream, hello):
        """A fork has the GPU, from hello on. It inherits torch, but nothing
        that might have asked for a device, as compilers do when loaded."""
        try:
            self.load_torch()
        except Failure:
            pass  # the fork says so
        Relay(stream, self.serve_in_fork, hello).serve()

    def serve_in_fork(self, stream):
        self.in_fork = True
        self.serve(stream)

    def is_loaded_compiler(self):
        return (not self.in_fork and self.may_fork and
                self.torch is not None and self.backend != EAGER)


def storage_numbers(inputs, results):
    """Of each result, the first of all these tensors that lies in its
    storage."""
    numbers = {}
    for n, tensor in enumerate([*inputs, *results]):
        numbers.setdefault(tensor.untyped_storage()._cdata, n)
    return [numbers[r.untyped_storage()._cdata] for r in results]


def main(kind=Worker):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", required=True)
    parser.add_argument("--socket-fd", type=int, required=True)
    parser.add_argument("--shm-fd", type=int, required=True)
    args = parser.parse_args()
    os.set_inheritable(args.shm_fd, False)
    kind(args.backend, args.shm_fd).serve(open_stream(args.socket_fd))
    # Nothing of value is left to be torn down, and torch takes its time.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
