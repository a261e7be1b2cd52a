"""Programs as models of ONNX, which ONNX Runtime executes."""

import ctypes
import inspect
import re

import numpy as np
import onnx
import onnxruntime
from assay_worker.dtypes import NATIVE, UNSIGNED, itemsize
from assay_worker.errors import Refused, Unsupported
from assay_worker.program import Value
from onnxruntime.capi import onnxruntime_pybind11_state as state

import activation  # noqa: F401: the tables fill OPERATIONS
import indexing  # noqa: F401
import layout  # noqa: F401
import pointwise  # noqa: F401
import products  # noqa: F401
import reductions  # noqa: F401
from graph import NAMES, TYPES, Graph, bits_constant, first_line
from table import OPERATIONS

LEVELS = {
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL}
# What the runtime raises where it refuses a model or its inputs.
ERRORS = (state.NotImplemented, state.Fail, state.InvalidArgument,
          state.InvalidGraph, state.RuntimeException, state.EPFail)
# Nodes have no names here.
NO_NODE = re.compile(r" node with name ''| Name:''")


def model_of(program):
    """The program as a ModelProto."""
    with Graph().in_use() as graph:
        values = {k: graph.input(t.dtype, t.sizes)
                  for k, t in enumerate(program.inputs)}
        values.update({c.id: bits_constant(c.bits, c.sizes, c.dtype)
                       for c in program.constants})

        def argument(a):
            if isinstance(a, list):
                return [argument(one) for one in a]
            return values[a.id] if isinstance(a, Value) else a

        for call in program.calls:
            if call.op not in OPERATIONS:
                raise Unsupported(
                    f"{call.op}: ONNX has no operator of the same "
                    "definition, or the table has none yet")
            operation = OPERATIONS[call.op]
            given = [argument(a) for a in call.args]
            named = {k: argument(a) for k, a in call.kwargs.items()}
            try:
                inspect.signature(operation).bind(*given, **named)
            except TypeError as e:  # an argument that the table does not know
                raise Unsupported(f"{call.op}: {e}") from e
            result = operation(*given, **named)
            if not isinstance(result, tuple):
                result = (result,)
            for number, one in zip(call.results, result):
                if number is not None:
                    values[number] = one
        try:
            return graph.model([values[n] for n in program.outputs])
        except onnx.checker.ValidationError as e:
            raise Unsupported(f"ONNX: {first_line(e)}") from e


def options_of(optimize):
    """One thread: the order of a sum must not depend on the machine's
    load."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = LEVELS[optimize]
    options.log_severity_level = 4  # what is fatal; errors are raised
    return options


class Compiled:
    """One program's session."""

    def __init__(self, program, optimize):
        self.model = model_of(program)
        self.captured = len(program.constants)  # the first of its constants
        try:
            self.session = onnxruntime.InferenceSession(
                self.model.SerializeToString(), options_of(optimize),
                providers=["CPUExecutionProvider"])
        except ERRORS as e:
            raise answer_to(e) from e
        self.inputs = [(x.name, t.dtype)
                       for x, t in zip(self.session.get_inputs(),
                                       program.inputs)]
        self.outputs = [y.name for y in self.session.get_outputs()]

    def __call__(self, inputs):
        """Of arrays of bits; (our name of the dtype, bits) of the results."""
        given = {name: value_of(bits, dtype)
                 for bits, (name, dtype) in zip(inputs, self.inputs)}
        try:
            results = self.session.run_with_ort_values(self.outputs, given)
        except ERRORS as e:
            raise answer_to(e) from e
        return [bits_of(r) for r in results]


def value_of(bits, dtype):
    if dtype == "bool":
        bits = np.asarray(bits != 0)
    elif dtype in NATIVE:
        bits = bits.view(NATIVE[dtype])
    else:
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
            bits, TYPES[dtype])
    return onnxruntime.OrtValue.ortvalue_from_numpy(bits)


def bits_of(value):
    """Through its memory, for numpy has not all of ONNX's types."""
    dtype, sizes = NAMES[value.element_type()], value.shape()
    width = itemsize(dtype)
    count = int(np.prod(sizes, dtype=np.int64))
    raw = ctypes.string_at(value.data_ptr(), count * width) if count else b""
    return dtype, np.frombuffer(raw, UNSIGNED[width]).reshape(sizes)


def answer_to(error):
    """Some kernels say in words alone that they lack a type. Anything else
    that it raises where a program is valid is an answer, and wrong."""
    reason = "ONNX Runtime: " + NO_NODE.sub("", first_line(error))
    if isinstance(error, state.NotImplemented) or re.search(
            r"not (yet )?(supported|implemented)", reason):
        return Unsupported(reason)
    return Refused(type(error).__name__, reason,
                   [type(error).__name__, "Exception"])
