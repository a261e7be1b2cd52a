"""Executes programs through ONNX Runtime on the CPU, for Assay.

Speaks docs/subject-protocol.md with the package of kit/python. The option
optimize is the session's level of graph optimizations: all, which is the
runtime's default, extended, basic or none.
"""

import pathlib
import sys

sys.dont_write_bytecode = True  # in the source tree
sys.path.insert(
    0, str(pathlib.Path(__file__).resolve().parents[3] / "kit" / "python"))

from assay_worker import worker
from assay_worker.errors import Failure


class OnnxRuntimeWorker(worker.Worker):
    """Makes each program one model of ONNX, and a session of that."""

    name = "onnxruntime"
    device = "cpu"
    # ONNX has rules of its own for what a model may not do.
    promises_errors = False

    def start(self, target, options):
        options = dict(options)
        self.optimize = options.pop("optimize", "all")
        super().start(target, options)
        try:
            import onnx
            import onnxruntime
        except ImportError as e:
            raise Failure("internal",
                          f"{sys.executable} lacks a package ({e})") from e
        from graph import OPSET
        from ort_program import LEVELS, Compiled
        if self.optimize not in LEVELS:
            raise Failure("internal", f"optimize={self.optimize} is none of "
                          + ", ".join(LEVELS))
        self.Compiled = Compiled
        self.version = onnxruntime.__version__
        return {"onnxruntime": onnxruntime.__version__,
                "onnx": onnx.__version__, "opset": str(OPSET),
                "python": sys.version.split()[0],
                "provider": "CPUExecutionProvider",
                "optimize": self.optimize,
                "set_denormal_as_zero": "0, the default"}

    def compile(self, program):
        return self.Compiled(program, self.optimize)

    def run(self, compiled, inputs, scratch):
        return self.memory.write_bits(
            compiled(self.memory.read_bits(inputs)), scratch)

    def explain(self, compiled, kind):
        if kind == "onnx":
            import onnx
            return onnx.printer.to_text(compiled.model)
        if kind == "python":
            from ort_source import source_of
            return source_of(compiled.model, compiled.captured, self.optimize)
        return None


if __name__ == "__main__":
    worker.main(OnnxRuntimeWorker)
