"""How a program calls its operations, as Python text.

A program names ATen's overloads, `torch.ops.aten.add.Tensor(x, y)`. People
write `torch.add(x, y)`, `x.add(y)` or `x + y`, and Dynamo and passes before
ATen see what is written. The option `calls` says which is written here.
"""

import dataclasses
import keyword
import math

from assay_worker.program import DType, Value

# Our names of dtypes to torch's; filled once torch is imported.
DTYPES = {}

# Arguments for which Python has objects: torch.channels_last.
OBJECTS = dict(memory_format=("contiguous_format", "preserve_format",
                              "channels_last", "channels_last_3d"),
               layout=("strided",))

# Modules of torch whose functions have the same prefix in ATen.
FAMILIES = ("special", "linalg", "fft")
OPERATORS = dict(add="+", sub="-", mul="*", div="/", remainder="%", pow="**",
                 floor_divide="//", matmul="@", lt="<", le="<=", gt=">",
                 ge=">=", eq="==", ne="!=", bitwise_and="&", bitwise_or="|",
                 bitwise_xor="^", __and__="&", __or__="|", __xor__="^",
                 __lshift__="<<", __rshift__=">>")
SIGNS = dict(neg="-", bitwise_not="~")


@dataclasses.dataclass(frozen=True)
class Number:
    """A number that the program takes as an argument."""
    id: int


class Overloads:
    """Each call by its overload, as the program has it."""

    def __init__(self, torch):
        self.torch = torch

    def text(self, call, more):
        arguments = ", ".join(arguments_of(call) + more)
        packet, _, overload = call.op.rpartition(".")
        if keyword.iskeyword(overload):  # aten.random_.from
            return f"getattr(torch.ops.{packet}, '{overload}')({arguments})"
        return f"torch.ops.{call.op}({arguments})"


class Functions(Overloads):
    """A function of torch where there is one, else an index or a method."""

    def text(self, call, more):
        name = base_name(call)
        return (self.function(call, name, more) or index(call) or
                method(self.torch, call, name, more) or
                super().text(call, more))

    def function(self, call, name, more):
        torch, places = self.torch, [("torch", self.torch, name)]
        for family in FAMILIES:
            if name.startswith(family + "_"):
                places.append((f"torch.{family}", getattr(torch, family),
                               name.removeprefix(family + "_")))
        places.append(("torch.nn.functional", torch.nn.functional, name))
        for path, module, own in places:
            if callable(getattr(module, own, None)):
                return f"{path}.{own}({', '.join(arguments_of(call) + more)})"
        return None


class Methods(Functions):
    """An operator or an index where Python has one, else a method, else a
    function."""

    def text(self, call, more):
        name = base_name(call)
        return (operator(call, name) or index(call) or
                method(self.torch, call, name, more) or
                super().text(call, more))


SPELLINGS = {"overloads": Overloads, "functions": Functions,
             "methods": Methods}


def base_name(call):
    return call.op.split(".")[1]


def arguments_of(call):
    return ([argument_text(a) for a in call.args] +
            [f"{key}={argument_text(a, key)}"
             for key, a in call.kwargs.items()])


def method(torch, call, name, more):
    if not (call.args and isinstance(call.args[0], Value) and
            callable(getattr(torch.Tensor, name, None))):
        return None
    arguments = arguments_of(call)
    return f"{arguments[0]}.{name}({', '.join(arguments[1:] + more)})"


def operator(call, name):
    if call.kwargs or not call.args or not isinstance(call.args[0], Value):
        return None
    texts = arguments_of(call)
    if len(texts) == 2 and name in OPERATORS:
        return f"{texts[0]} {OPERATORS[name]} {texts[1]}"
    if len(texts) == 1 and name in SIGNS:
        return f"{SIGNS[name]}{texts[0]}"
    return None


def index(call):
    """x[...] for aten.index, slice and select, called by position."""
    if call.kwargs:
        return None
    if call.op == "aten.index.Tensor":
        x, places = call.args
        texts = [":" if p is None else argument_text(p) for p in places]
        return f"v{x.id}[{', '.join(texts)},]" if texts else None
    if call.op == "aten.slice.Tensor":
        x, dim, *ends = call.args if len(call.args) > 1 else [*call.args, 0]
        text = ":".join("" if a is None else argument_text(a)
                        for a in [*ends, None, None][:max(2, len(ends))])
    elif call.op == "aten.select.int":
        x, dim, place = call.args
        text = argument_text(place)
    else:
        return None
    at = ([":"] * dim + [text] if dim >= 0 else
          ["...", text] + [":"] * (-1 - dim))
    return f"v{x.id}[{', '.join(at)}]"


def argument_text(argument, key=""):
    if isinstance(argument, list):
        return f"[{', '.join(argument_text(a) for a in argument)}]"
    if isinstance(argument, Value):
        return f"v{argument.id}"
    if isinstance(argument, Number):
        return f"n{argument.id}"
    if isinstance(argument, DType):
        return str(DTYPES[argument.name])
    # Python has objects for these, not names; what is none stays as it is.
    if isinstance(argument, str) and argument in OBJECTS.get(key, ()):
        return "torch." + argument
    if isinstance(argument, float) and not math.isfinite(argument):
        return f"{'-' if argument < 0 else ''}math." + (
            "nan" if math.isnan(argument) else "inf")
    return repr(argument)
