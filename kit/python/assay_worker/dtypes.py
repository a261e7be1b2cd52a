"""The protocol's dtypes in numpy.

numpy has no bf16 and no 8-bit floats. Every value of these is an f32, so that
is what stands for them in arrays; `round_to` and `to_bits` round to nearest
even. Who has arrays of such a dtype (ml_dtypes) exchanges bits.
"""

import numpy as np

NATIVE = {"f64": np.float64, "f32": np.float32, "f16": np.float16,
          "u8": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32,
          "i64": np.int64, "u16": np.uint16, "u32": np.uint32,
          "u64": np.uint64, "bool": np.bool_}
# Bits of exponent and mantissa, bias, and the bits of the largest number.
NARROW = {"bf16": (8, 7, 127, 0x7F7F), "f8e4m3fn": (4, 3, 7, 0x7E),
          "f8e5m2": (5, 2, 15, 0x7B), "f8e4m3fnuz": (4, 3, 8, 0x7F),
          "f8e5m2fnuz": (5, 2, 16, 0x7F)}
# What is beyond the largest number: infinity, or NaN where there is none.
BEYOND = {"bf16": 0x7F80, "f8e4m3fn": 0x7F, "f8e5m2": 0x7C,
          "f8e4m3fnuz": 0x80, "f8e5m2fnuz": 0x80}
NANS = {**BEYOND, "bf16": 0x7FC0, "f8e5m2": 0x7E}
E8M0 = "f8e8m0fnu"
UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def itemsize(name):
    if name in NATIVE:
        return np.dtype(NATIVE[name]).itemsize
    return 2 if name == "bf16" else 1


def array_dtype(name):
    """Of the arrays that hold values of this dtype."""
    return np.dtype(NATIVE.get(name, np.float32))


def is_float(name):
    return name in ("f64", "f32", "f16", E8M0) or name in NARROW


def from_bits(bits, name):
    """Values of an array of unsigned integers; the array's shape."""
    if name == "bool":
        return bits != 0
    if name in NATIVE:
        return bits.view(NATIVE[name])
    if name == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    return _table(name)[bits]


def to_bits(values, name):
    """Unsigned integers: each value rounded to nearest even."""
    values = np.asarray(values)
    if name in NATIVE:
        with np.errstate(all="ignore"):
            plain = np.ascontiguousarray(values.astype(NATIVE[name]))
        plain = plain.reshape(values.shape)  # of rank 0 it was made 1
        return plain.view(UNSIGNED[plain.itemsize])
    if name == E8M0:
        return _round_e8m0(values)
    return _round_narrow(values, name)


def round_to(values, name):
    """The values as an array of that dtype holds them."""
    return from_bits(to_bits(values, name), name)


_TABLES = {}


def _table(name):
    """The values of all 256 patterns of an 8-bit float."""
    if name not in _TABLES:
        codes = np.arange(256)
        if name == E8M0:
            table = np.ldexp(np.float64(1), codes - 127)
            table[0xFF] = np.nan
        else:
            _, mantissa_bits, bias, largest = NARROW[name]
            magnitude = codes & 0x7F
            exponent = magnitude >> mantissa_bits
            mantissa = magnitude & ((1 << mantissa_bits) - 1)
            mantissa = mantissa + ((exponent > 0) << mantissa_bits)
            table = np.ldexp(mantissa.astype(np.float64),
                             np.maximum(exponent, 1) - bias - mantissa_bits)
            infinite = magnitude == BEYOND[name]
            table[magnitude > largest] = np.nan
            if name == "f8e5m2":
                table[infinite] = np.inf
            table = np.where(codes >= 0x80, -table, table)
            if name.endswith("uz"):  # no -0: its pattern is the one NaN
                table[0x80] = np.nan
        _TABLES[name] = table.astype(np.float32)
    return _TABLES[name]


def _round_narrow(values, name):
    _, mantissa_bits, bias, largest = NARROW[name]
    with np.errstate(all="ignore"):
        wide = _as_f64(values)
        size = np.abs(wide)
        # The unit in the last place, and how many of it: rint is to even, and
        # both scalings are exact.
        exponent = np.maximum(np.frexp(size)[1] - 1, 1 - bias)
        units = np.rint(np.ldexp(size, mantissa_bits - exponent))
        carried = units >= 2 << mantissa_bits
        exponent = exponent + carried
        units = np.where(carried, 1 << mantissa_bits, units)
        units = np.where(np.isfinite(units), units, 0).astype(np.int64)
        normal = units >= 1 << mantissa_bits
        codes = units + np.where(
            normal, ((exponent + bias - 1) << mantissa_bits), 0)
    codes = np.where(np.isinf(size) | (codes > largest), BEYOND[name], codes)
    codes = np.where(np.isnan(wide), NANS[name], codes)
    sign = np.where(np.signbit(wide), 1, 0) << (8 * itemsize(name) - 1)
    if name.endswith("uz"):
        sign = np.where((codes == 0) | (codes == NANS[name]), 0, sign)
    return (codes | sign).astype(UNSIGNED[itemsize(name)])


def _as_f64(values):
    """What f64 does not hold of large integers is marked by its last bit, so
    that rounding once more, to few bits, rounds the integer itself."""
    if values.dtype.itemsize < 8 or values.dtype.kind not in "iu":
        return values.astype(np.float64)
    negative = values < 0
    size = values.astype(np.uint64)
    size = np.where(negative, ~size + np.uint64(1), size)
    low = np.uint64(0xFFF)
    marked = (size & ~low) | np.where(size & low, low + np.uint64(1),
                                      np.uint64(0))
    size = np.where(size >> np.uint64(53), marked, size).astype(np.float64)
    return np.where(negative, -size, size)


def _round_e8m0(values):
    """The nearer power of two; of two as near, the greater, as PyTorch has it.
    What has none (a sign, infinity, zero) has no meaning."""
    with np.errstate(all="ignore"):
        wide = np.abs(_as_f64(values))
        mantissa, exponent = np.frexp(wide)  # 0.5 <= mantissa < 1
        code = exponent - 1 + 127 + (mantissa >= 0.75)
    code = np.where(wide < 2.0**-127, 0, np.clip(code, 0, 255))
    code = np.where(np.isfinite(wide), code, 255)
    return code.astype(np.uint8)
