"""Works out from mathematics what operations return, and compares the oracle's
acceptance sets with it.

    python3 second_opinion.py ASSAY_PROGRAM [PATTERN...]
    python3 second_opinion.py ASSAY_PROGRAM --self-test

`ASSAY_PROGRAM golden --json PATTERN` tells the oracle's sets. Nothing of the
oracle is used to judge them: number formats are those of their standards,
functions are mpmath's, sums and products exact fractions, and what operations
mean is PyTorch's documentation. Of the specs only the numbers in their
accuracy sections are repeated. Exit code 1 on any disagreement.
"""

import ast
import copy
import json
import re
import subprocess
import sys

from second import (  # noqa: F401, they fill OPERATIONS
    binary,
    contractions,
    logic,
    reductions,
    unary,
)
from second.answers import disagreement
from second.tensors import OPERATIONS, Tensor
from second.formats import FORMATS, NAN

# Of many operations each.
PATTERNS = [
    "*/9",
    "*/f32/17",
    "*/39",
    "*/25",
    "*/f32/625",
    "*/9/b=*",
    "_to_copy/*/39/*",
    "*/2x3x4/dim=?",
    "*/dim=-2",
    "*3x5_*5x4",
    "conv2d/C2/f32/*",
    "layer_norm/*/3x17_17_17/*",
]

# What a whole run covers at least: a change of paths must not empty it.
LEAST_CASES, LEAST_OPERATIONS = 300, 40


class Skipped(Exception):
    """This evaluator does not say what the case returns."""


class Lines:
    """A program's text: one call a line, each named once."""

    INPUT = re.compile(r"(%\d+) = input (\w+)\[(.*)\]$")
    CALL = re.compile(r"(%\d+) = (aten\.[\w.]+)\((.*)\)$")
    PART = re.compile(r"(%\d+) = getitem\((%\d+), (\d+)\)$")

    def __init__(self, text):
        self.steps = text.strip().split("\n")[1:]


def run_program(case):
    """The outputs of a case: (dtype, sizes, answers) each."""
    if "constants" in case and case["constants"]:
        raise Skipped
    inputs, names, results = iter(case["inputs"]), {}, {}
    for step in Lines(case["program"]).steps:
        if found := Lines.INPUT.match(step):
            names[found[1]] = tensor(next(inputs))
        elif found := Lines.PART.match(step):
            results[found[1]] = [results[found[2]][int(found[3])]]
        elif found := Lines.CALL.match(step):
            if found[2] not in OPERATIONS:
                raise Skipped
            positional, named = arguments(found[3], names, results)
            outputs = OPERATIONS[found[2]](*positional, **named)
            if outputs is None:
                raise Skipped
            results[found[1]] = outputs
        elif step.startswith("return "):
            return [
                output_named(name, names, results)
                for name in step[7:].split(", ")
            ]
        else:
            raise Skipped
    raise ValueError("a program without an end")


def tensor(told):
    if told["dtype"] in ("c64", "c128"):
        raise Skipped  # OPERATIONS are of real numbers
    form = FORMATS[told["dtype"]]
    return Tensor(
        told["dtype"], told["sizes"], [form.decode(b) for b in told["bits"]]
    )


def output_named(name, names, results):
    if name not in results:
        raise Skipped
    return results[name][0]


def arguments(text, names, results):
    """Positional and named arguments of a call, which is written as Python
    would be but for %1, none, true, false, inf, nan and element types."""
    call = ast.parse(
        "f(" + re.sub(r"%(\d+)", r"value_\1", text) + ")", mode="eval"
    ).body
    words = {
        "none": None,
        "true": True,
        "false": False,
        "inf": float("inf"),
        "nan": NAN,
    }

    def value(node):
        if isinstance(node, ast.Name):
            if node.id.startswith("value_"):
                return operand("%" + node.id[6:], names, results)
            return words.get(node.id, node.id)
        if isinstance(node, ast.List):
            return [value(n) for n in node.elts]
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        return node.value

    return [value(a) for a in call.args], {
        k.arg: value(k.value) for k in call.keywords
    }


def operand(name, names, results):
    """An earlier result may be read where it is exact: one number."""
    if name not in names:
        dtype, sizes, answers = results[name][0]
        form = FORMATS[dtype]
        if not all(is_exact(a, form) for a in answers):
            raise Skipped
        names[name] = Tensor(
            dtype,
            sizes,
            [
                form.round(a.value) if form.is_float else a.value
                for a in answers
            ],
        )
    return names[name]


