"""Launches of Triton's kernels as they stand in a plan (docs/launch-plan.md).

Inductor's object for a kernel, CachingAutotuner, compiles every configuration
that its heuristics propose and measures which is fastest. Without a GPU nothing
can be measured: here the first configuration that compiles is taken, and a call
of the kernel is written down.
"""

import re
import struct

from torch_errors import our_own
from torch_program import Failure

# Bytes of PTX's types of parameters.
WIDTHS = {f".{kind}{8 * width}": width
          for kind in "usbf" for width in (1, 2, 4, 8)}
FLOATS = {("fp16", 2): "<e", ("fp32", 4): "<f", ("f32", 4): "<f",
          ("fp64", 8): "<d", ("f64", 8): "<d"}


class Kernel:
    """A compiled kernel, and what its launches have in common."""

    @our_own
    def __init__(self, result):
        compiled = result.kernel
        about = compiled.metadata
        self.ptx = compiled.asm["ptx"]
        self.cubin = compiled.asm["cubin"]
        self.entry = about.name
        self.shared = about.shared
        self.blocks_of_cluster = about.num_ctas
        self.scratch = getattr(about, "global_scratch_size", 0)
        self.cooperative = bool(getattr(about, "launch_cooperative_grid", 0))
        self.result = result
        self.parameters = parameters(self.ptx, self.entry)
        # With specialized warps there are more than were asked for.
        self.threads = required_threads(self.ptx)


def parameters(ptx, entry):
    """Bytes of each parameter, from the kernel's head."""
    head = re.search(r"\.entry " + re.escape(entry) + r"\s*\((.*?)\n\)",
                     ptx, re.S)
    if head is None:
        raise Failure("internal", f"the PTX has no entry {entry}")
    sizes = []
    for line in head[1].splitlines():
        if ".param" not in line:
            continue
        kind = re.search(r"\.param (\.\w+) ", line)
        if kind is None or kind[1] not in WIDTHS:
            raise Failure("unsupported", f"{entry} takes '{line.strip()}' "
                          "(a tensor descriptor), which no plan has")
        sizes.append(WIDTHS[kind[1]])
    return sizes


def required_threads(ptx):
    found = re.search(r"\.reqntid (\d+)", ptx)
    if found is None:
        raise Failure("internal", "the PTX does not say how many threads")
    return int(found[1])


def compile_first(autotuner, heuristics, shared_limit):
    """The first configuration that compiles, as a Kernel."""
    failure = None
    for config in autotuner.configs:
        try:
            result = autotuner._precompile_config(config)
        except (heuristics.OutOfResources, heuristics.PTXASError) as e:
            failure = e
            continue
        # Loading it on the device would say so.
        if result.kernel.metadata.shared > shared_limit:
            failure = heuristics.OutOfResources(
                result.kernel.metadata.shared, shared_limit, "shared memory")
            continue
        return Kernel(result)
    raise heuristics.NoTritonConfigsError(
        f"No valid triton configs. {type(failure).__name__}: {failure}")


def install(shared_limit, recording):
    """From now on kernels are compiled once and launches go to `recording()`,
    a torch_launch_recorder.Recorder or None."""
    from torch._inductor.runtime import triton_heuristics as heuristics
    kernels = "assay_kernel"

    def precompile(autotuner, *args, **kwargs):
        if not hasattr(autotuner, kernels):
            setattr(autotuner, kernels,
                    compile_first(autotuner, heuristics, shared_limit))

    def run(autotuner, *args, stream, **kwargs):
        precompile(autotuner)
        recorder = recording()
        if recorder is None:
            return
        write_down(recorder, getattr(autotuner, kernels), heuristics,
                   args, kwargs)

    heuristics.CachingAutotuner.precompile = precompile
    heuristics.CachingAutotuner.run = run


@our_own
def write_down(recorder, kernel, heuristics, args, kwargs):
    names = argument_names(kernel, heuristics)
    values = {**dict(zip(names, args)), **kwargs}
    recorder.launch(kernel, grid(kernel, heuristics, values),
                    arguments(kernel, values))


def argument_names(kernel, heuristics):
    """Names of what the wrapper passes, in order."""
    function = kernel.result.kernel.src.fn
    return kernel.result._get_arg_lists(
        function.arg_names, heuristics.get_constexprs(function))[1]


def grid(kernel, heuristics, values):
    result = kernel.result
    expression = heuristics.GridExpr.from_meta(
        result.inductor_meta, result.config)
    counts = expression.eval_slow({**values, **result.config.kwargs})
    x, y, z = (int(n) for n in counts)
    return [x * kernel.blocks_of_cluster, y, z]


def arguments(kernel, values):
    """What is passed for each of the kernel's parameters but the last ones,
    Triton's own: tensors, and scalars as bytes."""
    signature = kernel.result.compile_meta["signature"]
    given = [(name, kind) for name, kind in signature.items()
             if kind != "constexpr"]
    if len(given) > len(kernel.parameters):
        raise Failure("internal", f"{kernel.entry} has "
                      f"{len(kernel.parameters)} parameters, and "
                      f"{len(given)} arguments are passed")
    passed = []
    for (name, kind), width in zip(given, kernel.parameters):
        value = values[name]
        passed.append(value if kind.startswith("*")
                      else scalar_bytes(kernel, value, kind, width))
    return passed


def scalar_bytes(kernel, value, kind, width):
    code = FLOATS.get((kind, width))
    if code is not None:
        return struct.pack(code, value)
    if re.fullmatch(r"[iu]\d+", kind):
        return (int(value) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    raise Failure("unsupported", f"{kernel.entry} takes a scalar of type "
                  f"{kind} in {width} bytes")
