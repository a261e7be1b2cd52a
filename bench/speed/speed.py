"""How fast the bundled compiler is beside Inductor and eager.

    ./assay bench [FILTER...] [--threads 1,2] [--rounds N] [--markdown FILE]
                  [--options '{"threads": "2"}'] [--only bundled]

Each program of kernels.py runs in this process on the same tensors: the bundled
compiler through its plugin, Inductor as torch.compile gives it and again its
generated code alone (without Dynamo's guards and AOTAutograd's wrappers), and
eager. Contestants take turns within a round, and the figure of each is the
median over rounds, so that what else the machine does hits all alike.

Outputs are allocated in each call. torch's allocator asks the system for large
ones and pays for their page faults; the bundled compiler's caller recycles
what nobody holds any more (`fresh` is what it takes with outputs of torch's).
`kept` is the ratio over the generated code in a process whose C library keeps
freed memory, so that nobody pays.

`first` is what it takes to compile a program and to run it once, in a process
that has compiled another one before; nobody finds anything in a cache on disk.
The bundled compiler starts as it does for who does not want to wait
(start=blocks), and the rounds begin when its code is there.
"""

import argparse
import fnmatch
import gc
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.dirname(os.path.dirname(HERE))
sys.path += [HERE, os.path.join(HOME, "harness", "workers", "python")]

import kernels  # noqa: E402
import plugin  # noqa: E402
import tensors  # noqa: E402

# glibc's malloc with these keeps freed memory: mallopt(3).
KEEPING = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**40)}
# A call is repeated until it took this long, so that the clock's own time is
# nothing beside it.
SPAN = 2e-3
BUDGET = 3  # seconds
# Threads of OpenMP spin for some milliseconds after their work, on the cores of
# whoever comes next. Waking a core of a virtual machine that has slept as long
# takes milliseconds too, so that a call goes before the timed ones.
SETTLE = 0.03
OPTIONS = {"start": "blocks"}
# What a process does once: code that is derived takes the specs.
WARM_UP = ["triad", "layer_norm"]


def arguments():
    p = argparse.ArgumentParser(prog="assay bench", description=__doc__,
                                formatter_class=argparse.
                                RawDescriptionHelpFormatter)
    p.add_argument("filter", nargs="*", help="names, with * and ?")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--markdown", help="write the table there too")
    p.add_argument("--options", default="{}",
                   help="of the bundled compiler, as JSON")
    p.add_argument("--json", action="store_true",
                   help="print the ratios over the generated code alone")
    p.add_argument("--only", choices=["bundled"],
                   help="time nobody else: no ratios")
    a = p.parse_args()
    try:
        a.options = json.loads(a.options)
        a.threads = [int(n) for n in a.threads.split(",")]
    except ValueError as e:
        p.error(str(e))
    chosen = [(name, function, shape)
              for name, function, shapes in kernels.KERNELS
              for shape in shapes
              if any(fnmatch.fnmatch(f"{name}/{size(shape)}", f) or
                     fnmatch.fnmatch(name, f) for f in a.filter)
              or not (a.filter or name in kernels.BY_NAME)]
    if not chosen:
        p.error("no kernel matches; known are "
                + ", ".join(name for name, _, _ in kernels.KERNELS))
    return a, chosen


def size(shape):
    return "x".join(map(str, shape))


class Contest:
    """One program, and who runs it."""

    def __init__(self, torch, bundled, function, shape, threads, options,
                 only):
        import torch_program
        self.torch = torch
        self.settle = SETTLE if threads > 1 else 0
        text, limits = kernels.text_of(function, shape)
        self.eager = torch_program.Program(torch, text, "eager", {})
        generator = torch.Generator().manual_seed(1)
        self.inputs = [tensors.made(torch, t, limit, generator)
                       for t, limit in zip(self.eager.types, limits)]
        self.expected = self.eager(self.inputs)
        began = time.perf_counter()
        self.bundled = plugin.Compiled(
            bundled, text, OPTIONS | options | {"threads": threads},
            self.inputs, self.expected, torch, torch_program.NAMES)
        self.recycled = self.bundled.recycled
        result = self.recycled()
        self.first = {"bundled": time.perf_counter() - began}
        tensors.agree(torch, result, self.expected)
        del result
        self.bundled.finish()
        self.runs = {"bundled": self.recycled,
                     "bundled fresh": self.bundled.fresh}
        if not only:
            self.add_torch(torch_program, text)

    def add_torch(self, torch_program, text):
        compiled = torch_program.Program(self.torch, text, "inductor", {})
        calls = []
        with recorded_code(calls):
            began = time.perf_counter()
            tensors.agree(self.torch, compiled(self.inputs), self.expected)
            self.first["inductor"] = time.perf_counter() - began
        code, given = calls[-1]
        self.runs["inductor"] = lambda: compiled.function(*self.inputs)
        self.runs["inductor code"] = lambda: code(list(given))
        self.runs["eager"] = lambda: self.eager.function(*self.inputs)

    def close(self):
        self.runs = {}
        self.bundled.close()
        self.eager.close()

    def measure(self, rounds):
        """Median seconds of a call, by contestant; of fewer rounds, but three
        at least, where they take longer than BUDGET."""
        counts = {name: repeats(run) for name, run in self.runs.items()}
        taken = {name: [] for name in self.runs}
        began = time.perf_counter()
        for n in range(rounds):
            if n >= 3 and time.perf_counter() - began > BUDGET:
                break
            for name, run in self.runs.items():
                if self.settle:
                    time.sleep(self.settle)
                    run()
                taken[name].append(seconds(run, counts[name]))
        return {name: statistics.median(t) for name, t in taken.items()}


