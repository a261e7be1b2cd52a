#!/usr/bin/env python3
"""Are the records of two runs the same, but for when they were made?

same_records.py A/results.jsonl B/results.jsonl: exit 0 if so; else 1, with
the first differences.
"""

import itertools
import json
import sys

# What differs from run to run; seals are hashes of that too.
VOLATILE = ("seconds", "seal", "started", "jobs")


def records(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            for field in VOLATILE:
                record.pop(field, None)
            yield record


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    count = different = 0
    for a, b in itertools.zip_longest(*map(records, sys.argv[1:])):
        count += 1
        if a == b:
            continue
        different += 1
        if different <= 3:
            print(f"record {count}:\n  {a}\n  {b}", file=sys.stderr)
    print(f"{count} records, {different} different")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
