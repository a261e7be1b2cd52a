"""The worker in Python with a GPU that is this processor, for torch_gpu_test.

The first element of an input in i64 says what becomes of the device: the
number of a CUDA error that sticks to it (700, 710), or of one that does not
(9), 2 for no more memory, 1 for a kernel that writes to its input. With
ASSAY_FAKE_GPU=FILE there is a device until somebody has made that file; who
begins makes it.
"""

import os
import pathlib
import sys

WORKERS = pathlib.Path(__file__).resolve().parent.parent / "workers" / "python"
sys.path.insert(0, str(WORKERS))
sys.dont_write_bytecode = True
from torch_gpu import Gpu, set_rounding
from torch_program import Failure
from torch_worker import Worker, main

ERRORS = {700: "an illegal memory access was encountered",
          710: "device-side assert triggered",
          9: "invalid configuration argument"}


class FakeGpu(Gpu):
    sticky = None

    def call(self, program, inputs):
        deed = 0
        if inputs and inputs[0].dtype is self.torch.int64:
            deed = int(inputs[0].reshape(-1)[0])
        if deed == 1:
            inputs[0].fill_(2)
        elif deed == 2:
            raise self.torch.OutOfMemoryError("CUDA out of memory. Tried")
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
        return FakeGpu(self.torch, "cpu")

    def explain(self, request):
        if request["kind"] == "pid":
            return {"text": str(os.getpid())}
        return super().explain(request)


main(FakeWorker)
