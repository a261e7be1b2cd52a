"""What Inductor's code does when it is called, as a plan's entries.

Tensors are fake while it runs: their storages stand for buffers. Kernels'
launches come from torch_triton_launch.py. Every other call reaches PyTorch's
dispatcher and so this mode: what only allocates, looks or copies is written
down, and what computes by a library of closed kernels ends the recording.
"""

import base64
import ctypes
import itertools
import re

from torch.utils._python_dispatch import TorchDispatchMode

from torch_errors import our_own
from torch_program import NAMES, Failure

ALLOCATE = {"aten::empty", "aten::empty_strided", "aten::empty_like",
            "aten::new_empty", "aten::new_empty_strided"}
# Which argument is the value; those without one know it themselves.
FILL = {"aten::full": 1, "aten::full_like": 1, "aten::new_full": 2,
        "aten::fill": 1, "aten::fill_": 1, "aten::zeros": 0,
        "aten::zeros_like": 0, "aten::new_zeros": 0, "aten::zero_": 0,
        "aten::ones": 1, "aten::ones_like": 1, "aten::new_ones": 1}
VALUE_PASSED = {"aten::full", "aten::full_like", "aten::new_full",
                "aten::fill", "aten::fill_"}
COPY = {"aten::clone", "aten::_to_copy", "aten::lift_fresh_copy"}
# Whose kernels an operation of ATen calls, by its name.
LIBRARIES = (
    (r"(add)?(mm|bmm|mv|r)|baddbmm|addbmm|_int_mm|_scaled_mm.*|_grouped_mm|"
     r"v?dot|_addmm_activation|linear", "cuBLAS"),
    (r".*conv(?!ert).*|.*cudnn.*", "cuDNN"),
    (r"_fft_.*", "cuFFT"),
    (r"_?linalg_.*|.*cholesky.*|.*lu_.*|triangular_solve|.*_qr|ormqr",
     "cuSOLVER"),
    (r"rand.*|normal.*|uniform.*|bernoulli.*|multinomial|exponential.*|"
     r".*dropout", "cuRAND"),
)
# Pieces that a copy of strided tensors may fall into.
MOST_PIECES = 4096


def library_of(name):
    for pattern, library in LIBRARIES:
        if re.fullmatch(pattern, name):
            return library
    return "ATen's CUDA kernels"


