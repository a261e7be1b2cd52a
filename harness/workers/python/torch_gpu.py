"""A GPU on which torch launches its kernels by itself.

`Gpu` takes any device of torch, so that tests go the same way on a CPU. A
process that has touched CUDA cannot be forked and still use it: all of this
happens in the fork of relay.py, and what its parent does leaves CUDA alone.
"""

import ctypes
import os
import sys

from torch_errors import answer_of, chain_of
from torch_program import Failure

TARGET = "cuda"
# An answer with this field is the last of its process (relay.py).
SPENT = "spent"
# How libraries may not round, by the places in torch where that is said.
OFF = (("cuda.matmul", "allow_tf32"),
       ("cuda.matmul", "allow_fp16_accumulation"),
       ("cuda.matmul", "allow_fp16_reduced_precision_reduction"),
       ("cuda.matmul", "allow_bf16_reduced_precision_reduction"),
       ("cudnn", "allow_tf32"), ("cudnn", "benchmark"))
ON = (("cudnn", "deterministic"),)


class Gpu:
    def __init__(self, torch, device):
        self.torch = torch
        self.device = torch.device(device)
        self.used = {self.device}  # by programs for other GPUs, too

    @property
    def name(self):
        """As columns are called: cuda-sm_90."""
        if self.device.type != TARGET:
            return self.device.type
        major, minor = self.torch.cuda.get_device_capability(self.device)
        return f"{TARGET}-sm_{major}{minor}"

    def require(self, number):
        """A Failure where this machine has no such GPU; else it is waited for
        from now on."""
        count = (self.torch.cuda.device_count()
                 if self.device.type == TARGET else 1)
        if number >= count:
            raise Failure("unsupported", f"the program is for GPU {number} of "
                          f"a machine, and torch sees {count}, from 0 on")
        if number > 0:
            self.used.add(self.torch.device(self.device.type, number))

    def facts(self):
        """What the column hangs on, besides torch itself."""
        facts = {"launcher": "torch", **libraries(self.torch),
                 **settings(self.torch)}
        if self.device.type == TARGET:
            facts["gpu"] = self.torch.cuda.get_device_name(self.device)
        return facts

    def call(self, program, inputs):
        """The program's results, when all that it launched has ended."""
        results = program(inputs)
        self.synchronize()
        return results

    def synchronize(self):
        if self.device.type == TARGET:
            for device in self.used:
                self.torch.cuda.synchronize(device)

    def lost(self):
        """What the device says once it is of no more use, else None. Errors
        that a kernel leaves behind come back from every later call."""
        try:
            self.synchronize()
        except Exception as e:
            return e
        return None

    def answer_of(self, error, in_program):
        """The record for an exception that ended a request."""
        reply = answer_of(error, in_program)
        lost = self.lost()
        if lost is None and self.is_named(error, "OutOfMemoryError"):
            return {**reply, "kind": "out_of_memory"}  # of copies, too
        if lost is None:
            return self.rejected(error, reply) if in_program else reply
        reply[SPENT] = True
        asserts = "device-side assert" in f"{error} {lost}"
        if asserts and reply["kind"] == "refused":
            return reply  # that is how kernels of PyTorch refuse
        return {"ok": False, "kind": "device_lost", "message": str(lost),
                SPENT: True}

    @staticmethod
    def is_named(error, name):
        return type(chain_of(error)[-1]).__name__ == name

    def rejected(self, error, reply):
        """The runtime's own complaint, of a launch, say, is no refusal of the
        program's: a crash."""
        if (reply["kind"] == "refused" and
                self.is_named(error, "AcceleratorError")):
            return {"ok": False, "kind": "died", "message": reply["message"]}
        return reply


def open_gpu(torch):
    """The first GPU, with libraries told how to round. A Failure says why
    there is none."""
    here = f"torch {torch.__version__} of {sys.executable}"
    if torch.version.cuda is None:
        raise Failure("unsupported", f"{here} is built without CUDA: set "
                      "ASSAY_PYTHON to one with CUDA's")
    try:
        torch.cuda.init()
        gpu = Gpu(torch, torch.device(TARGET, 0))
        set_rounding(torch)
        # Shows whether torch has kernels for a GPU of this kind at all.
        one = torch.ones(3, device=gpu.device)
        gpu.call(lambda _: one + one, [])
        return gpu
    except Exception as e:
        first = str(e).strip().partition("\n")[0]
        raise Failure("unsupported", f"{here} can use no GPU: {first}") from e


def place(torch, path):
    found = torch.backends
    for part in path.split("."):
        found = getattr(found, part)
    return found


def set_rounding(torch):
    for path, name in OFF:
        setattr(place(torch, path), name, False)
    for path, name in ON:
        setattr(place(torch, path), name, True)


def settings(torch):
    """As torch has them now, "cuda.matmul.allow_tf32": "off"."""
    return {f"{path}.{name}": "on" if getattr(place(torch, path), name)
            else "off" for path, name in OFF + ON}


def libraries(torch):
    """Versions by the libraries that torch has loaded; "none" if it has not,
    or if there is no driver."""
    runtime, blas = loaded("libcudart"), loaded("libcublas")
    parts = [told(blas, "cublasGetProperty", i) for i in range(3)]
    cudnn = torch.backends.cudnn.version() or 0
    return {"driver": cuda_version(told(runtime, "cudaDriverGetVersion")),
            "cuda": cuda_version(told(runtime, "cudaRuntimeGetVersion")),
            "cudnn": f"{cudnn // 10000}.{cudnn // 100 % 100}.{cudnn % 100}"
                     if cudnn else "none",
            "cublas": "none" if None in parts else
                      ".".join(str(part) for part in parts)}


def loaded(name):
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = "/" + line.rstrip("\n").partition("/")[2]
            if os.path.basename(path).startswith(name + ".so"):
                return ctypes.CDLL(path)
    return None


def told(library, function, *arguments):
    """An int that a C function writes to its last argument."""
    if library is None:
        return None
    value = ctypes.c_int(0)
    failed = getattr(library, function)(*arguments, ctypes.byref(value))
    return None if failed else value.value


def cuda_version(number):
    return (f"{number // 1000}.{number % 1000 // 10}" if number else "none")
