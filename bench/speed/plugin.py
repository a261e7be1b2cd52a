"""A plugin (include/assay/plugin.h) called from Python, on torch's tensors."""

import ctypes
import sys

from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int,
                    c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32,
                    c_void_p)


class DType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Tensor(Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p),
                ("dtype", DType), ("rank", c_int32),
                ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64))]


class Error(Structure):
    _fields_ = [("struct_size", c_size_t), ("exception", c_char_p),
                ("clause", c_char_p), ("message", c_char_p)]


class Option(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class Table(Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("abi_major", c_uint32),
        ("abi_minor", c_uint32), ("name", c_char_p), ("version", c_char_p),
        ("targets", c_char_p), ("sanitizer", c_char_p),
        ("query", CFUNCTYPE(c_int, c_char_p, c_char_p, POINTER(Error))),
        ("compile", CFUNCTYPE(c_int, c_char_p, c_char_p, POINTER(Option),
                              c_size_t, POINTER(c_void_p), POINTER(Error))),
        ("launch", CFUNCTYPE(c_int, c_void_p, POINTER(Tensor), c_size_t,
                             POINTER(Tensor), c_size_t, POINTER(Error))),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("explain", CFUNCTYPE(c_char_p, c_void_p, c_char_p))]


CODES = {"f64": (2, 64), "f32": (2, 32), "f16": (2, 16), "bf16": (4, 16),
         "i64": (0, 64), "i32": (0, 32), "u8": (1, 8), "bool": (6, 8)}


class Plugin:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.assay_plugin_query.restype = POINTER(Table)
        self.table = self.library.assay_plugin_query(1, 0).contents
        self.error = Error(ctypes.sizeof(Error))
        self.target = self.table.targets.split()[0]

    def checked(self, code):
        if code != 0:
            raise RuntimeError((self.error.message or b"").decode())

    def compile(self, text, options, target=None):
        given = (Option * len(options))(*[
            (k.encode(), str(v).encode()) for k, v in options.items()])
        artifact = c_void_p()
        self.checked(self.table.compile(
            text.encode(), target.encode() if target else self.target, given,
            len(options), byref(artifact), byref(self.error)))
        return artifact


class Descriptions:
    """An array of AssayTensor for tensors that stay where they are."""

    def __init__(self, tensors, names):
        self.keep = []
        self.array = (Tensor * len(tensors))()
        for place, t in zip(self.array, tensors):
            rank = t.dim()
            sizes = (c_int64 * max(rank, 1))(*t.shape)
            strides = (c_int64 * max(rank, 1))(*t.stride())
            self.keep.append((t, sizes, strides))
            code, bits = CODES[names[t.dtype]]
            place.struct_size = ctypes.sizeof(Tensor)
            place.data = t.data_ptr()
            place.dtype = DType(code, bits, 1)
            place.rank = rank
            place.sizes, place.strides = sizes, strides


class Compiled:
    """A program for inputs that stay where they are."""

    def __init__(self, plugin, text, options, inputs, like, torch, names):
        """`like`: tensors of the outputs' dtypes and sizes."""
        self.plugin, self.torch, self.names = plugin, torch, names
        self.inputs = Descriptions(inputs, names)
        self.like = [(tuple(o.shape), o.dtype) for o in like]
        self.artifact = plugin.compile(text, options)
        self.pool = []

    def close(self):
        self.plugin.table.destroy(self.artifact)

    def finish(self):
        """Waits for the code, if launches began without it."""
        self.plugin.table.explain(self.artifact, b"c++")

    def make_outputs(self):
        outputs = [self.torch.empty(s, dtype=d) for s, d in self.like]
        return outputs, Descriptions(outputs, self.names)

    def launch(self, outputs):
        error = self.plugin.error
        code = self.plugin.table.launch(
            self.artifact, self.inputs.array, len(self.inputs.array),
            outputs.array, len(outputs.array), byref(error))
        self.plugin.checked(code)

    def fresh(self):
        """Outputs from torch's allocator, in each call."""
        tensors, described = self.make_outputs()
        self.launch(described)
        return tensors

    def recycled(self):
        """Outputs that nobody holds any more are used again, as a caching
        allocator does."""
        for tensors, described in self.pool:
            # Held by its tuple, by `keep` and by getrefcount's own argument.
            if all(sys.getrefcount(t[0]) <= 3 for t in described.keep):
                break
        else:
            tensors, described = self.make_outputs()
            self.pool.append((tensors, described))
        self.launch(described)
        return tuple(tensors)
