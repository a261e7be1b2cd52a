"""A worker: one process that the harness starts and asks."""

import argparse
import json
import os
import sys

from .control import FloatingPointControl
from .errors import Failure, Unsupported, reply_of
from .memory import SharedMemory
from .program import parse
from .records import open_stream, read_record, write_record

PROTOCOL = 1
COMPLEX = ("c64", "c128")


class Worker:
    """Subclasses name themselves, and define compile and run.

    A method raises Unsupported, Refused or Failure of errors.py where it has no
    result; any other exception is answered as the worker's own fault.
    """

    name = "?"
    version = ""
    device = "cpu"
    slow_compile = False
    # Where the program must raise: False leaves errors to PyTorch, and cases
    # that test them are not asked.
    promises_errors = True
    # The bits of a row do not hang on how many rows are beside it.
    promises_rows = False
    # What it does with subnormal numbers: "flush_subnormals",
    # "subnormals_are_zero" (docs/certification.md).
    declares = ()

    def start(self, target, options):
        """What takes long at first use; returns facts of the column."""
        if target != "cpu":
            raise Failure("internal", f"target '{target}' is not known, only "
                          "cpu")
        if options:
            raise Failure("internal", "options are not known: "
                          + ", ".join(options))
        return {}

    def compile(self, program):
        """What `run` is given of a program.Program."""
        raise NotImplementedError

    def run(self, compiled, inputs, scratch):
        """Takes tensors as the request has them, for self.memory.read, and
        returns self.memory.write([(dtype, values), ...], scratch); or
        read_bits and write_bits."""
        raise NotImplementedError

    def explain(self, compiled, kind):
        """A text of that kind, or None."""
        return None

    # What follows is the protocol.

    def __init__(self, memory):
        self.memory = memory
        self.control = FloatingPointControl()
        self.compiled = {}
        self.handles = 0

    def answer(self, request):
        verb = request.get("verb")
        try:
            answers = {"hello": self._hello, "compile": self._compile,
                       "run": self._run, "explain": self._explain,
                       "drop": self._drop}
            if verb not in answers:
                raise Failure("internal", f"unknown verb {verb!r}")
            reply = {"ok": True, **answers[verb](request)}
        except Exception as e:  # whatever it is, it has an answer
            reply = {"phase": verb, **reply_of(e)}
        reply["fp_env"] = self.control.report()
        return reply

    def _hello(self, request):
        if request.get("protocol") != PROTOCOL:
            raise Failure("internal", f"protocol {request.get('protocol')} is "
                          f"asked for, {PROTOCOL} is spoken")
        facts = self.start(request.get("target", "cpu"),
                           request.get("options") or {})
        promises = (["values"] + ["errors"] * self.promises_errors +
                    ["rows"] * self.promises_rows)
        return {"protocol": PROTOCOL, "name": self.name,
                "version": self.version, "device": self.device,
                "identity": facts, "slow_compile": self.slow_compile,
                "promises": promises, "declares": list(self.declares),
                "allocates_outputs": True}

    def _compile(self, request):
        program = parse(request["program"])
        if any(t.dtype in COMPLEX for t in program.inputs + program.constants):
            raise Unsupported("the kit has no complex numbers")
        compiled = self.compile(program)
        self.handles += 1
        self.compiled[self.handles] = compiled
        return {"handle": self.handles}

    def _run(self, request):
        return {"outputs": self.run(
            self.compiled[request["handle"]], request["inputs"],
            request["scratch"])}

    def _explain(self, request):
        return {"text": self.explain(self.compiled[request["handle"]],
                                     request["kind"])}

    def _drop(self, request):
        del self.compiled[request["handle"]]
        return {}

    def serve(self, stream):
        while (body := read_record(stream)) is not None:
            request = json.loads(body)
            if request.get("verb") == "quit":
                return
            write_record(stream, json.dumps(self.answer(request)).encode())


def main(kind):
    """Serves a Worker of that kind, as the command line says."""
    parser = argparse.ArgumentParser(description=kind.__doc__)
    parser.add_argument("--socket-fd", type=int, required=True)
    parser.add_argument("--shm-fd", type=int, required=True)
    args = parser.parse_args()
    stream = open_stream(args.socket_fd)
    kind(SharedMemory(args.shm_fd)).serve(stream)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # nothing of value is left to be torn down
