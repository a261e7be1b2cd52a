#!/usr/bin/env python3
"""tools/mutations.py RECORDING [--rounds N] [--seed S]: spoils one element of
each recorded output, asks `assay judge`, and counts what it rejects.

RECORDING is what `assay run --record` wrote, one column of it. A change by few
elements may lie within a clause; a gross one (a sign, zero for a number, a
number for zero, infinity, NaN, the largest number for infinity) may not, so
those that were accepted are listed."""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

# Bits of exponent and significand.
FLOATS = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}
WIDTHS = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1, "bool": 1,
          "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
GROSS = ("sign", "zero", "subnormal", "infinity", "nan", "largest")


def spoiled(dtype, bits):
    """By kind of change, other bits."""
    width = 8 * WIDTHS[dtype]
    mask = (1 << width) - 1
    if dtype == "bool":
        return {"other": bits ^ 1}
    if dtype not in FLOATS:
        return {"+1": (bits + 1) & mask, "-1": (bits - 1) & mask}
    exponent, significand = FLOATS[dtype]
    infinity = ((1 << exponent) - 1) << significand
    sign, size = bits >> (width - 1) << (width - 1), bits & (mask >> 1)
    if size > infinity:
        return {"zero": 0, "infinity": infinity}
    out = {"nan": infinity | 1 << (significand - 1)}
    if size == infinity:
        out["largest"] = sign | (size - 1)
        return out
    if size == 0:
        out["subnormal"] = sign | 1
        return out
    out.update({"+1 element": bits + 1, "-1 element": bits - 1,
                "zero": sign, "sign": bits ^ (1 << (width - 1))})
    # Sums of the last two binades may overflow on the way.
    if size < infinity - (2 << significand):
        out["infinity"] = sign | infinity
    return out


def fnv1a(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value


def unsealed(line):
    """A line as it was before its seal (harness/records/seal.h)."""
    return re.sub(r',"seal":"[0-9a-f]{16}"}$', "}", line.rstrip("\n"))


def sealed(lines):
    """The lines of a recording with new seals, as whoever forges them does."""
    seal, out = 0, []
    for line in lines:
        seal = fnv1a(f"{seal:016x}{line}".encode())
        out.append(f'{line[:-1]},"seal":"{seal:016x}"}}\n')
    return out


def spoil(observation, rng):
    """One element's change: its kind, the old data and the new; or nothing."""
    outputs = [o for o in observation.get("outputs", [])
               if o["data"] and o["dtype"] in WIDTHS]
    if observation["kind"] != "returned" or not outputs:
        return None
    output = rng.choice(outputs)
    digits = 2 * WIDTHS[output["dtype"]]
    at = rng.randrange(len(output["data"]) // digits) * digits
    old = output["data"][at:at + digits]
    choices = spoiled(output["dtype"], int.from_bytes(bytes.fromhex(old),
                                                      "little"))
    kind = rng.choice(sorted(choices))
    new = choices[kind].to_bytes(digits // 2, "little").hex()
    data = output["data"]
    return kind, data, data[:at] + new + data[at + digits:]


def judged(assay, lines, folder):
    path = os.path.join(folder, "recording.jsonl")
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(sealed(lines))
    run = subprocess.run([assay, "judge", path, "--json", "--no-known"],
                         stdout=subprocess.PIPE, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"assay judge ended with {run.returncode}")
    return {r["case"] for r in json.loads(run.stdout)["results"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--assay", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "assay"))
    options = parser.parse_args()
    with open(options.recording, encoding="utf-8") as file:
        header, *lines = map(unsealed, file)
    made, accepted = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        red = judged(options.assay, [header, *lines], folder)
        for n in range(options.rounds):
            rng = random.Random(options.seed * 1000 + n)
            kinds, changed = {}, [header]
            for line in lines:
                observation = json.loads(line)
                case = observation["case"]
                change = None if case in red else spoil(observation, rng)
                if change:
                    kinds[case], old, new = change
                    # Text for text: a seal is of the record as it was written.
                    line = line.replace(f'"{old}"', f'"{new}"', 1)
                changed.append(line)
            rejected = judged(options.assay, changed, folder)
            for case, kind in kinds.items():
                made[kind] += 1
                if case not in rejected:
                    accepted[kind].append(case)
    for kind in sorted(made):
        print(f"{kind:12} {made[kind]:6} made, "
              f"{made[kind] - len(accepted[kind]):6} rejected")
    for kind in GROSS:
        for case in accepted[kind]:
            print(f"accepted: {kind} in {case}")
    print(f"{sum(made.values())} changes, "
          f"{sum(map(len, accepted.values()))} accepted")


if __name__ == "__main__":
    main()
