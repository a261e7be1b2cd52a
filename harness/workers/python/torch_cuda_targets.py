"""The GPUs that Inductor is told of, one for each SM generation.

Inductor's code hangs on more than the generation: its heuristics count
multiprocessors and threads. So each target stands for one product. Limits are
those of the CUDA Programming Guide's table of compute capabilities, numbers of
multiprocessors those of the product's data sheet.
"""

import types
from dataclasses import dataclass

PREFIX = "cuda-sm_"


@dataclass(frozen=True)
class Target:
    sm: int  # 90: compute capability 9.0, as Triton counts
    product: str
    multiprocessors: int
    threads: int  # per multiprocessor
    shared_kib: int  # per multiprocessor
    block_shared_kib: int  # of that, what a block may ask for
    l2_mib: int

    @property
    def name(self):
        return f"{PREFIX}{self.sm}"

    @property
    def capability(self):
        return divmod(self.sm, 10)

    def properties(self):
        """As torch.cuda.get_device_properties() gives them."""
        major, minor = self.capability
        return types.SimpleNamespace(
            name=self.product, major=major, minor=minor,
            multi_processor_count=self.multiprocessors,
            max_threads_per_multi_processor=self.threads,
            max_threads_per_block=1024, warp_size=32,
            regs_per_multiprocessor=65536, total_memory=16 << 30,
            shared_memory_per_block=48 << 10,
            shared_memory_per_block_optin=self.block_shared_kib << 10,
            shared_memory_per_multiprocessor=self.shared_kib << 10,
            L2_cache_size=self.l2_mib << 20, gcnArchName="", is_integrated=0,
            is_multi_gpu_board=0, uuid="", pci_bus_id=0, pci_device_id=0,
            pci_domain_id=0, clock_rate=1, memory_clock_rate=1,
            memory_bus_width=1)


TARGETS = {t.name: t for t in (
    Target(75, "T4", 40, 1024, 64, 64, 4),
    Target(80, "A100", 108, 2048, 164, 163, 40),
    Target(86, "A10", 72, 1536, 100, 99, 6),
    Target(87, "Jetson AGX Orin", 16, 1536, 164, 163, 4),
    Target(89, "L4", 58, 1536, 100, 99, 48),
    Target(90, "H100", 132, 2048, 228, 227, 50),
    Target(100, "B200", 148, 2048, 228, 227, 126),
    Target(103, "B300", 148, 2048, 228, 227, 126),
    Target(120, "RTX 5090", 170, 1536, 100, 99, 96),
    Target(121, "GB10", 48, 1536, 100, 99, 24),
)}
