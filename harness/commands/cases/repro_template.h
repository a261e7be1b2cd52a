// The fixed parts of a repro file: how bits become tensors, and how what
// came back is checked.
#ifndef ASSAY_HARNESS_COMMANDS_CASES_REPRO_TEMPLATE_H_
#define ASSAY_HARNESS_COMMANDS_CASES_REPRO_TEMPLATE_H_

namespace assay::harness {

inline constexpr const char* kReproHead = R"PY(import functools
import json
import math
import os
import re
import sys

# One thread, as where it was found: sums depend on it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch  # noqa: E402

INTEGER = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def integers(dtype, bits):
    """Bit patterns (integers, or bytes in hex) as integers of that width."""
    width = torch.empty((), dtype=dtype).element_size()
    if isinstance(bits, str):
        data = bytearray.fromhex(bits)
    else:
        data = bytearray(b"".join(b.to_bytes(width, "little") for b in bits))
    if not data:
        return torch.empty(0, dtype=INTEGER[width])
    return torch.frombuffer(data, dtype=INTEGER[width]).clone()


PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}


def tensor(dtype, sizes, strides, offset, bits):
    """A strided view of storage that holds these bits; of complex numbers
    those of their parts."""
    words = integers(PARTS.get(dtype, dtype), bits)
    return words.view(dtype).as_strided(sizes, strides, offset)


def parts(t):
    """Complex numbers as pairs."""
    return torch.view_as_real(t.resolve_conj()) if t.is_complex() else t


)PY";

inline constexpr const char* kReproTail = R"PY(

def compiled(*inputs):
    options = dict(OPTIONS)
    dynamic, mode = options.pop("dynamic", False), options.pop("mode", None)
    for about_the_program in ("calls", "numbers", "grad", "views"):
        options.pop(about_the_program, None)
    captured = CONSTANTS
    if options.get("freezing"):  # of which Dynamo asks the configuration
        from torch._inductor import config
        config.freezing = True
        captured = [torch.nn.Parameter(c, requires_grad=False)
                    for c in CONSTANTS]
    written = make(*captured)
    function = torch.compile(written, backend=BACKEND, fullgraph=True,
                             dynamic=dynamic, mode=mode,
                             options=options or None)
    # Numbers that are left to their defaults would be constants.
    numbers = written.__defaults__ or ()
    views = views_of(written, inputs)
    if OPTIONS.get("views") == "after_copies":
        function(*map(fresh, [*inputs, *views]), *numbers)
    elif OPTIONS.get("views") == "after_others":
        copies = [*map(fresh, inputs)]
        function(*copies, *(elsewhere(v, inputs, copies) for v in views),
                 *numbers)
    return function(*inputs, *views, *numbers)


def in_eager(*inputs):
    return program(*inputs, *views_of(program, inputs))


def views_of(written, inputs):
    """Views of the inputs that are arguments beside them."""
    return getattr(written, "views", lambda *inputs: ())(*inputs)


def span(t):
    return 1 + sum((n - 1) * s for n, s in zip(t.size(), t.stride()))


def elsewhere(view, inputs, copies):
    """A view of the copy of its input that lies as far from the end as it lies
    from the start of the input."""
    start = view.untyped_storage().data_ptr()
    of, copy = next((t, c) for t, c in zip(inputs, copies)
                    if t.untyped_storage().data_ptr() == start)
    before = view.storage_offset() - of.storage_offset()
    behind = span(of) - span(view) - before
    if view.dtype != of.dtype or before < 0 or behind < 0:
        return fresh(view)
    return copy.as_strided(view.size(), view.stride(),
                           copy.storage_offset() + behind)


def bits_of(t):
    t = parts(t.detach()).contiguous().reshape(-1)
    return t.view(INTEGER[t.element_size()])


def order(dtype, bits):
    """Places in the order of values; -0 comes just before +0."""
    if not dtype.is_floating_point:
        if dtype == torch.int8:
            bits = bits.view(torch.int8)
        if dtype in (torch.uint16, torch.uint32, torch.uint64):
            bits = bits ^ torch.iinfo(bits.dtype).min
        return bits.to(torch.int64)
    low = torch.iinfo(bits.dtype).min if bits.dtype != torch.uint8 else None
    wide = bits.to(torch.int64)
    return torch.where(wide < 0, low - wide - 1, wide)


