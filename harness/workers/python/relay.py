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

# A fork whose resident memory has passed this share of its limit is replaced
# between two programs, as the harness replaces whole workers.
LARGE = 0.25
PR_SET_PDEATHSIG = 1


def read_record(stream):
    """The next record's bytes; None at the end of the stream."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    body = stream.read(struct.unpack("<I", head)[0])
    return body


def write_record(stream, body):
    stream.write(struct.pack("<I", len(body)) + body)
    stream.flush()


def has_one_thread():
    """Only then does a fork have all that its parent had."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


class Relay:
    """`serve(stream)` is what the fork does until its stream ends."""

    def __init__(self, stream, serve):
        self.stream = stream
        self.serve_in_fork = serve
        self.pid = None
        self.handles = set()  # of the fork that lives
        self.lost = set()     # of those that have died

    def serve(self):
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
        reply = self.ask(body)
        if reply is None:
            return self.buried()
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
        with open(f"/proc/{self.pid}/statm") as f:
            pages = int(f.read().split()[1])
        return pages * resource.getpagesize() > LARGE * limit

    @staticmethod
    def message(kind, text):
        return json.dumps(
            {"ok": False, "kind": kind, "message": text}).encode()
