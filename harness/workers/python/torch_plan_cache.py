"""Launch plans kept between runs, and the files of those being made."""

import hashlib
import json
import os
import shutil
import zlib

from kit_path import KIT


# What decides what a plan says: how files here begin, and files of the kit.
OF_THE_KIT = ("errors.py", "program.py")
DECIDING = ("torch_cuda_", "torch_errors", "torch_launch_", "torch_program",
            "torch_triton_")


class PlanCache:
    def __init__(self, folder, facts):
        """`facts`: all that plans depend on but the program."""
        self.folder = folder
        self.told = json.dumps([facts, sources()], sort_keys=True)
        self.is_new = not os.path.exists(self._plans())

    def _plans(self):
        """A folder for the same facts: so it shows whether any is there."""
        name = hashlib.sha256(self.told.encode()).hexdigest()[:16]
        return os.path.join(self.folder, name)

    def find(self, text):
        key = hashlib.sha256(text.encode()).hexdigest()
        return Kept(os.path.join(self._plans(), key[:2], key))

    def scratch(self):
        """A folder of this process. What others left that were killed goes:
        with plans kept nobody needs it."""
        folder = os.path.join(self.folder, "scratch")
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(folder):
            if not os.path.exists(f"/proc/{name}"):
                shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
        return os.path.join(folder, str(os.getpid()))


class Kept:
    """A program's plan, or the error it was answered with, in the cache."""

    def __init__(self, path):
        self.path = path
        self.facts = self._read(self.path)
        self._cubins = None

    def put(self, facts, cubins, keep):
        self.facts, self._cubins = facts, cubins
        if keep:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._write(self.path + ".cubin", cubins)
            self._write(self.path, facts)

    def cubins(self):
        if self._cubins is None:
            self._cubins = self._read(self.path + ".cubin")
        return self._cubins

    @staticmethod
    def _read(path):
        try:
            with open(path, "rb") as f:
                return json.loads(zlib.decompress(f.read()))
        except (OSError, ValueError, zlib.error):
            return None  # as good as not there

    @staticmethod
    def _write(path, facts):
        own = f"{path}.{os.getpid()}"
        with open(own, "wb") as f:
            f.write(zlib.compress(json.dumps(facts).encode(), 1))
        os.replace(own, path)


def sources():
    """A hash of the files of ours that decide it."""
    folder = os.path.dirname(os.path.abspath(__file__))
    told = hashlib.sha256()
    deciding = [os.path.join(folder, name) for name in os.listdir(folder)
                if name.startswith(DECIDING) and name.endswith(".py")]
    deciding += [str(KIT / "assay_worker" / name) for name in OF_THE_KIT]
    for path in sorted(deciding, key=os.path.basename):
        with open(path, "rb") as f:
            told.update(os.path.basename(path).encode() + f.read())
    return told.hexdigest()
