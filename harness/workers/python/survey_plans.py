#!/usr/bin/env python3
"""Which programs become launch plans, and why others do not.

survey_plans.py PROGRAMS [--target cuda-sm_90] [--python PYTHON] [--stride N]
  asks torch_worker.py, through its protocol, for a plan of each program, checks
  the plan's form, and prints how many were planned, refused, and so on.
As a subject (worker:PATH_OF_THIS_FILE, and ASSAY_SURVEY=PROGRAMS in the
environment) it writes down the programs that it is given.
PROGRAMS has a JSON string a line, each a program's text.
"""

import argparse
import base64
import collections
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time


class Stream:
    """Records of docs/subject-protocol.md over a socket."""

    def __init__(self, connection):
        self.file = connection.makefile("rwb")

    def read(self):
        head = self.file.read(4)
        if len(head) < 4:
            return None
        return json.loads(self.file.read(struct.unpack("<I", head)[0]))

    def write(self, record):
        body = json.dumps(record).encode()
        self.file.write(struct.pack("<I", len(body)) + body)
        self.file.flush()


class Client:
    """torch_worker.py in a process of its own."""

    def __init__(self, python, target, options):
        self.start = [python, os.path.join(os.path.dirname(
            os.path.abspath(__file__)), "torch_worker.py"),
            "--backend", "inductor"]
        ours, theirs = socket.socketpair()
        memory = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*self.start, "--socket-fd", str(theirs.fileno()),
             "--shm-fd", str(memory.fileno())],
            pass_fds=(theirs.fileno(), memory.fileno()))
        theirs.close()
        self.stream = Stream(ours)
        self.common = {"target": target, "options": options}
        self.hello = self.ask(verb="hello", protocol=1, **self.common)
        if not self.hello["ok"]:
            sys.exit(self.hello["message"])

    def ask(self, **request):
        self.stream.write(request)
        reply = self.stream.read()
        if reply is None:
            return {"ok": False, "kind": "crash",
                    "message": f"exit code {self.process.wait()}"}
        return reply

    def plan(self, text):
        """("planned", the plan), or the kind and the message of an error."""
        reply = self.ask(verb="compile", program=text, **self.common)
        if not reply["ok"]:
            return reply["kind"], reply
        handle = reply["handle"]
        told = self.ask(verb="explain", handle=handle, kind="launches")
        self.ask(verb="drop", handle=handle)
        return "planned", json.loads(told["text"])


def faults_of(plan):
    """What is wrong with a plan's form."""
    sizes = [b.get("bytes") if "base64" not in b
             else len(base64.b64decode(b["base64"])) for b in plan["buffers"]]

    def inside(where, count):
        size = sizes[where["buffer"]]
        offset = where.get("offset", 0)
        return offset >= 0 and (size is None or offset + count <= size)

    for launch in plan["launches"]:
        if "copy" in launch:
            copy = launch["copy"]
            if not (inside(copy["from"], copy["bytes"])
                    and inside(copy["to"], copy["bytes"])):
                yield "a copy outside its buffer"
        elif "fill" in launch:
            if not inside(launch["fill"], launch["fill"]["bytes"]):
                yield "a fill outside its buffer"
        else:
            yield from faults_of_launch(plan, launch, inside)
    touched = {place["buffer"] for launch in plan["launches"] for place in (
        [launch["copy"]["to"]] if "copy" in launch else
        [launch["fill"]] if "fill" in launch else
        [a for a in launch["arguments"] if "buffer" in a])}
    for output in plan["outputs"]:
        buffer = plan["buffers"][output["buffer"]]
        if buffer["kind"] == "output":
            if buffer["bytes"] and output["buffer"] not in touched:
                yield "an output that nothing writes"
        elif buffer["kind"] == "temporary":
            yield "an output of kind temporary"


