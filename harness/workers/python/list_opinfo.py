"""Writes what the entries of PyTorch's OpInfo call to the file that is named,
as specs/schemas holds it: a YAML map from entry to the dtypes that it takes on
the CPU and the overloads of ATen that its samples call. Run by `assay schemas
--opinfo` with the Python of the torch version that is asked for, which needs
the package expecttest."""
import itertools
import signal
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._python_dispatch import TorchDispatchMode

NAMES = {
    torch.float64: "f64",
    torch.float32: "f32",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "bool",
    torch.complex128: "c128",
    torch.complex64: "c64",
}
# What a sample is made of, the first that the entry takes.
SAMPLED = (torch.float32, torch.int64, torch.bool, torch.float64,
           torch.complex64)
# What every tensor made of Python's numbers, or used by autograd, goes through.
UNTOLD = {"aten.lift_fresh.default", "aten.detach.default"}
SAMPLES = 60  # of an entry
SECONDS = 20


class Recorder(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.overloads = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.overloads.add(str(func))
        return func(*args, **(kwargs or {}))


class TooSlow(Exception):
    pass


def give_up(*_):
    raise TooSlow


def calls_of(op):
    """Overloads that the samples call; samples that fail end the list."""
    dtype = next((t for t in SAMPLED if t in op.dtypes), None)
    if dtype is None:
        return []
    recorder = Recorder()
    signal.alarm(SECONDS)
    try:
        torch.manual_seed(0)
        samples = op.sample_inputs("cpu", dtype, requires_grad=False)
        for sample in itertools.islice(samples, SAMPLES):
            with recorder:
                op(sample.input, *sample.args, **sample.kwargs)
    except (Exception, TooSlow) as fault:
        print(f"{op.full_name}: {type(fault).__name__}", file=sys.stderr)
    finally:
        signal.alarm(0)
    return sorted(recorder.overloads - UNTOLD)


def main():
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, give_up)
    version = torch.__version__.split("+")[0]
    entries = {}
    for op in op_db:
        dtypes = [name for t, name in NAMES.items() if t in op.dtypes]
        entries[op.full_name] = (dtypes, calls_of(op))
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(
            "# What the entries of OpInfo in PyTorch "
            f"{version} take on the CPU and call.\n"
            "# Made by `assay schemas --opinfo`; not to be edited.\n"
        )
        for name in sorted(entries):
            dtypes, calls = entries[name]
            out.write(
                f"{name}: {{dtypes: [{', '.join(dtypes)}], "
                f"calls: [{', '.join(calls)}]}}\n"
            )


if __name__ == "__main__":
    main()
