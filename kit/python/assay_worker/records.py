"""Records of the protocol: a length, and that many bytes of JSON."""

import os
import socket
import struct


def open_stream(fd):
    """The stream of --socket-fd. Programs that are started from here on do not
    inherit it."""
    os.set_inheritable(fd, False)
    return socket.socket(fileno=fd).makefile("rwb")


def read_record(stream):
    """The next record's bytes; None at the end of the stream."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    return stream.read(struct.unpack("<I", head)[0])


def write_record(stream, body):
    stream.write(struct.pack("<I", len(body)) + body)
    stream.flush()