def is_exact(answer, form):
    """Is an element one number that needs no rounding?"""
    if (
        answer is None
        or answer.free
        or answer.also
        or answer.any_zero
        or not answer.is_point()
    ):
        return False
    value = answer.value
    return not form.is_float or value != value or form.round(value) == value


def compare(case, answers):
    """What is wrong, one text each, and how many elements were compared."""
    wrong, elements = [], 0
    for k, ((dtype, sizes, mine), told) in enumerate(
        zip(answers, case["outputs"], strict=True)
    ):
        if (dtype, list(sizes)) != (told["dtype"], told["sizes"]):
            wrong.append(
                f"output {k}: {dtype}{sizes} and {told['dtype']}{told['sizes']}"
            )
            continue
        for i, (answer, sets) in enumerate(
            zip(mine, told["sets"], strict=True)
        ):
            if answer is None:
                continue
            elements += 1
            problem = disagreement(answer, dtype, sets)
            if problem:
                wrong.append(
                    f"output {k}, element {i}: {problem}; "
                    f"{answer_text(answer)}; "
                    f"{sets['ranges']} {sets['clause']}"
                )
    return wrong, elements


def answer_text(answer):
    value = answer.value
    return f"exactly {float(value) if abs(value) < 2 ** 1023 else value!r}"


def goldens(program, *patterns):
    """One by one: all of them as Python's objects would fill gigabytes."""
    with subprocess.Popen(
        [program, "golden", "--json", *patterns],
        stdout=subprocess.PIPE,
        text=True,
    ) as told:
        for line in told.stdout:
            yield json.loads(line)
    if told.returncode:
        raise SystemExit(told.returncode)


def judge(program, patterns):
    cases, operations, elements, wrong, skipped = 0, set(), 0, [], 0
    for case in goldens(program, *patterns):
        if "outputs" not in case:
            continue
        try:
            problems, count = compare(case, run_program(case))
        except Skipped:
            skipped += 1
            continue
        if count:
            cases += 1
            operations.add(case["case"].split("/")[0])
        elements += count
        wrong += [f"{case['case']}: {p}" for p in problems]
    return cases, operations, elements, wrong, skipped


def broken(case):
    """Copies of a case with one set each that is wrong: an end moved out, an
    end moved in, a value lost, NaN let in."""
    for output, told in enumerate(case["outputs"]):
        form = FORMATS[told["dtype"]]
        for i, sets in enumerate(told["sets"]):
            for change in changes(sets, form):
                spoiled = copy.deepcopy(case)
                change(spoiled["outputs"][output]["sets"][i])
                yield f"{case['case']}, element {i}, {change.__name__}", spoiled


def changes(sets, form):
    def end_moved_out(s):
        s["ranges"][-1][1] += 1 if s["ranges"][-1][1] < form.top else -1

    def end_moved_in(s):
        s["ranges"][-1][1] = s["ranges"][-1][0]

    def moved_away(s):
        s["ranges"] = [[b ^ 64 for b in r] for r in s["ranges"]]

    def emptied(s):
        s["ranges"], s["nan"] = [], not s["nan"]

    return (end_moved_out, end_moved_in, moved_away, emptied)


def self_test(program):
    """Can this program fail? Goldens of one member and of several, spoiled."""
    tried, accepted = 0, []
    for pattern in (
        "exp/C1/f32/7",
        "add/C1/f32/7",
        "softmax/C3/f32/2x3x4/dim=-1",
    ):
        for case in goldens(program, pattern):
            answers = run_program(case)
            for name, spoiled in broken(case):
                if spoiled["outputs"] == case["outputs"]:
                    continue
                tried += 1
                if not compare(spoiled, answers)[0]:
                    accepted.append(name)
    print(
        "\n".join(
            accepted
            + [f"{tried} sets spoiled, {len(accepted)} of them accepted"]
        )
    )
    return 1 if accepted or not tried else 0


def main(program, *patterns):
    if patterns == ("--self-test",):
        return self_test(program)
    cases, operations, elements, wrong, skipped = judge(
        program, patterns or PATTERNS
    )
    for line in wrong:
        print(line)
    few = not patterns and (
        cases < LEAST_CASES or len(operations) < LEAST_OPERATIONS
    )
    if few:
        print(
            f"fewer than {LEAST_CASES} cases or {LEAST_OPERATIONS} operations"
        )
    print(
        f"{cases} cases, {len(operations)} operations, "
        f"{elements} elements, "
        f"{'all agree' if not wrong else f'{len(wrong)} disagree'} "
        f"({skipped} cases of other programs left out)"
    )
    return 1 if wrong or few else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
