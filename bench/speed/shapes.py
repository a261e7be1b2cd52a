"""What a shape costs that the bundled compiler has not seen before.

    ./assay bench shapes [FILTER...] [--threads N] [--rounds N]
                         [--markdown FILE]

Each program is compiled for several shapes, one after another in one process
with an empty cache: `first` is what the first shape takes, `next` the median
over the others. `compiled` says for how many of the others a compiler ran, as
the files of the cache tell. `fixed` is what code for a shape alone takes there
(option sizes=fixed), and `speed` how fast code that serves many shapes is
beside it: the geometric mean over shapes of the ratio of their times, taken in
turns in this process.
"""

import argparse
import fnmatch
import math
import os
import shutil
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.dirname(os.path.dirname(HERE))
sys.path += [HERE, os.path.join(HOME, "harness", "workers", "python")]

import kernels  # noqa: E402
import plugin  # noqa: E402
import speed  # noqa: E402
import tensors  # noqa: E402

# By name: shapes of a program of kernels.py.
ROWS = [(1024, 1024), (1000, 700), (3000, 512), (77, 2048), (640, 768),
        (333, 900), (2000, 1280), (50, 3000)]
SHAPES = {
    "triad": ROWS, "softmax": ROWS, "layer_norm": ROWS, "bias_gelu": ROWS,
    "transposed_add": ROWS, "column_sum": ROWS,
    "mm": [(512, 512, 512), (384, 1024, 256), (1000, 768, 320),
           (256, 640, 1000)],
    "bmm": [(16, 256, 64), (8, 384, 128), (12, 512, 80)],
    "conv2d_relu": [(4, 32, 32), (8, 32, 32), (1, 32, 32), (4, 32, 48)],
}


def arguments():
    p = argparse.ArgumentParser(prog="assay bench shapes", description=__doc__,
                                formatter_class=argparse.
                                RawDescriptionHelpFormatter)
    p.add_argument("filter", nargs="*", help="names, with * and ?")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--markdown", help="write the table there too")
    a = p.parse_args()
    chosen = [(function, SHAPES[name]) for name, function, _ in kernels.KERNELS
              if name in SHAPES and (not a.filter or any(
                  fnmatch.fnmatch(name, f) for f in a.filter))]
    if not chosen:
        p.error("no program matches; known are " + ", ".join(SHAPES))
    return a, chosen


def libraries(cache):
    names = os.listdir(cache) if os.path.isdir(cache) else []
    return sum(name.endswith(".so") for name in names)


class Compiler:
    """Compiles programs with an empty cache and options of its own."""

    def __init__(self, torch, bundled, folder, options):
        import torch_program
        self.torch, self.bundled, self.names = torch, bundled, torch_program
        self.options = {"cache": folder, **options}

    def compile(self, function, shape):
        """(what runs the program, milliseconds it took to compile)"""
        text, _ = kernels.text_of(function, shape)
        eager = self.names.Program(self.torch, text, "eager", {})
        inputs = [self.torch.randn(t.sizes).as_strided(t.sizes, t.strides)
                  for t in eager.types]
        like = eager(inputs)
        eager.close()
        began = time.perf_counter()
        made = plugin.Compiled(self.bundled, text, self.options, inputs, like,
                               self.torch, self.names.NAMES)
        return made, (time.perf_counter() - began) * 1e3


def ratio(one, other, rounds):
    """How fast `one` is beside `other`."""
    runs = [one.recycled, other.recycled]
    counts = [speed.repeats(run) for run in runs]
    taken = [[], []]
    for _ in range(rounds):
        for times, run, count in zip(taken, runs, counts):
            times.append(speed.seconds(run, count))
    return statistics.median(taken[1]) / statistics.median(taken[0])


def row(free, fixed, function, shapes, rounds):
    took, fixed_took, ratios = [], [], []
    before = 0
    for shape in shapes:
        one, ms = free.compile(function, shape)
        took.append(ms)
        if shape == shapes[0]:
            before = libraries(free.options["cache"])
        other, ms = fixed.compile(function, shape)
        fixed_took.append(ms)
        ratios.append(ratio(one, other, rounds))
        one.close()
        other.close()
    return {
        "first": f"{took[0]:.0f}",
        "next": f"{statistics.median(took[1:]):.2f}",
        "compiled": f"{libraries(free.options['cache']) - before} of "
                    f"{len(shapes) - 1}",
        "fixed": f"{statistics.median(fixed_took[1:]):.0f}",
        "speed": f"{math.exp(statistics.mean(map(math.log, ratios))):.2f}",
    }


def main():
    args, chosen = arguments()
    import torch
    tensors.name_dtypes(torch)
    torch.set_num_threads(args.threads)
    bundled = plugin.Plugin(os.path.join(os.environ["ASSAY_BUILD"], "lib",
                                         "assay_bundled.so"))
    lines = []

    def say(text):
        print(text, flush=True)
        lines.append(text)
    say("# New shapes\n")
    say(f"{speed.processor()}, {bundled.target.decode()}, {args.threads} "
        "thread(s). Milliseconds to compile; `bench/speed/shapes.py` says what "
        "each column is.\n")
    columns = ["first", "next", "compiled", "fixed", "speed"]
    say("| program | " + " | ".join(columns) + " |")
    say("|---|" + "--:|" * len(columns))
    folder = tempfile.mkdtemp(prefix="assay-shapes-")
    try:
        # Whoever comes first pays for what a process does once.
        options = {"threads": args.threads}
        warm = Compiler(torch, bundled, os.path.join(folder, "warm"), options)
        warm.compile(kernels.rms_norm, (8, 16))[0].close()
        for function, shapes in chosen:
            name = function.__name__
            free = Compiler(torch, bundled, os.path.join(folder, name), options)
            fixed = Compiler(torch, bundled,
                             os.path.join(folder, name + "-fixed"),
                             {**options, "sizes": "fixed"})
            with torch.no_grad():
                found = row(free, fixed, function, shapes, args.rounds)
            say(f"| {name} | " + " | ".join(found[c] for c in columns) + " |")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
