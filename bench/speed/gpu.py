"""How fast the bundled compiler's CUDA kernels are beside Inductor and eager.

    ./assay bench gpu [FILTER...] [--rounds N] [--markdown FILE]

On the first GPU, with torch's own tensors: the bundled compiler by its launch
plan, torch.compile with Inductor, eager, and for each program a copy on the
device. Contestants take turns within a round; before each call a write of
twice the L2 at least evicts what the one before has left there, and gives the
host time to enqueue the call. The figure of each is the median over rounds of
the time between CUDA events around the call. Sizes are such that what a program
reads and writes is over four times the L2.

`of copy` says how much of the copy's bandwidth is reached: the bytes that have
to be moved (each input and each output once) over the time, both over the
copy's. Outputs and temporary memory are allocated before.
"""

import argparse
import fnmatch
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.dirname(os.path.dirname(HERE))
sys.path += [HERE, os.path.join(HOME, "harness", "workers", "python")]

import gpu_kernels  # noqa: E402
import launches  # noqa: E402
import plugin  # noqa: E402
import tensors  # noqa: E402
from kernels import text_of  # noqa: E402
from speed import geometric_mean, size  # noqa: E402

FLUSHED = 512 << 20  # bytes
SUMS = 10  # times as far apart as on a CPU, whose sums are shorter


def arguments():
    p = argparse.ArgumentParser(prog="assay bench gpu", description=__doc__,
                                formatter_class=argparse.
                                RawDescriptionHelpFormatter)
    p.add_argument("filter", nargs="*", help="names, with * and ?")
    p.add_argument("--rounds", type=int, default=30)
    p.add_argument("--markdown", help="write the table there too")
    p.add_argument("--only", choices=["bundled"],
                   help="time nobody else: no ratios")
    a = p.parse_args()
    chosen = [(name, function, shape)
              for name, function, shapes in gpu_kernels.KERNELS
              for shape in shapes
              if not a.filter or any(
                  fnmatch.fnmatch(n, f) for f in a.filter
                  for n in (name, f"{name}/{size(shape)}"))]
    if not chosen:
        p.error("no kernel matches; known are "
                + ", ".join(name for name, _, _ in gpu_kernels.KERNELS))
    return a, chosen


class Clock:
    """Times calls on the GPU."""

    def __init__(self, torch):
        self.torch = torch
        self.evicting = torch.empty(FLUSHED, dtype=torch.uint8, device="cuda")

    def seconds(self, call):
        event = self.torch.cuda.Event
        begin, end = event(enable_timing=True), event(enable_timing=True)
        self.evicting.zero_()
        begin.record()
        call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def medians(self, calls, rounds):
        for call in calls.values():
            for _ in range(3):
                call()
        self.torch.cuda.synchronize()
        taken = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                taken[name].append(self.seconds(call))
        return {name: statistics.median(t) for name, t in taken.items()}


def bytes_of(several):
    return sum(t.numel() * t.element_size() for t in several)


def measured(torch, bundled, clock, target, function, shape, args):
    import torch_program
    text, limits = text_of(function, shape)
    eager = torch_program.Program(torch, text, "eager", {}, "cuda")
    generator = torch.Generator("cuda").manual_seed(1)
    inputs = [tensors.made(torch, t, limit, generator)
              for t, limit in zip(eager.types, limits)]
    expected = eager(inputs)
    artifact = bundled.compile(text, {}, target)
    plan = bundled.table.explain(artifact, b"launches+cubin")
    ours = launches.Launches(torch, launches.Driver(), plan, inputs)
    bundled.table.destroy(artifact)
    tensors.agree(torch, ours(), expected, SUMS)
    calls = {"bundled": ours}
    if not args.only:
        compiled = torch_program.Program(torch, text, "inductor", {}, "cuda")
        tensors.agree(torch, compiled(inputs), expected, SUMS)
        calls["inductor"] = lambda: compiled.function(*inputs)
        calls["eager"] = lambda: eager.function(*inputs)
    moved = bytes_of(inputs) + bytes_of(expected)
    whole = torch.empty(moved // 2, dtype=torch.uint8, device="cuda")
    other = torch.empty_like(whole)
    calls["copy"] = lambda: other.copy_(whole)
    del expected
    with torch.no_grad():
        found = clock.medians(calls, args.rounds)
    found["GB/s of copy"] = moved // 2 * 2 / found["copy"] * 1e-9
    found["kernels"] = len(ours.steps)
    eager.close()
    return found


COLUMNS = ["bundled", "kernels", "inductor", "eager", "copy", "of copy",
           "over inductor", "over eager"]


def row(t):
    return {"bundled": f"{t['bundled'] * 1e6:.1f}",
            "kernels": str(t["kernels"]),
            "inductor": f"{t.get('inductor', 0) * 1e6:.1f}",
            "eager": f"{t.get('eager', 0) * 1e6:.1f}",
            "copy": f"{t['copy'] * 1e6:.1f}",
            "of copy": f"{100 * t['copy'] / t['bundled']:.0f} %",
            "over inductor": f"{t.get('inductor', 0) / t['bundled']:.2f}",
            "over eager": f"{t.get('eager', 0) / t['bundled']:.2f}"}


def main():
    args, chosen = arguments()
    import torch
    if not torch.cuda.is_available():
        sys.exit("assay bench gpu: torch finds no GPU here")
    tensors.name_dtypes(torch)
    major, minor = torch.cuda.get_device_capability()
    target = f"cuda-sm_{major}{minor}"
    bundled = plugin.Plugin(os.path.join(os.environ["ASSAY_BUILD"], "lib",
                                         "assay_bundled.so"))
    clock = Clock(torch)
    lines = []

    def say(text):
        print(text, flush=True)
        lines.append(text)
    say(f"# Speed on a GPU: bundled beside Inductor and eager, torch "
        f"{torch.__version__}\n")
    say(f"{torch.cuda.get_device_name()}, {target}. Microseconds per call; "
        "ratios above 1 say that the bundled compiler is the faster. "
        "`bench/speed/gpu.py` says what each column is.\n")
    say("| program | " + " | ".join(COLUMNS) + " |")
    say("|---|" + "--:|" * len(COLUMNS))
    found, copies = [], []
    for name, function, shape in chosen:
        called = f"{name} {size(shape)}"
        try:
            t = measured(torch, bundled, clock, target, function, shape, args)
        except Exception as e:
            say(f"| {called} | {type(e).__name__}: {str(e)[:200]} |")
            continue
        finally:
            torch._dynamo.reset()
            torch.cuda.empty_cache()
        found.append(t)
        copies.append(t["GB/s of copy"])
        cells = row(t)
        say(f"| {called} | " + " | ".join(cells[c] for c in COLUMNS) + " |")
    if found and not args.only:
        means = [geometric_mean([t[who] / t["bundled"] for t in found])
                 for who in ("copy", "inductor", "eager")]
        say("| **geometric mean** | | | | | | "
            f"**{100 * means[0]:.0f} %** | **{means[1]:.2f}** | "
            f"**{means[2]:.2f}** |")
    if copies:
        say(f"\nThe copy moves {min(copies):.0f} to {max(copies):.0f} GB/s, "
            "bytes read and bytes written.")
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
