"""Serves requests in a process that is forked off and may die.

Loading a compiler takes seconds, and some compilers die of the programs that
they should refuse. So the process that has loaded it runs nothing: it hands
each request to its fork. When that dies, it says so (`died`, in
docs/subject-protocol.md), and the next request gets a fresh fork.
"""

import ctypes
import json
import os
import resource
import select
import signal
import socket
import struct
import sys

import kit_path  # noqa: F401
from assay_worker.records import read_record, write_record

# A fork whose resident memory has passed this share of its limit is replaced
# between two programs, as the harness replaces whole workers; unless it began
# with half of that, as those do that map the libraries of a GPU.
LARGE = 0.25
PR_SET_PDEATHSIG = 1


def has_one_thread():
    """Only then does a fork have all that its parent had."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


class Relay:
    """`serve(stream)` is what the fork does until its stream ends.

    `first` is a request that has been read already, and that every fork has
    to be told before any other; all but the first find "again" in it. A reply
    with the field "spent" is the last of its fork: whatever it still held is
    lost.
    """

    def __init__(self, stream, serve, first=None):
        self.stream = stream
        self.serve_in_fork = serve
        self.first = first
        self.pid = None
        self.began = 0        # its resident bytes after the first request
        self.handles = set()  # of the fork that lives
        self.lost = set()     # of those that have died

    def serve(self):
        if self.first is not None:
            self.begin()
            write_record(self.stream, self.ask(self.first) or self.buried())
            self.began = self.resident()
        while (body := read_record(self.stream)) is not None:
            request = json.loads(body)
            if request.get("verb") == "quit":
                break
            write_record(self.stream, self.answer(request, body))
        self.end()

    def answer(self, request, body):
        verb, handle = request.get("verb"), request.get("handle")
        if handle in self.lost:
            if verb != "drop":
                return self.message("internal", f"handle {handle} was lost")
            self.lost.discard(handle)
            return json.dumps({"ok": True}).encode()
        if self.pid is None:
            self.begin()
            refusal = self.first and self.introduce()
            if refusal:
                return refusal
        reply = self.ask(body)
        if reply is None:
            return self.buried()
        if b'"spent"' in reply and json.loads(reply).get("spent"):
            self.end()
            return reply
        if verb == "compile":
            self.keep(json.loads(reply).get("handle"))
        elif verb == "drop":
            self.handles.discard(handle)
            if not self.handles and self.is_large():
                self.end()
        return reply

    def begin(self):
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            ours.close()
            self.stream.close()
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == parent:
                self.serve_in_fork(theirs.makefile("rwb"))
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        theirs.close()
        self.fork = ours

    def introduce(self):
        """Tells a new fork the first request: None if it has taken it."""
        again = {**json.loads(self.first), "again": True}
        reply = self.ask(json.dumps(again).encode())
        if reply is None:
            return self.buried()
        answer = json.loads(reply)
        if answer.get("ok"):
            self.began = self.resident()
            return None
        self.end()
        return self.message("device_lost", "a new process cannot begin: "
                            f"{answer.get('message')}")

    def ask(self, body):
        """The fork's reply; None if it died."""
        try:
            self.fork.sendall(struct.pack("<I", len(body)) + body)
        except OSError:
            return None
        reply = b""
        while len(reply) < 4 or len(reply) < 4 + struct.unpack_from(
                "<I", reply)[0]:
            # A process that the fork has started may hold its end open.
            ready, _, _ = select.select([self.fork], [], [], 1.0)
            if not ready:
                if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG |
                             os.WNOWAIT) is not None:
                    return None
                continue
            try:
                more = self.fork.recv(1 << 20)
            except OSError:
                return None
            if not more:
                return None
            reply += more
        return reply[4:]

    def buried(self):
        _, status = os.waitpid(self.pid, 0)
        self.forget()
        return json.dumps({"ok": False, "kind": "died",
                           "status": status}).encode()

    def end(self):
        """Ends the fork, if there is one."""
        if self.pid is None:
            return
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.forget()

    def forget(self):
        self.fork.close()
        self.pid = None
        self.lost |= self.handles
        self.handles = set()

    def keep(self, handle):
        if handle is not None:
            self.handles.add(handle)
            self.lost.discard(handle)  # forks count alike

    def is_large(self):
        limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
        if limit == resource.RLIM_INFINITY:
            return False
        return self.resident() > max(LARGE * limit, 2 * self.began)

    def resident(self):
        if self.pid is None:
            return 0
        with open(f"/proc/{self.pid}/statm") as f:
            return int(f.read().split()[1]) * resource.getpagesize()

    @staticmethod
    def message(kind, text):
        return json.dumps(
            {"ok": False, "kind": kind, "message": text}).encode()
