"""A compiler for a GPU as ptx_worker_test.cc needs it: the operation's name
says what its launch plan is. Inputs and outputs are f32[2]."""

import base64
import json
import pathlib
import re
import socket
import sys

WORKERS = pathlib.Path(__file__).resolve().parent.parent / "workers" / "python"
sys.path.insert(0, str(WORKERS))
sys.dont_write_bytecode = True
from relay import read_record, write_record

# y[i] = BODY(x[i]) for the thread's i, with %f1 as x and %f2 as y.
KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 x, .param .u64 y, .param .u32 step) {
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r2, [step];
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r3, %r1, %r2;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  BODY
  st.global.f32 [%rd5], %f2;
  ret;
}
"""
BODIES = {"power": "ex2.approx.f32 %f2, %f1;",
          "traps": "trap;",
          "tensor": "wgmma.fence.sync.aligned;"}


def plan_of(deed):
    ptx = KERNEL.replace("BODY", BODIES.get(deed, "neg.f32 %f2, %f1;"))
    step = 4 if deed == "wild" else 1
    plan = {"plan": 1, "target": "sm_90", "modules": [{"ptx": ptx}],
            "buffers": [{"kind": "input", "index": 0},
                        {"kind": "output", "bytes": 8},
                        {"kind": "constant", "base64": base64.b64encode(
                            int(deed == "refuses").to_bytes(4, "little")
                        ).decode()}],
            "launches": [{"module": 0, "entry": "kernel", "grid": [1, 1, 1],
                          "block": [2, 1, 1],
                          "arguments": [{"buffer": 0}, {"buffer": 1},
                                        {"value": f"{step:02x}000000"}]}],
            "outputs": [{"buffer": 1, "dtype": "f32", "sizes": [2],
                         "strides": [1]}],
            "checks": [{"buffer": 2, "exception": "IndexError",
                        "clause": "bad/E1", "message": "out of range"}]}
    if deed == "copies":  # of x to y, then the first element again
        plan["launches"] = [
            {"copy": {"from": {"buffer": 0}, "to": {"buffer": 1}, "bytes": 8}},
            {"fill": {"buffer": 1, "offset": 4, "bytes": 4,
                      "value": "0000803f"}}]
    if deed == "garbles":
        plan["launches"][0]["module"] = 3
    if deed == "shortens":
        plan["launches"][0]["arguments"].pop()
    if deed == "mistypes":
        plan["modules"][0]["ptx"] = "this is no PTX"
    return json.dumps(plan)


class Compiler:
    def __init__(self):
        self.deeds = []

    def hello(self, request):
        return {"protocol": 1, "name": "planner", "version": "7",
                "device": request["target"], "identity": {"who": "a test"},
                "allocates_outputs": False}

    def compile(self, request):
        deed = re.search(r"bad\.(\w+)", request["program"])
        self.deeds.append(deed[1] if deed else "")
        if self.deeds[-1] == "crash":
            sys.exit(5)
        return {"handle": len(self.deeds) - 1}

    def run(self, request):
        if self.deeds[request["handle"]] == "guards":
            return {"ok": False, "kind": "refused", "phase": "run",
                    "exception": "ValueError", "classes": ["ValueError"],
                    "clause": "bad/E2", "message": "guarded"}
        return {"outputs": []}

    def explain(self, request):
        deed = self.deeds[request["handle"]]
        if request["kind"] != "launches" or deed == "keeps_quiet":
            return {"text": None}
        return {"text": plan_of(deed)}

    def drop(self, request):
        return {}


def main():
    arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    stream = socket.socket(
        fileno=int(arguments["--socket-fd"])).makefile("rwb")
    compiler = Compiler()
    while (body := read_record(stream)) is not None:
        request = json.loads(body)
        if request["verb"] == "quit":
            return
        reply = {"ok": True, **getattr(compiler, request["verb"])(request)}
        write_record(stream, json.dumps(reply).encode())


main()
