"""A model as Python text of plain onnx, for a stand-alone file."""

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper

# The runtime's names of the levels.
LEVELS = {"none": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC",
          "extended": "ORT_ENABLE_EXTENDED", "all": "ORT_ENABLE_ALL"}


def type_text(number):
    return f"TensorProto.{TensorProto.DataType.Name(number)}"


def number_text(value):
    if isinstance(value, float):
        return f"float('{value}')" if value - value != 0 else repr(value)
    return repr(value)


def nested_text(values):
    if isinstance(values, list):
        return f"[{', '.join(nested_text(v) for v in values)}]"
    return number_text(values)


def array_text(tensor):
    """numpy's, of its own types; of others by their values, which are exact in
    any float."""
    array = numpy_helper.to_array(tensor)
    if array.dtype.kind in "fiub":
        dtype = "np.bool_" if array.dtype.kind == "b" else \
            f"np.{array.dtype.name}"
        values = array.tolist()
    else:
        dtype = f"ml_dtypes.{array.dtype.name}"
        values = array.astype(np.float32).tolist()
    text = f"np.array({nested_text(values)}, {dtype})"
    return text if array.size else f"{text}.reshape({list(array.shape)})"


def attribute_text(attribute):
    value = helper.get_attribute_value(attribute)
    if attribute.type == AttributeProto.STRING:
        return repr(value.decode())
    if attribute.name == "to":
        return type_text(value)
    return nested_text(list(value) if isinstance(value, (list, tuple))
                       else value)


def node_text(node):
    words = [repr(node.op_type), repr(list(node.input)),
             repr(list(node.output))]
    words += [f"{a.name}={attribute_text(a)}" for a in node.attribute]
    return f"helper.make_node({', '.join(words)})"


def info_text(info):
    of = info.type.tensor_type
    sizes = [d.dim_value for d in of.shape.dim]
    return (f"helper.make_tensor_value_info({info.name!r}, "
            f"{type_text(of.elem_type)}, {sizes})")


def listed(lines, indent):
    return "".join(f"{indent}{line},\n" for line in lines)


def source_of(model, captured, optimize):
    """make(constants...) gives the model and the level that it is for; the
    first `captured` of its constants are the program's own."""
    graph = model.graph
    names = [t.name for t in graph.initializer]
    constants = [f"constant({t.name!r}, "
                 + (t.name if k < captured else array_text(t)) + ")"
                 for k, t in enumerate(graph.initializer)]
    opset = model.opset_import[0].version
    indent = " " * 8
    return (
        f"def make({', '.join(names[:captured])}):\n"
        f"    nodes = [\n{listed(map(node_text, graph.node), indent)}    ]\n"
        f"    inputs = [\n{listed(map(info_text, graph.input), indent)}    ]\n"
        f"    outputs = [\n{listed(map(info_text, graph.output), indent)}"
        "    ]\n"
        f"    constants = [\n{listed(constants, indent)}    ]\n"
        "    graph = helper.make_graph(nodes, \"program\", inputs, outputs,\n"
        "                              constants)\n"
        "    model = helper.make_model(\n"
        f"        graph, opset_imports=[helper.make_opsetid(\"\", {opset})])\n"
        "    onnx.checker.check_model(model, full_check=True)\n"
        f"    return model, {LEVELS[optimize]!r}\n")
