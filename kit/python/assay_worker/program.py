"""The text of a program (docs/subject-protocol.md) as Python objects."""

import dataclasses
import math
import re

from .errors import Failure

DTYPES = ("f64 f32 f16 bf16 f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz f8e8m0fnu "
          "u8 i8 i16 i32 i64 u16 u32 u64 bool c64 c128").split()


@dataclasses.dataclass(frozen=True)
class Value:
    """A value of the program, %id."""
    id: int


@dataclasses.dataclass(frozen=True)
class DType:
    """A dtype as an argument."""
    name: str


@dataclasses.dataclass
class Type:
    dtype: str
    sizes: list
    strides: list


@dataclasses.dataclass
class Constant:
    id: int
    dtype: str
    sizes: list
    bits: list  # unsigned integers, row-major


@dataclasses.dataclass
class Call:
    """`op` of `args` and `kwargs`: None, bool, int, float, str, DType, Value,
    or a list of int or of Value. `results` holds the ids of its outputs, in
    order; None for one that nobody names."""
    op: str
    args: list
    kwargs: dict
    results: list


@dataclasses.dataclass
class Program:
    inputs: list     # of Type; the values %0, %1 ...
    constants: list  # of Constant
    calls: list      # of Call
    outputs: list    # ids
    device: int = 0  # which of several of one kind


def row_major(sizes):
    strides, stride = [], 1
    for size in reversed(sizes):
        strides.insert(0, stride)
        stride *= size or 1
    return strides


TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]]|[^\s,\[\]"=]+=?')
WORDS = {"none": None, "true": True, "false": False, "nan": math.nan,
         "inf": math.inf, "-inf": -math.inf}


def parse(text):
    """The program; a Failure where the text is none that we know."""
    lines = text.splitlines()
    first = re.fullmatch(r"assay-program 1(?: device (\d+))?",
                         lines[0] if lines else "")
    if not first:
        raise Failure("internal", "only 'assay-program 1' is known")
    program = Program([], [], [], None, int(first[1] or 0))
    calls = {}
    for line in filter(None, lines[1:]):
        try:
            _read_line(line, program, calls)
        except (ValueError, AttributeError, IndexError, KeyError,
                StopIteration) as e:
            raise Failure("internal", f"no line of a program: {line}") from e
    if program.outputs is None:
        raise Failure("internal", "the program has no return line")
    return program


def _read_line(line, program, calls):
    if line.startswith("return"):
        program.outputs = [int(n) for n in re.findall(r"%(\d+)", line)]
        return
    number, kind, value = re.fullmatch(
        r"%(\d+) = (input |const |getitem\(|)(.*)", line).groups()
    number = int(number)
    if kind == "input ":
        program.inputs.append(_type(value))
    elif kind == "const ":
        head, _, bits = value.partition(" {")
        of = _type(head)
        program.constants.append(Constant(
            number, of.dtype, of.sizes, _integers(bits.rstrip("}"), 16)))
    elif kind == "getitem(":
        call, output = (int(n) for n in re.findall(r"\d+", value))
        results = calls[call].results
        results += [None] * (output + 1 - len(results))
        results[output] = number
    else:
        op, _, rest = value.partition("(")
        calls[number] = Call(op, *_arguments(rest[:-1]), [number])
        program.calls.append(calls[number])


def _integers(text, base=10):
    return [int(s, base) for s in text.split(",") if s.strip()]


def _type(text):
    dtype, sizes, strides = re.fullmatch(
        r"(\w+)\[([\d, ]*)\](?: strides\[([\d, ]*)\])?", text).groups()
    if dtype not in DTYPES:
        raise ValueError(dtype)
    sizes = _integers(sizes)
    return Type(dtype, sizes,
                row_major(sizes) if strides is None else _integers(strides))


def _arguments(text):
    args, kwargs = [], {}
    tokens = iter(TOKEN.findall(text))
    for token in tokens:
        key = None
        if token.endswith("=") and not token.startswith('"'):
            key, token = token[:-1], next(tokens)
        if token == "[":
            value = []
            while (token := next(tokens)) != "]":
                value.append(_atom(token))
        else:
            value = _atom(token)
        if key is None:
            args.append(value)
        else:
            kwargs[key] = value
    return args, kwargs


def _atom(token):
    if token.startswith("%"):
        return Value(int(token[1:]))
    if token.startswith('"'):
        return re.sub(r"\\(.)", r"\1", token[1:-1])
    if token in WORDS:
        return WORDS[token]
    if token in DTYPES:
        return DType(token)
    return int(token) if re.fullmatch(r"-?\d+", token) else float(token)
