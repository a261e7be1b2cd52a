#!/usr/bin/env python3
"""Do all columns of a run give the same bytes?

same_bytes.py results.jsonl: exit 0 if every case has the same status and the
same output, to the bit, in all columns; else 1, with the first that differ.
"""

import collections
import json
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    answers = collections.defaultdict(dict)
    with open(sys.argv[1], encoding="utf-8") as file:
        next(file)  # the header
        for line in file:
            r = json.loads(line)
            answers[r["case"]][r["column"]] = (r["status"], r["output_hash"])
    columns = {c for given in answers.values() for c in given}
    missing = [c for c, given in answers.items() if len(given) < len(columns)]
    different = [c for c, given in answers.items()
                 if len(set(given.values())) > 1]
    for case in (missing + different)[:3]:
        print(f"{case}: {answers[case]}", file=sys.stderr)
    print(f"{len(answers)} cases in {len(columns)} columns, "
          f"{len(missing)} not in all, {len(different)} different")
    return bool(missing or different)


if __name__ == "__main__":
    sys.exit(main())
