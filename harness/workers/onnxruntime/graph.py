"""A model that is being built: nodes of ONNX, each result with the dtype and
the sizes that ONNX's own inference gives it.

The entries of the tables write `op.Add(a, b)`, `op.Cast(x, to=...)`: a node of
that operator in the graph that is current. Inputs are operands, or None for
one that is left out; lists of integers become 1-d constants of i64. Attributes
are those of the operator.
"""

import contextlib
import math

import numpy as np
import onnx
from assay_worker.dtypes import UNSIGNED, itemsize, to_bits
from assay_worker.errors import Unsupported
from onnx import TensorProto, defs, helper, shape_inference

# The newest whose operators ONNX Runtime 1.32 has kernels for.
OPSET = 28
TYPES = {"f64": TensorProto.DOUBLE, "f32": TensorProto.FLOAT,
         "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16,
         "f8e4m3fn": TensorProto.FLOAT8E4M3FN,
         "f8e5m2": TensorProto.FLOAT8E5M2,
         "f8e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
         "f8e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ,
         "f8e8m0fnu": TensorProto.FLOAT8E8M0,
         "u8": TensorProto.UINT8, "i8": TensorProto.INT8,
         "i16": TensorProto.INT16, "i32": TensorProto.INT32,
         "i64": TensorProto.INT64, "u16": TensorProto.UINT16,
         "u32": TensorProto.UINT32, "u64": TensorProto.UINT64,
         "bool": TensorProto.BOOL}
# Documented to have the sizes of its input, which ONNX does not infer.
SAME_SIZES = ("GroupNormalization",)
NAMES = {number: name for name, number in TYPES.items()}


class Operand:
    """A value of the graph: its name there, our name of its dtype, its
    sizes."""

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, dtype, tuple(shape)
        self.ndim, self.size = len(self.shape), math.prod(self.shape)


class Graph:
    """Nodes in order, and the constants that they read."""

    current = None

    def __init__(self):
        self.nodes, self.inputs, self.constants = [], [], {}
        self.names = 0

    @contextlib.contextmanager
    def in_use(self):
        before, Graph.current = Graph.current, self
        try:
            yield self
        finally:
            Graph.current = before

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def input(self, dtype, shape):
        operand = Operand(f"x{len(self.inputs)}", dtype, shape)
        self.inputs.append(operand)
        return operand

    def constant(self, bits, dtype):
        """Of unsigned integers of the dtype's width, in their shape."""
        bits = np.asarray(bits)
        operand = Operand(self.fresh("c"), dtype, bits.shape)
        self.constants[operand.name] = helper.make_tensor(
            operand.name, TYPES[dtype], bits.shape,
            np.ascontiguousarray(bits).tobytes(), raw=True)
        return operand

    def node(self, kind, *inputs, outputs=1, **attributes):
        """The node's output, or a tuple of them."""
        operands = [self._operand(one) for one in inputs]
        while operands and operands[-1] is None:  # simply omitted
            operands.pop()
        names = [self.fresh("t") for _ in range(outputs)]
        node = helper.make_node(
            kind, [o.name if o else "" for o in operands], names,
            **{k: a for k, a in attributes.items() if a is not None})
        given = [o for o in operands if o]
        try:
            types = shape_inference.infer_node_outputs(
                defs.get_schema(kind, OPSET), node,
                {o.name: type_of(o) for o in given},
                {o.name: self.constants[o.name] for o in given
                 if o.name in self.constants},
                opset_imports=[helper.make_opsetid("", OPSET)])
        except (onnx.checker.ValidationError,
                shape_inference.InferenceError) as e:
            raise Unsupported(f"ONNX: {first_line(e)}") from e
        self.nodes.append(node)
        if kind in SAME_SIZES:
            types[names[0]] = type_of(given[0])
        results = tuple(operand_of(kind, n, types.get(n)) for n in names)
        return results if outputs > 1 else results[0]

    def _operand(self, one):
        if isinstance(one, list):
            return self.constant(
                np.array(one, np.int64).view(np.uint64), "i64")
        return one

    def model(self, results):
        """The whole model, checked, whose outputs are these operands. An
        input, a constant and what is returned already give a copy."""
        nodes, taken = list(self.nodes), set(self.constants)
        taken.update(x.name for x in self.inputs)
        outputs = []
        for result in results:
            name = result.name
            if name in taken:
                name = self.fresh("t")
                nodes.append(helper.make_node("Identity", [result.name],
                                              [name]))
            taken.add(name)
            outputs.append(info_of(name, result))
        model = helper.make_model(
            helper.make_graph(
                nodes, "program", [info_of(x.name, x) for x in self.inputs],
                outputs, list(self.constants.values())),
            opset_imports=[helper.make_opsetid("", OPSET)])
        onnx.checker.check_model(model, full_check=True)
        return model


class Operators:
    """op.Add is a node of the operator Add in the current graph."""

    def __getattr__(self, kind):
        return lambda *inputs, **attributes: Graph.current.node(
            kind, *inputs, **attributes)


op = Operators()


def info_of(name, operand):
    return helper.make_tensor_value_info(name, TYPES[operand.dtype],
                                         operand.shape)


def type_of(operand):
    return helper.make_tensor_type_proto(TYPES[operand.dtype], operand.shape)


def operand_of(kind, name, found):
    of = found.tensor_type if found is not None else None
    if of is None or not of.HasField("shape") or not all(
            d.HasField("dim_value") for d in of.shape.dim):
        raise Unsupported(f"ONNX infers no sizes for this {kind}")
    return Operand(name, NAMES[of.elem_type],
                   [d.dim_value for d in of.shape.dim])


def constant_of(values, dtype):
    """A constant of numpy's values, or a number, rounded to that dtype."""
    return Graph.current.constant(to_bits(np.asarray(values), dtype), dtype)


def bits_constant(bits, sizes, dtype):
    """A constant that a program has, from its list of bit patterns."""
    return Graph.current.constant(
        np.array(bits, UNSIGNED[itemsize(dtype)]).reshape(sizes), dtype)


def first_line(error):
    lines = [s for s in map(str.strip, str(error).splitlines()) if s]
    return lines[0][:300] if lines else type(error).__name__
