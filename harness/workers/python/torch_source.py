"""A program (core/program_text.h) as text of Python."""

import copy
import linecache
import math
import re

from assay_worker.program import Value
from torch_spelling import SPELLINGS, Number, argument_text
from torch_views import INSIDE, views_of_inputs


class Source:
    """A function within another, so that constants are captured. After its
    inputs it takes views of them, which its own function `views` makes, and
    `numbers`, if these are to be arguments."""

    count = 0

    def __init__(self, torch, program, device, calls="overloads",
                 numbers="literals", views=INSIDE):
        """`device`: where operations without a tensor make theirs, or None."""
        self.torch = torch
        self.device = device
        self.calls = calls
        self.numbers = []
        self.file = None
        written = copy.deepcopy(program.calls)
        if numbers == "arguments":
            self.take_numbers(written)
        inputs = [f"v{i}" for i in range(len(program.inputs))]
        # What is returned is made by the program.
        before = [] if views == INSIDE else views_of_inputs(
            torch, [(c, overload(torch, c.op)) for c in written
                    if c.results[0] not in program.outputs], len(inputs))
        self.views = [f"v{call.results[0]}" for call in before]
        numbered = [f"n{i}={argument_text(number)}"
                    for i, number in enumerate(self.numbers)]
        constants = [f"v{c.id}" for c in program.constants]
        spelling = SPELLINGS[calls](torch)
        lines = self.function_text(
            "program", inputs + self.views + numbered,
            [call for call in written if call not in before],
            [f"v{n}" for n in program.outputs], spelling)
        if before:
            lines += self.function_text("views", inputs, before, self.views,
                                        spelling)
            lines.append("program.views = views")
        self.text = "\n".join(
            [f"def make(torch, math, {', '.join(constants)}):"]
            + ["    " + line for line in lines + ["return program"]] + [""])

    def function_text(self, name, arguments, calls, returned, spelling):
        lines = [line for call in calls
                 for line in self.lines_of(call, spelling)]
        lines.append("return (" + "".join(f"{v}, " for v in returned) + ")")
        return ([f"def {name}({', '.join(arguments)}):"]
                + ["    " + line for line in lines])

    def lines_of(self, call, spelling):
        text = spelling.text(call, self.place_of(call))
        if len(call.results) == 1:
            first = "[0]" if returns_list(self.torch, call.op) else ""
            return [f"v{call.results[0]} = {text}{first}"]
        if returns_list(self.torch, call.op):
            # Each member has a name, and there is no other.
            names = ", ".join(f"v{value}" for value in call.results)
            return [f"{names} = {text}"]
        several = f"r{call.results[0]}"
        return [f"{several} = {text}"] + [
            f"v{value} = {several}[{k}]"
            for k, value in enumerate(call.results) if value is not None]

    def place_of(self, call):
        """Where a call without a tensor makes its result. torch's functions
        hand overloads all of it, and passes look for them as they then are."""
        if not makes_its_own(self.torch, call):
            return []
        if self.calls != "overloads":
            return [f"device='{self.device}'"] if self.device else []
        schema = overload(self.torch, call.op)._schema
        pinned = any(a.name == "pin_memory" for a in schema.arguments)
        return ([f"device='{self.device or 'cpu'}'"] +
                ["pin_memory=False"] * pinned)

    def take_numbers(self, calls):
        """Puts names in the place of what a schema lets be symbolic."""
        for call in calls:
            # Of a SymInt the schema's objects say that it is an int.
            schema = overload(self.torch, call.op)._schema
            kinds = {a.name: re.search(rf"(\S+) {a.name}\b", str(schema))[1]
                     for a in schema.arguments}
            call.args = [self.taken(a, kind)
                         for a, kind in zip(call.args, kinds.values())]
            call.kwargs = {key: self.taken(a, kinds.get(key, ""))
                           for key, a in call.kwargs.items()}

    def taken(self, argument, kind):
        if isinstance(argument, list):
            return [self.taken(one, kind) for one in argument]
        if type(argument) not in (int, float) or not kind.startswith(
                ("Scalar", "float", "SymInt")):
            return argument
        self.numbers.append(argument)
        return Number(len(self.numbers) - 1)

    def function(self, constants):
        """A new one, that Dynamo has not seen."""
        if self.file is None:
            # Errors show the line of the program, and every program has code
            # of its own for Dynamo to hang its cache on.
            Source.count += 1
            self.file = f"<assay program {Source.count}>"
            linecache.cache[self.file] = (
                len(self.text), None, self.text.splitlines(True), self.file)
        scope = {}
        exec(compile(self.text, self.file, "exec"), scope)
        return scope["make"](self.torch, math, *constants)

    def close(self):
        linecache.cache.pop(self.file, None)


def makes_its_own(torch, call):
    """Is no tensor among the arguments to say where the result is? An empty
    list of tensors does not, and takes no device either."""
    flat = list(call.args) + list(call.kwargs.values())
    flat += [one for a in flat if isinstance(a, list) for one in a]
    return (not any(isinstance(a, Value) for a in flat) and
            any(a.name == "device"
                for a in overload(torch, call.op)._schema.arguments))


def returns_list(torch, op):
    """One list of tensors, split's pieces say, whose length its operands
    tell."""
    place = overload(torch, op)
    return (place is not None and
            [str(r.type) for r in place._schema.returns] == ["List[Tensor]"])


def overload(torch, op):
    """None if this torch has none of that name."""
    place = torch.ops
    for part in op.split("."):
        place = getattr(place, part, None)
    return place if isinstance(place, torch._ops.OpOverload) else None
