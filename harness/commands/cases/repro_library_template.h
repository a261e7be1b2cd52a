// The fixed parts of a repro file for a library that is not torch, in numpy:
// how bits become arrays, how the library runs a program, and how what came
// back is checked.
#ifndef ASSAY_HARNESS_COMMANDS_CASES_REPRO_LIBRARY_TEMPLATE_H_
#define ASSAY_HARNESS_COMMANDS_CASES_REPRO_LIBRARY_TEMPLATE_H_

namespace assay::harness {

inline constexpr const char* kReproJaxHead = R"PY(import os
import sys

# One thread and all dtypes, as where it was found.
os.environ.setdefault("NPROC", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402, F401
import jax.scipy.special  # noqa: E402, F401
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

VERSIONS = ("jax", jax.__version__, "jaxlib", jax.lib.__version__)


def run(program, inputs):
    return [np.asarray(a) for a in jax.jit(program)(*inputs)]


)PY";

inline constexpr const char* kReproOnnxRuntimeHead = R"PY(import ctypes
import sys

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

VERSIONS = ("onnxruntime", onnxruntime.__version__, "onnx", onnx.__version__)


def constant(name, array):
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return helper.make_tensor(name, kind, array.shape, array.tobytes(),
                              raw=True)


def value_of(array):
    if array.dtype.kind in "fiub":
        return onnxruntime.OrtValue.ortvalue_from_numpy(array)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
        array.view(f"u{array.dtype.itemsize}"),
        helper.np_dtype_to_tensor_dtype(array.dtype))


def array_of(value):
    dtype = helper.tensor_dtype_to_np_dtype(value.element_type())
    shape = value.shape()
    size = int(np.prod(shape)) * dtype.itemsize
    raw = ctypes.string_at(value.data_ptr(), size) if size else b""
    return np.frombuffer(raw, dtype).reshape(shape)


def run(program, inputs):
    """One thread, as where it was found."""
    model, level = program
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = getattr(
        onnxruntime.GraphOptimizationLevel, level)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options,
        providers=["CPUExecutionProvider"])
    results = session.run_with_ort_values(
        [y.name for y in session.get_outputs()],
        {x.name: value_of(a) for x, a in zip(session.get_inputs(), inputs)})
    return [array_of(r) for r in results]


)PY";

inline constexpr const char* kReproLibraryTensors =
    R"PY(def integers(dtype, bits):
    """Bit patterns (integers, or bytes in hex) as integers of that width."""
    kind = np.dtype(f"u{np.dtype(dtype).itemsize}")
    if isinstance(bits, str):
        return np.frombuffer(bytes.fromhex(bits), kind)
    return np.array(bits, kind)


def tensor(dtype, sizes, strides, offset, bits):
    """The elements of a strided view of storage that holds these bits."""
    flat = integers(dtype, bits)
    if 0 in sizes:
        return np.zeros(sizes, dtype)
    view = np.lib.stride_tricks.as_strided(
        flat[offset:], sizes, [s * flat.itemsize for s in strides])
    return np.array(view, order="C").view(dtype)


)PY";

inline constexpr const char* kReproLibraryTail = R"PY(

def bits_of(a):
    return a.reshape(-1).view(f"u{a.dtype.itemsize}")


def order(dtype, bits):
    """Places in the order of values, as Python's integers; -0 comes just
    before +0."""
    width = 8 * np.dtype(dtype).itemsize
    kind = np.dtype(dtype).kind
    if kind in "ub" or dtype == ml_dtypes.float8_e8m0fnu:
        return [int(b) for b in bits]
    low = 1 << (width - 1)
    if kind == "i":
        return [int(b) - 2 * low if b >= low else int(b) for b in bits]
    return [low - int(b) - 1 if b >= low else int(b) for b in bits]


def show(dtype, bits):
    value = np.array([bits]).view(dtype)[0]
    whole = np.dtype(dtype).kind in "uib"
    text = str(value) if whole else float(value).hex()
    return f"0x{int(bits):0{2 * np.dtype(dtype).itemsize}x} ({text})"


def check_output(k, outputs):
    dtype, sizes, alternatives = OUTPUTS[k]
    got = outputs[k]
    if got.dtype != dtype or list(got.shape) != sizes:
        print(f"  out{k}: {got.dtype}{list(got.shape)} where "
              f"{np.dtype(dtype)}{sizes} was due")
        return False
    for sets in alternatives:
        if all(np.array_equal(bits_of(outputs[j]),
                              integers(outputs[j].dtype, bits))
               for j, bits in sets["given"].items()):
            break
    else:
        print(f"  out{k}: not checked, for it is computed from an output that "
              "came back with other bits than those the sets were made for")
        return True
    bits = bits_of(got)
    lo, hi = integers(dtype, sets["lo"]), integers(dtype, sets["hi"])
    flags = integers(np.uint8, sets["flags"])
    wrong = []
    for i, (place, low, high) in enumerate(zip(
            order(dtype, bits), order(dtype, lo), order(dtype, hi))):
        has, nan, zero, anything = (flags[i] & f for f in (1, 2, 4, 8))
        value = got.reshape(-1)[i]
        ends = order(dtype, integers(dtype, sets["pieces"].get(i, [])))
        ranges = list(zip(ends[::2], ends[1::2])) or [(low, high)]
        places = [0, -1] if zero and value == 0 else [place]
        if value != value:
            good = nan
        else:
            good = has and any(a <= p <= b for a, b in ranges for p in places)
        if not (good or anything):
            wrong.append(i)
    print(f"  out{k}: {len(wrong)} of {bits.size} elements wrong")
    for i in wrong[:8]:
        ends = f"[{show(dtype, lo[i])} .. {show(dtype, hi[i])}]"
        due = [text for bit, text in ((1, ends), (2, "nan"))
               if flags[i] & bit]
        print(f"    element {i}: got {show(dtype, bits[i])}, admissible",
              " or ".join(due))
    return not wrong


def main():
    print(*VERSIONS)
    try:
        outputs = run(program, INPUTS)
    except Exception as e:  # of whatever class the library has
        print(f"  raised where values are due: {type(e).__name__}: {e}")
        return 1
    good = all([check_output(k, outputs) for k in range(len(OUTPUTS))])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
)PY";

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_CASES_REPRO_LIBRARY_TEMPLATE_H_
