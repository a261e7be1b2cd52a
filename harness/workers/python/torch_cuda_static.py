"""What torch and Triton are told, so that torch.compile makes CUDA code on a
machine that has no GPU.

All of torch.compile runs: Dynamo, AOTAutograd, Inductor's passes, scheduler
and heuristics, Triton and ptxas. Tensors are fake: they have sizes, strides and
storages, and no bytes. Whoever asks for the device is told of the target's.
What would touch a driver is replaced here, and nothing else.
"""


# As many alike does a program have to choose from.
DEVICES = 16


class StaticDevice:
    """Makes this process's torch believe in `target`. Not to be undone."""

    def __init__(self, torch, target):
        self.torch = torch
        self.target = target
        self.current = 0
        self._tell_torch()
        self._tell_dynamo()
        self._tell_fake_tensors()
        self._tell_triton()
        self._tell_wrappers()
        self._tell_inductor()

    def fake_mode(self):
        from torch._subclasses.fake_tensor import FakeTensorMode
        return FakeTensorMode(allow_non_fake_inputs=True)

    def _tell_torch(self):
        torch, cuda = self.torch, self.torch.cuda
        properties = self.target.properties()
        cuda.is_available = lambda: True
        cuda.is_initialized = lambda: True
        cuda.is_bf16_supported = lambda including_emulation=True: (
            including_emulation or self.target.sm >= 80)
        cuda.device_count = lambda: DEVICES
        cuda.current_device = lambda: self.current
        cuda.get_device_name = lambda d=None: self.target.product
        cuda.get_device_properties = lambda d=None: properties
        cuda.get_device_capability = lambda d=None: self.target.capability
        cuda.is_current_stream_capturing = lambda: False
        cuda.synchronize = lambda d=None: None
        # Dynamo registers each under itself, and bound methods are equal.
        cuda.set_device = lambda d: self._exchange(d)
        cuda._exchange_device = lambda d: self._exchange(d)
        cuda._maybe_exchange_device = lambda d: self._exchange(d)
        cuda._lazy_init = lambda: None
        # Dynamo keeps the state of the random generator around a compilation.
        cuda.get_rng_state = lambda d=None: torch.zeros(16, dtype=torch.uint8)
        cuda.set_rng_state = lambda state, d=None: None
        torch._C._cuda_getCurrentRawStream = lambda d: 0
        # Only asked for the current stream, and there is none.
        torch.accelerator.is_available = lambda: False

    def _tell_dynamo(self):
        from torch._dynamo.device_interface import CudaInterface
        properties = self.target.properties()
        for place in (CudaInterface, CudaInterface.Worker):
            place.get_device_properties = staticmethod(
                lambda d=None: properties)
            place.current_device = staticmethod(lambda: self.current)
        CudaInterface.is_available = staticmethod(lambda: True)
        CudaInterface.device_count = staticmethod(lambda: DEVICES)
        CudaInterface.get_compute_capability = staticmethod(
            lambda d=None: self.target.sm)
        CudaInterface.exchange_device = staticmethod(self._exchange)
        CudaInterface.maybe_exchange_device = staticmethod(self._exchange)
        CudaInterface.set_device = staticmethod(self._exchange)
        CudaInterface.get_raw_stream = staticmethod(lambda d: 0)

    def _exchange(self, device):
        """Makes it the current one; returns which was."""
        before = self.current
        index = getattr(device, "index", device)  # a number below 0: no change
        if isinstance(index, int) and index >= 0:
            self.current = index
        return before

    def _tell_fake_tensors(self):
        from torch._subclasses import fake_impls, fake_tensor
        fake_tensor.init_gpu_context = lambda device: None
        # Hangs on cuda.is_available(), which says yes for the rest of torch.
        fake_tensor.FakeTensorMode.avoid_device_init = property(
            lambda mode: True)
        # Buffers of a plan are aligned: what an address is beyond that.
        fake_tensor.FakeTensor.data_ptr = lambda tensor: (
            tensor.storage_offset() * tensor.dtype.itemsize)

        # Where a function of sizes and dtypes alone has no answer, the device's
        # own would be called to raise what it raises.
        for place in (fake_tensor, fake_impls):
            place.run_fallback_kernel = raise_instead

    def _tell_triton(self):
        import triton
        triton.runtime.driver.set_active(NamedTarget(self.torch, self.target))

    def _tell_wrappers(self):
        """Inductor's wrappers allocate through C++, past fake tensors."""
        torch, guards = self.torch, self.torch._C._dynamo.guards

        def empty_strided_cuda(sizes, strides, dtype):
            return torch.empty_strided(
                sizes, strides, dtype=dtype,
                device=torch.device("cuda", self.current))

        def reinterpret_tensor(tensor, sizes, strides, offset=0):
            return torch.as_strided(tensor, sizes, strides,
                                    tensor.storage_offset() + offset)

        guards._empty_strided_cuda = empty_strided_cuda
        guards._reinterpret_tensor = reinterpret_tensor
        # Reads the address in C++.
        guards.assert_alignment = lambda *args: None

    def _tell_inductor(self):
        from torch._inductor import config
        from torch._inductor.runtime import triton_helpers
        triton_helpers.set_driver_to_gpu = lambda: None
        config.compile_threads = 1
        # Its answers come from measuring on the device. It pads what goes to
        # cuBLAS, and no such program becomes a plan.
        config.shape_padding = False
        # They would have to know the target and the replacements above; the
        # planner keeps whole plans instead.
        config.fx_graph_cache = False
        self.torch._functorch.config.enable_autograd_cache = False
        self._fold_on_cpu()
        # Without a driver nobody can load a CUBIN.
        config.use_static_triton_launcher = False

    def _fold_on_cpu(self):
        """Where all elements of a tensor are known to be one value, Inductor
        computes with that on the device."""
        from torch._inductor.fx_passes import joint_graph
        fold, mode = joint_graph.constant_fold_uniform_value, on_cpu(self.torch)

        def fold_on_cpu(graph):
            with mode:
                return fold(graph)

        joint_graph.constant_fold_uniform_value = fold_on_cpu


def raise_instead(mode, operation, arguments, structure, error):
    raise error


def on_cpu(torch):
    """A mode in which every tensor that is made is the CPU's. The dispatcher
    would initialize the device before it asks a mode of its own."""
    from torch.overrides import TorchFunctionMode

    def moved(argument):
        return (torch.device("cpu") if isinstance(argument, torch.device)
                else argument)

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            return function(*map(moved, args), **{
                name: moved(value) for name, value in (kwargs or {}).items()})

    return OnCpu()


class NamedTarget:
    """What Triton asks of its driver while it compiles."""

    launcher_cls = None

    def __init__(self, torch, target):
        from triton.backends.compiler import GPUTarget
        self.torch = torch
        self.compiled_for = GPUTarget("cuda", target.sm, 32)
        self.utils = self
        self.limits = {
            "max_shared_mem": target.block_shared_kib << 10,
            "multiprocessor_count": target.multiprocessors, "warpSize": 32,
            "max_num_regs": 65536, "sm_clock_rate": 1, "mem_clock_rate": 1,
            "mem_bus_width": 1}

    def get_device_properties(self, device):
        return self.limits

    def get_current_target(self):
        return self.compiled_for

    def get_active_torch_device(self):
        return self.torch.device("cuda", 0)

    def get_current_device(self):
        return 0

    def get_device_interface(self):
        return self.torch.cuda

    @staticmethod
    def is_active():
        return True