def faults_of_launch(plan, launch, inside):
    ptx = plan["modules"][launch["module"]]["ptx"]
    head = re.search(rf"\.entry {re.escape(launch['entry'])}\s*\((.*?)\n\)",
                     ptx, re.S)
    if head is None:
        yield "no such entry"
        return
    widths = [int(w) // 8 for w in re.findall(r"\.param \.[a-z](\d+)", head[1])]
    if len(widths) != len(launch["arguments"]):
        yield "not an argument for each parameter"
    for width, argument in zip(widths, launch["arguments"]):
        if "buffer" in argument:
            if width != 8 or not inside(argument, 0):
                yield "an address outside its buffer"
        elif len(argument["value"]) != 2 * width:
            yield "a scalar of another width"
    if any(n < 1 for n in launch["grid"] + launch["block"]):
        yield "a grid of nothing"


def reason(reply):
    """A message without what differs from program to program."""
    first = reply["message"].splitlines()[0] if reply["message"] else ""
    return re.sub(r"\d+", "N", first)[:110]


def survey(options):
    with open(options.programs) as f:
        texts = [json.loads(line) for line in f][::options.stride]
    began = time.monotonic()
    client = Client(options.python, options.target,
                    json.loads(options.options))
    ready = time.monotonic()
    kinds, reasons = collections.Counter(), collections.Counter()
    example, launches, slowest = {}, 0, (0, "")
    for text in texts:
        start = time.monotonic()
        kind, found = client.plan(text)
        slowest = max(slowest, (time.monotonic() - start, text))
        if kind == "planned":
            launches += len(found["launches"])
            faults = sorted(set(faults_of(found)))
            if faults:
                kind, why = "malformed", ", ".join(faults)
        else:
            why = reason(found)
        kinds[kind] += 1
        if kind != "planned":
            reasons[kind, why] += 1
            example.setdefault((kind, why), (text, found))
        if kind == "crash":
            client = Client(options.python, options.target,
                            json.loads(options.options))
    took = time.monotonic() - ready
    print(f"{options.target}: {len(texts)} programs, {launches} launches; "
          f"hello {ready - began:.2f} s, {took:.1f} s, "
          f"{len(texts) / took:.1f} programs/s; "
          f"slowest {slowest[0]:.1f} s")
    print(", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))
    for (kind, why), n in sorted(reasons.items(), key=lambda i: -i[1]):
        if kind != "refused" or options.refusals:
            print(f"{n:5} {kind}: {why}")
    if options.examples:
        with open(options.examples, "w") as f:
            f.write(f"=== slowest\n{slowest[1]}\n")
            for (kind, why), (text, found) in example.items():
                f.write(f"=== {kind}: {why}\n{text}\n"
                        f"{json.dumps(found)[:4000]}\n\n")
    return kinds["internal"] + kinds["malformed"] + kinds["crash"] > 0


def record(path, fd):
    """A subject that declares every program unsupported, and keeps it."""
    stream = Stream(socket.socket(fileno=fd))
    hello = {"ok": True, "protocol": 1, "name": "survey", "version": "",
             "device": "cpu", "identity": {}, "slow_compile": False,
             "allocates_outputs": True}
    with open(path, "a") as kept:
        while (request := stream.read()) and request["verb"] != "quit":
            if request["verb"] == "compile":
                kept.write(json.dumps(request["program"]) + "\n")
                kept.flush()
            stream.write(hello if request["verb"] == "hello" else
                         {"ok": False, "kind": "unsupported",
                          "message": "written down"})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", nargs="?",
                        default=os.environ.get("ASSAY_SURVEY"))
    parser.add_argument("--target", default="cuda-sm_90")
    parser.add_argument("--options", default="{}")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--refusals", action="store_true")
    parser.add_argument("--examples", help="file for one program of each kind")
    parser.add_argument("--socket-fd", type=int)
    parser.add_argument("--shm-fd", type=int)
    options = parser.parse_args()
    if not options.programs:
        parser.error("name a file of programs, or set ASSAY_SURVEY")
    if options.socket_fd is not None:
        return record(options.programs, options.socket_fd)
    return survey(options)


if __name__ == "__main__":
    sys.exit(main())
