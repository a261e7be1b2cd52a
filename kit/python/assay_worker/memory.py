"""Tensors in the memory that a worker shares with the harness."""

import mmap
import os

import numpy as np

from .dtypes import UNSIGNED, from_bits, itemsize, to_bits
from .program import row_major

ALIGNMENT = 64


def extent(tensor):
    """(first byte, bytes, elements before the first) of a tensor's storage,
    as far as the tensor needs it."""
    width, before = itemsize(tensor["dtype"]), tensor.get("storage_offset", 0)
    span = 0 if 0 in tensor["sizes"] else 1 + sum(
        (n - 1) * s for n, s in zip(tensor["sizes"], tensor["strides"]))
    return (tensor["byte_offset"] - before * width, (before + span) * width,
            before)


def lay_out(results, scratch):
    """Places for results, (dtype, sizes) each, from `scratch` on: as they
    stand in the reply, and where the last one ends."""
    placed, end = [], scratch
    for dtype, sizes in results:
        end = -(-end // ALIGNMENT) * ALIGNMENT
        placed.append({"dtype": dtype, "sizes": list(sizes),
                       "strides": row_major(sizes), "byte_offset": end})
        end += itemsize(dtype) * int(np.prod(sizes, dtype=np.int64))
    return placed, end


class SharedMemory:
    """The file of --shm-fd. It is mapped anew for each request, for it grows
    in between."""

    def __init__(self, fd):
        os.set_inheritable(fd, False)
        self.fd = fd

    def map(self, least=0):
        """All of it, made as long as `least` first."""
        if least > os.fstat(self.fd).st_size:
            os.ftruncate(self.fd, least)
        return mmap.mmap(self.fd, os.fstat(self.fd).st_size)

    def read_bits(self, tensors):
        """A row-major copy of each: unsigned integers of its width."""
        memory = self.map() if tensors else None
        return [self._copy(memory, t) for t in tensors]

    def read(self, tensors):
        """Their values, as dtypes.py says."""
        return [from_bits(bits, t["dtype"])
                for bits, t in zip(self.read_bits(tensors), tensors)]

    @staticmethod
    def _copy(memory, tensor):
        width = itemsize(tensor["dtype"])
        kind = np.dtype(UNSIGNED[width])
        if 0 in tensor["sizes"]:
            return np.empty(tensor["sizes"], kind)
        first, size, before = extent(tensor)
        flat = np.frombuffer(memory, np.uint8, size, first)
        view = np.lib.stride_tricks.as_strided(
            flat[before * width:].view(kind), tensor["sizes"],
            [s * width for s in tensor["strides"]], writeable=False)
        return np.array(view, order="C")

    def write_bits(self, results, scratch):
        """Writes (dtype, unsigned integers) each; the reply's "outputs"."""
        placed, end = lay_out([(d, b.shape) for d, b in results], scratch)
        memory = self.map(end)
        for place, (_, bits) in zip(placed, results):
            raw = np.ascontiguousarray(bits).tobytes()
            start = place["byte_offset"]
            memory[start:start + len(raw)] = raw
        return placed

    def write(self, results, scratch):
        """Writes (dtype, values) each, rounded to nearest even."""
        return self.write_bits(
            [(d, to_bits(v, d)) for d, v in results], scratch)
