"""Writes the schemas of ATen's overloads to the file that is named, those that
are functional and those that write into one operand alone, the first or `out`,
or into a tensor for each result, as specs/schemas holds them: a YAML map from
overload to schema, those tagged as core first, among them all that write. Run
by `assay schemas` with the Python of the torch version that is asked for."""
import json
import sys

import torch


def functional(schema):
    return not schema.is_mutable and not any(
        argument.is_out for argument in schema.arguments
    )


def in_place(schema):
    written = [
        argument.alias_info is not None and argument.alias_info.is_write
        for argument in schema.arguments
    ]
    return (
        schema.name.endswith("_")
        and not schema.name.endswith("__")
        and written[:1] == [True]
        and not any(written[1:])
    )


def into_out(schema):
    return (
        [a.name for a in schema.arguments if a.is_out] == ["out"]
        and [str(r.type) for r in schema.returns] == ["Tensor"]
    )


def into_several(schema):
    outs = [a for a in schema.arguments if a.is_out]
    return (
        len(outs) > 1
        and all(str(a.type) == "Tensor" for a in outs)
        and [str(r.type) for r in schema.returns] == ["Tensor"] * len(outs)
    )


def overloads():
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::"):
            packet = getattr(torch.ops.aten, schema.name[6:], None)
            op = getattr(packet, schema.overload_name or "default", None)
            if op is not None:
                yield op


sections = {"core": {}, "other": {}}
for op in overloads():
    core = torch.Tag.core in op.tags
    schema = op._schema
    known = (
        core
        or functional(schema)
        or in_place(schema)
        or into_out(schema)
        or into_several(schema)
    )
    if not known or "..." in str(schema):
        continue
    section = "core" if core else "other"
    text = str(schema)
    sections[section][str(op)] = json.dumps(text[text.index("(") :])

version = torch.__version__.split("+")[0]
with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write(
        "# ATen's functional, in-place, out and core overloads in PyTorch "
        f"{version}.\n"
    )
    out.write("# Made by `assay schemas`; not to be edited.\n")
    for section, schemas in sections.items():
        out.write(section + ":\n")
        for name in sorted(schemas):
            out.write(f"  {name}: {schemas[name]}\n")
