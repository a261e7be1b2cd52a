"""A subject whose programs run in a fork (relay.py), for relay_test.cc.

The operation's name says what becomes of the fork: bad.crash ends it by a
signal while it compiles, bad.exit in a run, bad.later after the reply;
bad.large lets it grow; any other returns its input.
"""

import json
import mmap
import os
import pathlib
import re
import signal
import socket
import sys
import time

WORKERS = pathlib.Path(__file__).resolve().parent.parent / "workers" / "python"
sys.path.insert(0, str(WORKERS))
sys.dont_write_bytecode = True
from relay import Relay, read_record, write_record


class Subject:
    def __init__(self, shm):
        self.shm = shm
        self.handles = 0
        self.deeds = {}
        self.kept = []

    def hello(self, request):
        return {"protocol": 1, "name": "relay", "version": "", "device": "cpu",
                "allocates_outputs": True}

    def compile(self, request):
        deed = re.search(r"bad\.(\w+)", request["program"])
        deed = deed[1] if deed else ""
        if deed == "crash":
            print("these are the last words", flush=True)
            os.kill(os.getpid(), signal.SIGSEGV)
        if deed == "large":
            self.kept.append(b"x" * (64 << 20))
        self.handles += 1
        self.deeds[self.handles] = deed
        return {"handle": self.handles}

    def run(self, request):
        deed = self.deeds[request["handle"]]
        if deed == "exit":
            os._exit(3)
        if deed == "hang":
            time.sleep(60)
        scratch = request["scratch"]
        os.ftruncate(self.shm, scratch + 8)
        memory = mmap.mmap(self.shm, scratch + 8)
        place = request["inputs"][0]["byte_offset"]
        memory[scratch:scratch + 8] = memory[place:place + 8]
        self.later = deed == "later"
        return {"outputs": [{"dtype": "f32", "sizes": [2], "strides": [1],
                             "byte_offset": scratch}]}

    def explain(self, request):
        return {"text": str(os.getpid())}

    def drop(self, request):
        del self.deeds[request["handle"]]
        return {}

    def serve(self, stream):
        while (body := read_record(stream)) is not None:
            request = json.loads(body)
            if request["verb"] == "quit":
                return
            self.later = False
            reply = getattr(self, request["verb"])(request)
            write_record(stream, json.dumps({"ok": True, **reply}).encode())
            if self.later:
                os.kill(os.getpid(), signal.SIGKILL)


def main():
    arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    stream = socket.socket(
        fileno=int(arguments["--socket-fd"])).makefile("rwb")
    Relay(stream, Subject(int(arguments["--shm-fd"])).serve).serve()


main()
