"""A compiler for a GPU as ptx_worker_test.cc and cuda_worker_test.cc need it:
the operation's name says what its launch plan is. Inputs and outputs are
f32[2]."""

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

# y[i] = BODY(x[i]) for the thread's i in the grid, with %f1 as x and %f2 as y.
KERNEL = """.version 8.0
.target sm_90
.address_size 64
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c,
                           .param .b64 d, .param .b64 e);
.global .align 1 .b8 msg[7] = {105, 32, 60, 32, 105, 33, 0};
.visible .entry kernel(.param .u64 x, .param .u64 y, .param .u32 step) {
  .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r2, [step];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r1, %r1, %r3, %r4;
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
          "tensor": "wgmma.fence.sync.aligned;",
          "asserts": """{
            .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d;
            .param .b64 e;
            mov.u64 %rd3, msg;
            st.param.b64 [a], %rd3; st.param.b64 [b], %rd3;
            st.param.b32 [c], 12; st.param.b64 [d], %rd3; st.param.b64 [e], 1;
            call.uni __assertfail, (a, b, c, d, e); }""",
          "mutates": "neg.f32 %f2, %f1; st.global.f32 [%rd4], %f2;",
          # The second thread writes nothing.
          "forgets": "neg.f32 %f2, %f1; .reg .pred %p; "
                     "setp.ne.u32 %p, %r1, 0; @%p ret;",
          "empty_half": "neg.f32 %f2, %f1; .reg .pred %p; "
                        "setp.ne.u32 %p, %r1, 0; @%p ret;",
          # What was in the output counts.
          "reads": "ld.global.f32 %f3, [%rd5]; abs.f32 %f2, %f3; "
                   "min.f32 %f2, %f2, %f1;",
          "adds": "atom.global.add.f32 %f3, [%rd5], %f1; "
                  "ld.global.f32 %f2, [%rd5];"}
# Elements from one thread's to the next one's: out of the buffers by a little,
# and by more than any guard is wide; or all threads at one element.
STEPS = {"wild": 4, "astray": 255, "flocks": 0}


def plan_of(deed):
    ptx = KERNEL.replace("BODY", BODIES.get(deed, "neg.f32 %f2, %f1;"))
    step = STEPS.get(deed, 1)
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
    if deed == "overlaps":  # x to y, y's first to its second, by bytes
        plan["launches"] = [
            {"copy": {"from": {"buffer": 0}, "to": {"buffer": 1}, "bytes": 8}},
            {"copy": {"from": {"buffer": 1, "offset": 1},
                      "to": {"buffer": 1, "offset": 3}, "bytes": 3}}]
    if deed == "fills":
        plan["launches"] = [
            {"fill": {"buffer": 1, "bytes": 8, "value": "41"}},
            {"fill": {"buffer": 1, "offset": 2, "bytes": 2, "value": "8040"}},
            {"fill": {"buffer": 1, "offset": 5, "bytes": 2, "value": "4243"}}]
    if deed == "twice":  # one input under two names
        plan["buffers"].append({"kind": "input", "index": 0})
        plan["outputs"][0]["buffer"] = 3
        plan["launches"][0]["arguments"][1] = {"buffer": 3}
    launch = plan["launches"][0]
    if deed in ("shares", "overshares"):
        launch["shared"] = 65536 if deed == "shares" else 1 << 20
    if deed == "clusters":
        launch.update(cluster=[2, 1, 1], grid=[2, 1, 1], block=[1, 1, 1])
    if deed == "flocks":  # more blocks in a cluster than are portable
        launch.update(cluster=[16, 1, 1], grid=[16, 1, 1], block=[1, 1, 1])
    if deed in ("cooperates", "crowds"):
        launch["cooperative"] = True
        if deed == "crowds":
            launch["grid"] = [1000, 1, 1]
    if deed == "idles":
        launch["grid"] = [0, 1, 1]
        plan["buffers"][1]["fill"] = 0
    if deed == "older":
        plan["target"] = "sm_80"
    if deed in ("binary", "stale"):  # as testing/fake_driver.cc reads it
        code = ptx.replace("neg", "abs") if deed == "binary" else "garbage"
        plan["cubins"] = [{"module": 0, "base64": base64.b64encode(
            b"\x7fELF" + code.encode() + b"\0").decode()}]
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
        kind = "launches"
        if deed in ("binary", "stale"):
            kind += "+cubin"
        if request["kind"] != kind or deed == "keeps_quiet":
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
