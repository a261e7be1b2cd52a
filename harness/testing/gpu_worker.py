"""The worker in Python with a GPU that is this processor, for torch_gpu_test.

The first element of an input in i64 says what becomes of the device: the
number of a CUDA error that sticks to it (700, 710), or of one that does not
(9), 2 for no more memory, 1 for a kernel that writes to its input, 4 for one
that is given memory of the processor. With ASSAY_FAKE_GPU=FILE there is a
device until somebody has made that file; who begins makes it. For uncompiled
programs the device's memory is far from the processor's (far_device.py); a
compiler would not know the device.
"""

import os
import pathlib
import sys

WORKERS = pathlib.Path(__file__).resolve().parent.parent / "workers" / "python"
sys.path.insert(0, str(WORKERS))
sys.dont_write_bytecode = True
from torch_gpu import Gpu, set_rounding
from torch_program import EAGER, Failure
from torch_worker import Worker, main

ERRORS = {700: "an illegal memory access was encountered",
          710: "device-side assert triggered",
          9: "invalid configuration argument"}


class FakeGpu(Gpu):
    sticky = None
    name = "cpu"

    def call(self, program, inputs):
        deed = 0
        if inputs and inputs[0].dtype is self.torch.int64:
            deed = int(inputs[0].reshape(-1)[0])
        if deed == 1:
            inputs[0].fill_(2)
        elif deed == 2:
            raise self.torch.OutOfMemoryError("CUDA out of memory. Tried")
        elif deed == 4:
            return [inputs[0] + self.torch.ones(2, dtype=self.torch.int64)]
        elif deed == 9:
            raise self.error(deed)
        elif deed in ERRORS:
            self.sticky = self.error(deed)
        return super().call(program, inputs)

    def error(self, number):
        return self.torch.AcceleratorError(f"CUDA error: {ERRORS[number]}\n")

    def synchronize(self):
        if self.sticky:
            raise self.sticky


class FakeWorker(Worker):
    def take(self, memory, spec, device):
        if spec["sizes"] == [0, 2]:  # memory is short before anything runs
            raise self.torch.OutOfMemoryError("CUDA out of memory. Tried")
        return super().take(memory, spec, device)

    def open_gpu(self):
        once = os.environ.get("ASSAY_FAKE_GPU")
        if once:
            if os.path.exists(once):
                raise Failure("unsupported", "the GPU has fallen off the bus")
            open(once, "w").close()
        set_rounding(self.torch)
        if self.backend != EAGER:
            return FakeGpu(self.torch, "cpu")
        from far_device import FarDevice  # imports torch
        far = FarDevice(self.torch)
        far.__enter__()  # for as long as this process lives
        return FakeGpu(self.torch, far.name)

    def explain(self, request):
        if request["kind"] == "pid":
            return {"text": str(os.getpid())}
        return super().explain(request)


main(FakeWorker)
