"""A launch plan (docs/launch-plan.md) on torch's CUDA tensors, without the
worker's guards and waits: what is left is the kernels' own time."""

import base64
import ctypes
import json

from torch_program import DTYPES

from ctypes import byref, c_char_p, c_int, c_uint, c_void_p

# cuda.h: CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, beyond 48 KiB.
MOST_SHARED, USUAL_SHARED = 8, 48 * 1024


class Driver:
    """libcuda, in the context that torch has made."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            text = c_char_p()
            self.library.cuGetErrorString(c_int(code), byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def module(self, image):
        module = c_void_p()
        self.call("cuModuleLoadData", byref(module), c_char_p(image))
        return module

    def function(self, module, entry):
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), module,
                  c_char_p(entry.encode()))
        return function


class Launches:
    """A plan whose inputs stay where they are."""

    def __init__(self, torch, driver, text, inputs):
        plan = json.loads(text)
        self.torch, self.driver, self.inputs = torch, driver, inputs
        images = {c["module"]: base64.b64decode(c["base64"])
                  for c in plan.get("cubins", []) if "base64" in c}
        modules = [driver.module(images.get(i, m["ptx"].encode() + b"\0"))
                   for i, m in enumerate(plan["modules"])]
        self.storages = [self.storage(b) for b in plan["buffers"]]
        self.filled = [(t, b["fill"]) for t, b in
                       zip(self.storages, plan["buffers"]) if "fill" in b]
        self.steps = [self.step(step, modules) for step in plan["launches"]]
        self.outputs = [self.output(o) for o in plan["outputs"]]

    def storage(self, buffer):
        if buffer["kind"] == "input":
            return self.inputs[buffer["index"]]
        if buffer["kind"] == "constant":
            raw = bytearray(base64.b64decode(buffer["base64"]))
            return self.torch.frombuffer(raw, dtype=self.torch.uint8).cuda()
        return self.torch.empty(max(buffer["bytes"], 1),
                                dtype=self.torch.uint8, device="cuda")

    def address(self, place):
        return (self.storages[place["buffer"]].data_ptr()
                + place.get("offset", 0))

    def step(self, step, modules):
        """A function without arguments."""
        stream = c_void_p(self.torch.cuda.current_stream().cuda_stream)
        if "entry" not in step:
            raise RuntimeError("the plan copies or fills: not timed here")
        function = self.driver.function(modules[step["module"]],
                                        step["entry"])
        if step["shared"] > USUAL_SHARED:
            self.driver.call("cuFuncSetAttribute", function,
                             c_int(MOST_SHARED), c_int(step["shared"]))
        values = []
        for a in step["arguments"]:
            raw = (bytes.fromhex(a["value"]) if "value" in a
                   else self.address(a).to_bytes(8, "little"))
            values.append(ctypes.create_string_buffer(raw, len(raw)))
        pointers = (c_void_p * len(values))(
            *[ctypes.addressof(v) for v in values])
        counts = [c_uint(n) for n in step["grid"] + step["block"]]
        launch = self.driver.library.cuLaunchKernel
        launch.argtypes = None

        def run(keep=values):
            code = launch(function, *counts, c_uint(step["shared"]), stream,
                          pointers, None)
            if code != 0:
                raise RuntimeError(f"{step['entry']}: launch failed: {code}")
        return run

    def output(self, place):
        kind = DTYPES[place["dtype"]]
        whole = self.storages[place["buffer"]][place["offset"]:]
        size = kind.itemsize
        return whole[:whole.numel() // size * size].view(kind).as_strided(
            place["sizes"], place["strides"])

    def __call__(self):
        for tensor, value in self.filled:
            tensor.fill_(value)
        for step in self.steps:
            step()
        return self.outputs
