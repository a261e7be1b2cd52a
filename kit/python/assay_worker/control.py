"""The control register of a thread, which the harness checks after each
request: rounding mode and flushing of subnormal numbers."""

import ctypes
import platform
import struct


class FloatingPointControl:
    """The control register of this thread, through C's fegetenv."""

    # Where the register lies in fenv_t, and its bits without sticky flags.
    PLACES = {"x86_64": (28, 0xFFC0), "aarch64": (0, 0xFFFFFFFF)}

    def __init__(self):
        self.offset, self.mask = self.PLACES.get(platform.machine(), (0, 0))
        self.libm = ctypes.CDLL("libm.so.6")
        self.start = ctypes.create_string_buffer(64)
        self.libm.fegetenv(self.start)
        self.before = self._control(self.start)

    def _control(self, env):
        return struct.unpack_from("<I", env, self.offset)[0] & self.mask

    def read(self):
        env = ctypes.create_string_buffer(64)
        self.libm.fegetenv(env)
        return self._control(env)

    def restore(self):
        self.libm.fesetenv(self.start)

    def report(self, found=None):
        """The field "fp_env" of a reply, of what was `found` or is there."""
        now = self.read() if found is None else found
        self.restore()
        return {"mxcsr": now, "before": self.before}
