"""Executes programs through JAX and XLA on the CPU, for Assay.

Speaks docs/subject-protocol.md with the package of kit/python. The dtypes of
a program are those of its text: x64 is enabled. Products are computed with the
precision "highest".
"""

import os
import pathlib
import sys

sys.dont_write_bytecode = True  # in the source tree
sys.path.insert(
    0, str(pathlib.Path(__file__).resolve().parents[3] / "kit" / "python"))

from assay_worker import worker
from assay_worker.dtypes import UNSIGNED
from assay_worker.errors import Failure

# One thread, which a client of XLA takes from here: the order of a sum must
# not depend on the machine's load.
os.environ["NPROC"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_DEFAULT_MATMUL_PRECISION"] = "highest"


class JaxWorker(worker.Worker):
    """Compiles each program whole by jax.jit."""

    name = "xla"
    device = "cpu"
    slow_compile = True
    # JAX refuses what it refuses by its own documentation, not by ATen's.
    promises_errors = False
    # By default (xla_cpu_ftz): jax-ml/jax#16200 calls it intended.
    declares = ("flush_subnormals", "subnormals_are_zero")

    def start(self, target, options):
        super().start(target, options)
        try:
            import jax
            import jaxlib
        except ImportError as e:
            raise Failure("internal", f"{sys.executable} has no jax ({e})") \
                from e
        from jax_program import Compiled
        from table import NAMES
        self.jax, self.Compiled, self.names = jax, Compiled, NAMES
        self.version = jax.__version__
        client = jax.devices()[0].client
        return {"jax": jax.__version__, "jaxlib": jaxlib.__version__,
                "python": sys.version.split()[0],
                "xla": " ".join(client.platform_version.split()),
                "xla_flags": os.environ.get("XLA_FLAGS", ""),
                "matmul_precision": "highest", "x64": "enabled"}

    def compile(self, program):
        return self.Compiled(program)

    def run(self, compiled, inputs, scratch):
        results = compiled(self.memory.read_bits(inputs))
        return self.memory.write_bits(
            [(self.names[r.dtype], r.view(UNSIGNED[r.dtype.itemsize]))
             for r in results], scratch)

    def explain(self, compiled, kind):
        if kind == "hlo":
            return compiled.executable.as_text()
        if kind == "stablehlo":
            return compiled.lowered.as_text()
        if kind == "python":
            from jax_source import source_of
            return source_of(compiled.program)
        return None


if __name__ == "__main__":
    worker.main(JaxWorker)
