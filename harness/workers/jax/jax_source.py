"""A program as Python text of plain JAX, for a stand-alone file.

The entries of the tables are run on operands that remember what was done with
them: each call of jnp, lax and jax.nn becomes a line, with the dtypes and
shapes that JAX gives its result.
"""

import importlib
import operator
import sys
import types

import jax
import jax.numpy as jnp
import numpy as np
from assay_worker.program import Value
from table import DTYPES

TABLES = ("table", "layout", "pointwise", "products", "reductions")
JAX = ("jax", "jax.numpy", "jax.scipy")


class Recorder:
    """The lines of one program."""

    def __init__(self):
        self.lines = []
        self.count = 0

    def record(self, text, value):
        """An operand, or a tuple of them, that is the line's result."""
        self.count += 1
        name = f"t{self.count}"
        self.lines.append(f"{name} = {text}")
        if isinstance(value, (tuple, list)):
            return tuple(Operand(self, f"{name}[{k}]", one)
                         for k, one in enumerate(value))
        return Operand(self, name, value)

    def call(self, text, function, args, kwargs):
        """`function` is evaluated for its result's type alone."""
        found = []
        plain = strip((args, kwargs), found)

        def of(*arrays):
            args, kwargs = fill(plain, list(arrays))
            return function(*args, **kwargs)

        value = jax.eval_shape(of, *[o.type for o in found])
        words = [text_of(a) for a in args]
        words += [f"{key}={text_of(a)}" for key, a in kwargs.items()]
        return self.record(f"{text}({', '.join(words)})", value)


class Operand:
    """Stands for an array: what its expression is, and its dtype and shape."""

    def __init__(self, recorder, text, type):
        self.recorder, self.text, self.type = recorder, text, type
        self.dtype, self.shape = type.dtype, type.shape
        self.ndim, self.size = type.ndim, type.size

    def astype(self, dtype):
        dtype = dtype.real if isinstance(dtype, Library) else dtype
        return self.method("{}.astype({})", lambda x, d: x.astype(d),
                           jnp.dtype(dtype))

    def __getitem__(self, index):
        return self.method("{}[{}]", lambda x, i: x[i], index)

    def method(self, form, function, *others):
        found = []
        plain = strip((self, *others), found)
        value = jax.eval_shape(
            lambda *arrays: function(*fill(plain, list(arrays))),
            *[o.type for o in found])
        words = [text_of(o) for o in others]
        return self.recorder.record(form.format(self.text, *words), value)

    @property
    def at(self):
        return Places(self)

    @property
    def T(self):
        return self.method("{}.T", lambda x: x.T)


def binary(name, sign):
    return lambda self, other: self.method(
        "{} " + sign + " {}", getattr(operator, name), other)


for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"),
                   ("gt", ">")):
    setattr(Operand, f"__{name}__", binary(name, sign))


class Places:
    """x.at[index].set(values), .add(values)"""

    def __init__(self, operand, index=None):
        self.operand, self.index = operand, index

    def __getitem__(self, index):
        return Places(self.operand, index)

    def set(self, values):
        return self.operand.method("{}.at[{}].set({})",
                                   lambda x, i, v: x.at[i].set(v), self.index,
                                   values)

    def add(self, values):
        return self.operand.method("{}.at[{}].add({})",
                                   lambda x, i, v: x.at[i].add(v), self.index,
                                   values)


class Library:
    """A module of JAX, or a function of one, that records calls."""

    def __init__(self, recorder, text, real):
        self.recorder, self.text, self.real = recorder, text, real

    def __getattr__(self, name):
        real = getattr(self.real, name)
        if isinstance(real, types.ModuleType) or callable(real):
            return Library(self.recorder, f"{self.text}.{name}", real)
        return real

    def __call__(self, *args, **kwargs):
        if self.real is jnp.dtype:  # asks for no array
            return self.real(*strip(args, []))
        return self.recorder.call(self.text, self.real, args, kwargs)


def strip(value, found):
    """The value with operands replaced by their places in `found`."""
    if isinstance(value, Operand):
        found.append(value)
        return Value(len(found) - 1)
    if isinstance(value, Library):
        return value.real
    if isinstance(value, (list, tuple)):
        return type(value)(strip(v, found) for v in value)
    if isinstance(value, dict):
        return {k: strip(v, found) for k, v in value.items()}
    return value


def fill(value, arrays):
    if isinstance(value, Value):
        return arrays[value.id]
    if isinstance(value, (list, tuple)):
        return type(value)(fill(v, arrays) for v in value)
    if isinstance(value, dict):
        return {k: fill(v, arrays) for k, v in value.items()}
    return value


def text_of(value):
    if isinstance(value, (Operand, Library)):
        return value.text
    if isinstance(value, tuple):
        inside = ", ".join(text_of(v) for v in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, list):
        return f"[{', '.join(text_of(v) for v in value)}]"
    if isinstance(value, np.dtype):
        return f"jax.numpy.{value.name.replace('bool', 'bool_')}"
    if isinstance(value, np.ndarray):
        return f"np.{value.dtype.name}({value})"
    if isinstance(value, float):
        return f"float('{value}')" if value - value != 0 else repr(value)
    return repr(value)


def recorded_operations(recorder):
    """The tables' entries, loaded once more with a JAX that records."""
    before = {name: sys.modules.pop(name, None) for name in TABLES}
    before.update({name: sys.modules[name] for name in JAX})
    try:
        for name in JAX:
            sys.modules[name] = Library(recorder, name, before[name])
        for name in TABLES:
            importlib.import_module(name)
        return sys.modules["table"].OPERATIONS
    finally:
        sys.modules.update(before)


def source_of(program):
    """make(constants...) gives the function of the program."""
    recorder = Recorder()
    operations = recorded_operations(recorder)
    values = {}
    constants = []
    for k, t in enumerate(program.inputs):
        values[k] = Operand(recorder, f"x{k}", jax.ShapeDtypeStruct(
            t.sizes, DTYPES[t.dtype]))
    for c in program.constants:
        constants.append(f"c{c.id}")
        values[c.id] = Operand(recorder, f"c{c.id}", jax.ShapeDtypeStruct(
            c.sizes, DTYPES[c.dtype]))

    def argument(a):
        if isinstance(a, list):
            return [argument(one) for one in a]
        return values[a.id] if isinstance(a, Value) else a

    for call in program.calls:
        result = operations[call.op](
            *(argument(a) for a in call.args),
            **{k: argument(a) for k, a in call.kwargs.items()})
        if not isinstance(result, tuple):
            result = (result,)
        values.update(zip(call.results, result))
    results = "".join(f"{values[n].text}, " for n in program.outputs)
    body = recorder.lines + [f"return ({results})"]
    inputs = ", ".join(f"x{k}" for k in range(len(program.inputs)))
    return "\n".join(
        [f"def make({', '.join(constants)}):", f"    def program({inputs}):"]
        + ["        " + line for line in body]
        + ["", "    return program", ""])