class recorded_code:
    """Notes the `call` of what Inductor generates, and what it is called
    with."""

    def __init__(self, calls):
        self.calls = calls

    def __enter__(self):
        from torch._inductor import config
        from torch._inductor.graph import GraphLowering
        calls, self.graph = self.calls, GraphLowering
        self.before = before = GraphLowering.compile_to_module

        def compile_to_module(graph):
            module = before(graph)
            code = module.call

            def call(args):
                calls.append((code, list(args)))
                return code(args)
            module.call = call
            return module
        GraphLowering.compile_to_module = compile_to_module
        self.patch = config.patch(force_disable_caches=True)
        self.patch.__enter__()

    def __exit__(self, *failure):
        self.graph.compile_to_module = self.before
        self.patch.__exit__(*failure)


def seconds(run, count):
    began = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - began) / count


def repeats(run):
    run()
    once = seconds(run, 1)
    if once < SPAN:
        once = min(once, seconds(run, 3))
    return max(1, math.ceil(SPAN / max(once, 1e-7)))


def ratio(times, over, ours="bundled"):
    return times[over] / times[ours] if over in times else None


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


COLUMNS = ["bundled", "fresh", "inductor", "eager", "over inductor", "kept",
           "over its code", "over eager", "first", "inductor's first",
           "over first"]


def row(contest, rounds):
    with contest.torch.no_grad():
        t = contest.measure(rounds)
    return {"bundled": t["bundled"] * 1e6, "fresh": t["bundled fresh"] * 1e6,
            "inductor": t.get("inductor", 0) * 1e6,
            "eager": t.get("eager", 0) * 1e6,
            "over inductor": ratio(t, "inductor"),
            "over its code": ratio(t, "inductor code"),
            "over eager": ratio(t, "eager"),
            "first": contest.first["bundled"] * 1e3,
            "inductor's first": contest.first.get("inductor", 0) * 1e3,
            "over first": ratio(contest.first, "inductor")}


def kept_ratios(args, threads):
    """What another process that keeps freed memory finds, by program."""
    command = [sys.executable, __file__, *args.filter, "--json",
               "--threads", str(threads), "--rounds", str(args.rounds),
               "--options", json.dumps(args.options)]
    made = subprocess.run(command, env={**os.environ, **KEEPING}, check=True,
                          stdout=subprocess.PIPE)
    return json.loads(made.stdout)


def shown(name, value):
    if value is None:
        return "-"
    if name.startswith("over") or name == "kept":
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        for line in f:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def main():
    args, chosen = arguments()
    # As the worker has it: probing each instruction set takes 13 s.
    os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    import torch
    tensors.name_dtypes(torch)
    return run(torch, args, chosen)


def run(torch, args, chosen):
    build = os.environ["ASSAY_BUILD"]
    bundled = plugin.Plugin(os.path.join(build, "lib", "assay_bundled.so"))
    lines = []

    def say(text):
        if not args.json:
            print(text, flush=True)
        lines.append(text)
    say(f"# Speed: bundled beside Inductor and eager, torch "
        f"{torch.__version__}\n")
    say(f"{processor()}, {bundled.target.decode()}. Microseconds per call, "
        "first calls in milliseconds; ratios above 1 say that the bundled "
        "compiler is the faster. `bench/speed/speed.py` says what each column "
        "is.")
    cache = tempfile.mkdtemp(prefix="assay-bench-")
    try:
        for threads in args.threads:
            torch.set_num_threads(threads)
            table(torch, bundled, args, chosen, threads, cache, say)
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


def warm_up(torch, bundled, threads, options, only):
    """Whoever comes first in a process would pay for what all use: imports of
    Inductor, the threads, the allocators."""
    for name, function, _ in kernels.KERNELS:
        if name not in WARM_UP:
            continue
        contest = Contest(torch, bundled, function, (48, 768), threads,
                          options, only)
        contest.measure(3)
        contest.close()
        torch._dynamo.reset()


def table(torch, bundled, args, chosen, threads, cache, say):
    say(f"\n## {threads} thread{'s' if threads > 1 else ''}\n")
    say("| program | " + " | ".join(COLUMNS) + " |")
    say("|---|" + "--:|" * len(COLUMNS))
    alone = args.json or args.only
    kept = {} if alone else kept_ratios(args, threads)
    rows = {}
    options = {"cache": os.path.join(cache, str(threads)), **args.options}
    warm_up(torch, bundled, threads, options, args.only)
    for name, function, shape in chosen:
        contest = Contest(torch, bundled, function, shape, threads, options,
                          args.only)
        found = row(contest, args.rounds)
        contest.close()
        torch._dynamo.reset()
        gc.collect()
        name = f"{name} {size(shape)}"
        rows[name] = {**found, "kept": kept.get(name)}
        say(f"| {name} | "
            + " | ".join(shown(c, rows[name][c]) for c in COLUMNS) + " |")
    means = {c: geometric_mean([r[c] for r in rows.values()])
             for c in COLUMNS if c.startswith("over") or c == "kept"}
    say("| **geometric mean** | " + " | ".join(
        f"**{means[c]:.2f}**" if means.get(c) else "" for c in COLUMNS)
        + " |")
    if args.json:
        print(json.dumps({n: r["over its code"] for n, r in rows.items()}))


if __name__ == "__main__":
    main()