class Recorder(TorchDispatchMode):
    def __init__(self, torch, inputs, constants):
        """`constants`: pairs of a fake tensor and the real one."""
        super().__init__()
        self.torch = torch
        self.modules, self.kernels = [], []
        self.buffers, self.launches = [], []
        self.places = {}
        # A storage that was freed would give its address to another one.
        self.alive = []
        for index, tensor in enumerate(inputs):
            self._add(tensor, {"kind": "input", "index": index})
        for tensor, real in constants:
            self._add_constant(tensor, real)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = function._schema.name
        if name == "aten::_local_scalar_dense":
            raise Failure("unsupported",
                          "reads a result on the CPU to go on (item)")
        result = function(*args, **kwargs)
        self.write_down(function, name, args, result)
        return result

    @our_own
    def write_down(self, function, name, args, result):
        outputs = [t for t in self.torch.utils._pytree.tree_leaves(result)
                   if isinstance(t, self.torch.Tensor)]
        if name in ALLOCATE:
            self.allocate(outputs)
        elif name in FILL:
            self.allocate(outputs)
            self.fill(outputs[0],
                      args[FILL[name]] if name in VALUE_PASSED else FILL[name])
        elif name == "aten::copy_":
            self.copy(args[0], args[1])
        elif name in COPY:
            self.allocate(outputs)
            self.copy(outputs[0], args[0])
        elif not self.only_looks(function, outputs):
            raise Failure("unsupported", "calls " + library_of(
                name.split("::")[1].rstrip("_")) + f" ({function})")

    def only_looks(self, function, outputs):
        """A view of what is known, a question, or nothing at all?"""
        if all(t.numel() == 0 for t in outputs):
            self.allocate(outputs)
            return True
        return (not function._schema.is_mutable
                and all(self._key(t) in self.places for t in outputs))

    @staticmethod
    def _key(tensor):
        return tensor.untyped_storage()._cdata

    def _add(self, tensor, buffer):
        self.places[self._key(tensor)] = len(self.buffers)
        self.alive.append(tensor)
        self.buffers.append(buffer)

    def _add_constant(self, tensor, real):
        size = real.untyped_storage().nbytes()
        raw = ctypes.string_at(real.untyped_storage().data_ptr(), size)
        self._add(tensor, {"kind": "constant",
                           "base64": base64.b64encode(raw).decode()})

    def allocate(self, tensors):
        for tensor in tensors:
            if self._key(tensor) not in self.places:
                self._on_device(tensor)
                self._add(tensor, {"kind": "temporary",
                                   "bytes": tensor.untyped_storage().nbytes()})

    def _on_device(self, tensor):
        if tensor.device.type != "cuda":
            raise Failure("unsupported", "computes a part on the "
                          f"{tensor.device.type.upper()}")

    def place(self, tensor):
        """Where a tensor's first element lies."""
        key = self._key(tensor)
        if key not in self.places:
            if type(tensor) is self.torch.Tensor:  # real: values are known
                self._add_constant(tensor, tensor)
            else:
                self._on_device(tensor)
                raise Failure("internal", "a kernel is given a tensor of "
                              "unknown origin")
        where = {"buffer": self.places[key]}
        offset = tensor.storage_offset() * tensor.dtype.itemsize
        if offset:
            where["offset"] = offset
        return where

    @our_own
    def launch(self, kernel, grid, values):
        if 0 in grid:
            return
        arguments = []
        for value, width in zip(values, kernel.parameters):
            if isinstance(value, self.torch.Tensor):
                if width != 8:
                    raise Failure("internal", f"{kernel.entry} takes an "
                                  f"address of {width} bytes")
                arguments.append(self.place(value))
            else:
                arguments.append({"value": value.hex()})
        # Triton's own parameters: scratch memory, then a profiler's.
        scratch = self.scratch(kernel, grid)
        for width in kernel.parameters[len(values):]:
            arguments.append(scratch or {"value": "00" * width})
            scratch = None
        entry = {"module": self.module(kernel), "entry": kernel.entry,
                 "grid": grid, "block": [kernel.threads, 1, 1],
                 "shared": kernel.shared, "arguments": arguments}
        if kernel.blocks_of_cluster > 1:
            entry["cluster"] = [kernel.blocks_of_cluster, 1, 1]
        if kernel.cooperative:
            entry["cooperative"] = True
        self.launches.append(entry)

    def scratch(self, kernel, grid):
        if not kernel.scratch:
            return None
        self.buffers.append({"kind": "temporary", "bytes":
                             kernel.scratch * grid[0] * grid[1] * grid[2]})
        return {"buffer": len(self.buffers) - 1}

    def module(self, kernel):
        if kernel.ptx not in self.modules:
            self.modules.append(kernel.ptx)
            self.kernels.append(kernel)
        return self.modules.index(kernel.ptx)

    def fill(self, tensor, value):
        if tensor.numel() == 0:
            return
        with self.torch.utils._python_dispatch._disable_current_modes():
            one = self.torch.tensor(value, dtype=tensor.dtype)
            raw = ctypes.string_at(one.data_ptr(), one.element_size())
        for (offset,), count in self.pieces(tensor):
            where = {"buffer": self.place(tensor)["buffer"], "offset": offset,
                     "bytes": count * tensor.dtype.itemsize,
                     "value": raw.hex()}
            self.launches.append({"fill": where})

    def copy(self, target, source):
        if target.numel() == 0:
            return
        if target.dtype != source.dtype:
            raise Failure("unsupported", "calls ATen's CUDA kernels (a copy "
                          f"from {source.dtype} to {target.dtype})")
        to, origin = self.place(target), self.place(source)
        for (here, there), count in self.pieces(
                target, source.expand(target.shape)):
            self.launches.append({"copy": {
                "from": {"buffer": origin["buffer"], "offset": there},
                "to": {"buffer": to["buffer"], "offset": here},
                "bytes": count * target.dtype.itemsize}})

    def pieces(self, *tensors):
        """Runs of elements that lie side by side in each of the tensors, which
        have one shape: offsets in bytes, and how many elements."""
        first = tensors[0]
        # The densest dimension innermost, as far as the first tensor says.
        order = sorted((d for d in range(first.dim()) if first.shape[d] > 1),
                       key=lambda d: -first.stride(d))
        run = 1
        while order and all(t.stride(order[-1]) == run for t in tensors):
            run *= first.shape[order.pop()]
        count = first.numel() // run
        if count > MOST_PIECES:
            raise Failure("unsupported", "calls ATen's CUDA kernels (a copy "
                          f"in {count} pieces)")
        size = first.dtype.itemsize
        for at in itertools.product(*(range(first.shape[d]) for d in order)):
            yield [size * (t.storage_offset() + sum(
                i * t.stride(d) for i, d in zip(at, order)))
                for t in tensors], run

    def plan(self, results, target):
        """`target` is for a plan without a kernel, which names none."""
        outputs = []
        for result in results:
            if not isinstance(result, self.torch.Tensor):
                raise Failure("internal", f"a result is a {type(result)}")
            if result.dtype not in NAMES:
                raise Failure("unsupported", f"a result of {result.dtype}, "
                              "which the protocol does not carry")
            if result.is_neg() or result.is_conj():
                raise Failure("unsupported", "a result that is to be negated "
                              "when it is read")
            where = self.place(result)
            buffer = self.buffers[where["buffer"]]
            if buffer["kind"] == "temporary":
                buffer["kind"] = "output"
            outputs.append({**where, "dtype": NAMES[result.dtype],
                            "sizes": list(result.shape),
                            "strides": list(result.stride())})
        return {"plan": 1, "target": self.ptx_target() or target,
                "modules": [{"ptx": text} for text in self.modules],
                "buffers": self.buffers, "launches": self.launches,
                "outputs": outputs}

    def ptx_target(self):
        """As the PTX has it, perhaps sm_90a where sm_90 was asked for."""
        for text in self.modules:
            return re.search(r"^\.target (\w+)", text, re.M)[1]
        return None

    def cubins(self):
        return [{"module": i, "base64": base64.b64encode(k.cubin).decode()}
                for i, k in enumerate(self.kernels)]