def admissible(dtype, got, lo, hi, flags, pieces):
    place = order(dtype, bits_of(got))
    lo = order(dtype, integers(dtype, lo))
    hi = order(dtype, integers(dtype, hi))
    flags = integers(torch.uint8, flags)
    has, nan, zero, any_ = ((flags & f) != 0 for f in (1, 2, 4, 8))
    value = got.detach().contiguous().reshape(-1)
    good = has & (lo <= place) & (place <= hi)
    if dtype.is_floating_point:
        a_zero = (lo <= 0) & (hi >= 0) | (lo <= -1) & (hi >= -1)
        good |= has & zero & (value == 0) & a_zero
        good = torch.where(torch.isnan(value), nan, good)
    for i, ends in pieces.items():
        ranges = order(dtype, integers(dtype, ends)).reshape(-1, 2).tolist()
        either = [0, -1] if zero[i] and value[i] == 0 else [int(place[i])]
        good[i] &= bool(value[i] != value[i]) or any(
            low <= p <= high for low, high in ranges for p in either)
    return good | any_


def show(dtype, bits):
    width = torch.empty((), dtype=dtype).element_size()
    word = int(bits) & ((1 << (8 * width)) - 1)
    value = bits.reshape(1).view(dtype)
    if dtype.is_floating_point:
        return f"0x{word:0{2 * width}x} ({float(value).hex()})"
    return str(value.item())


def check_output(k, outputs):
    dtype, sizes, alternatives = OUTPUTS[k]
    got = outputs[k]
    if got.dtype != dtype or list(got.shape) != sizes:
        print(f"  out{k}: {got.dtype}{list(got.shape)} where {dtype}{sizes} "
              "was due")
        return False
    got = parts(got)
    dtype = got.dtype
    for sets in alternatives:
        if all(torch.equal(bits_of(outputs[j]),
                           integers(parts(outputs[j]).dtype, bits))
               for j, bits in sets["given"].items()):
            break
    else:
        print(f"  out{k}: not checked, for it is computed from an output that "
              "came back with other bits than those the sets were made for")
        return True
    good = admissible(dtype, got, sets["lo"], sets["hi"], sets["flags"],
                      sets["pieces"])
    wrong = (~good).nonzero().reshape(-1).tolist()
    print(f"  out{k}: {len(wrong)} of {good.numel()} elements wrong")
    bits, lo, hi = (bits_of(got), integers(dtype, sets["lo"]),
                    integers(dtype, sets["hi"]))
    flags = integers(torch.uint8, sets["flags"]).tolist()
    for i in wrong[:8]:
        ends = f"[{show(dtype, lo[i])} .. {show(dtype, hi[i])}]"
        due = [text for bit, text in ((1, ends), (2, "nan"))
               if flags[i] & bit]
        print(f"    element {i}: got {show(dtype, bits[i])}, admissible",
              " or ".join(due))
    return not wrong


def all_classes(error):
    """Names of its classes, and of those of the exceptions behind it."""
    names, pending, seen = set(), [error], set()
    while pending:
        e = pending.pop()
        if e is None or id(e) in seen:
            continue
        seen.add(id(e))
        names.update(c.__name__ for c in type(e).__mro__)
        pending += [e.__cause__, e.__context__,
                    getattr(e, "inner_exception", None)]
    return names


def fresh(t):
    """The same in storage of its own, and no view: the program may write into
    it."""
    count = t.untyped_storage().nbytes() // t.element_size()
    storage = t.as_strided((count,), (1,), 0).clone().untyped_storage()
    return t.new_empty(0).set_(storage, t.storage_offset(), t.size(),
                               t.stride())


def given(t):
    """An input of its own, which may require gradients."""
    t = fresh(t)
    if OPTIONS.get("grad") and (t.is_floating_point() or t.is_complex()):
        t.requires_grad_()
    return t


def conforms(name, function):
    print(name)
    try:
        with torch.set_grad_enabled(OPTIONS.get("grad", False)):
            outputs = function(*[given(t) for t in INPUTS])
    except Exception as error:  # noqa: BLE001: any of them is an answer
        text = str(error).strip().split("\n")[0]
        print(f"  raised {type(error).__name__}: {text}")
        if MUST_RAISE is None:
            print("  where a value was due")
            return False
        good = bool(all_classes(error) & set(MUST_RAISE))
        good = good and re.search(MESSAGE, str(error)) is not None
        print("  as it must" if good else f"  where {MUST_RAISE} was due")
        return good
    if MUST_RAISE is not None:
        kinds = [f"{t.dtype}{list(t.shape)}" for t in outputs]
        print(f"  returned {', '.join(kinds)} where {MUST_RAISE} was due")
        return False
    return all([check_output(k, outputs) for k in range(len(OUTPUTS))])


def main():
    print("torch", torch.__version__)
    good = conforms("eager", in_eager)
    good &= conforms(f"torch.compile, backend {BACKEND} {OPTIONS or ''}",
                     compiled)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
)PY";

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_CASES_REPRO_TEMPLATE_H_
