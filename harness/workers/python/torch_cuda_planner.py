"""Answers the protocol's verbs for a target like cuda-sm_90: programs become
launch plans (docs/launch-plan.md), and nothing is executed.

Plans are kept between runs. Only a program that is new to the cache makes this
process import torch, which takes longer than most answers.
"""

import importlib.metadata
import importlib.util
import json
import os
import platform
import runpy
import subprocess
import sys

from torch_cuda_static import StaticDevice
from torch_cuda_targets import TARGETS
from torch_plan_cache import PlanCache
from torch_program import Failure

BACKEND = "inductor"
# Errors of which the next process may know better are not kept.
KEPT = ("refused", "unsupported")


class Planner:
    def __init__(self, backend, target, load_torch):
        """`load_torch()` imports torch, with all that is to be set before."""
        if backend != BACKEND:
            raise Failure("internal", f"{backend} cannot make code for "
                          f"{target}; {BACKEND} can")
        if target not in TARGETS:
            raise Failure("internal", f"target {target} is asked for; known "
                          f"are cpu, {', '.join(TARGETS)}")
        self.target = TARGETS[target]
        self.load_torch = load_torch
        self.options = {}
        self.torch = None
        self.programs = {}
        self.handles = 0

    def hello(self, options, cache):
        self.options = options
        self.identity = identity(self.target)
        self.plans = PlanCache(
            os.path.join(cache, "inductor-cuda",
                         self.identity["torch"].split("+")[0],
                         self.target.name),
            [self.target.name, self.identity, options])
        if options or self.plans.is_new:
            self.load()
        return {"version": self.identity["torch"].split("+")[0],
                "device": self.target.name, "name": BACKEND,
                "identity": self.identity, "slow_compile": True,
                "allocates_outputs": False}

    def load(self):
        if self.torch is not None:
            return
        scratch = self.plans.scratch()
        # Triton's and Inductor's files, apart from those of any other use.
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(scratch, "code")
        os.environ["TRITON_CACHE_DIR"] = os.path.join(scratch, "kernels")
        # Places in source files, by their paths on this machine: the PTX would
        # not be the same bytes elsewhere.
        os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
        self.torch = self.load_torch()
        import torch_cuda_program
        self.maker = torch_cuda_program.Maker(
            self.torch, StaticDevice(self.torch, self.target), scratch)
        self.maker.check(self.options)

    def compile(self, request):
        program = self.plans.find(request["program"])
        if program.facts is None:
            self.load()
            self.make(program, request["program"])
        if not program.facts["reply"]["ok"]:
            return program.facts["reply"]
        self.handles += 1
        self.programs[self.handles] = program
        return {"handle": self.handles}

    def make(self, program, text):
        facts, cubins = self.maker.make(text, self.options)
        kind = facts["reply"].get("kind")
        program.put(facts, cubins, kind is None or kind in KEPT)

    def run(self, request):
        """Where no outputs are asked for, that nothing was refused is all."""
        if request["outputs"]:
            raise Failure("unsupported", "code for "
                          f"{self.target.name} needs a GPU or the PTX machine")
        return {"outputs": []}

    def explain(self, request):
        program = self.programs[request["handle"]]
        kind = request["kind"]
        if kind == "launches":
            return {"text": json.dumps(program.facts["plan"])}
        if kind == "launches+cubin":
            plan = {**program.facts["plan"], "cubins": program.cubins()}
            return {"text": json.dumps(plan)}
        if kind == "ptx":
            return {"text": "\n".join(
                m["ptx"] for m in program.facts["plan"]["modules"])}
        return {"text": program.facts.get(kind)}  # code, python

    def drop(self, request):
        del self.programs[request["handle"]]
        return {}


def identity(target):
    """What the column hangs on, read without importing torch or Triton."""
    facts = {"python": platform.python_version(),
             "gpu": f"{target.product}, {target.multiprocessors} "
                    "multiprocessors (none is there: code for it)",
             "configurations": "the first of each kernel, none measured"}
    try:
        torch = importlib.util.find_spec("torch").submodule_search_locations[0]
        about = runpy.run_path(os.path.join(torch, "version.py"))
        facts["torch"] = about["__version__"]
        facts["git"] = about["git_version"]
    except (AttributeError, OSError, KeyError) as e:
        raise Failure("internal", f"{sys.executable} has no torch; set "
                      "ASSAY_PYTHON to one that has") from e
    try:
        facts["triton"] = importlib.metadata.version("triton")
        triton = importlib.util.find_spec("triton")
        tools = os.path.join(triton.submodule_search_locations[0],
                             "backends", "nvidia", "bin")
    except (AttributeError, importlib.metadata.PackageNotFoundError) as e:
        raise Failure("internal", f"torch of {sys.executable} has no Triton, "
                      "which makes Inductor's CUDA code; install triton "
                      "there") from e
    # Inductor makes Triton use torch's own where there is one.
    own = os.path.join(torch, "bin", "ptxas")
    for tool, variable in (("ptxas", "TRITON_PTXAS_PATH"),
                           ("ptxas-blackwell", "TRITON_PTXAS_BLACKWELL_PATH")):
        path = os.environ.get(variable) or os.path.join(tools, tool)
        if tool == "ptxas" and variable not in os.environ:
            path = own if os.path.exists(own) else path
        facts[tool] = version_of(path)
    return facts


def version_of(tool):
    try:
        told = subprocess.run([tool, "--version"], capture_output=True,
                              text=True, timeout=20).stdout
    except (OSError, subprocess.SubprocessError):
        return "none"
    return told.rpartition(" V")[2].split()[0] if " V" in told else "unknown"
