"""What the options of a column say to torch.compile.

Most are the backend's own and go through as they are. Others are about the
call: `dynamic` and `mode` are arguments of torch.compile beside `options`, and
`launcher` says who launches what was made. Three say how the program is
written: `calls`, as what its operations are called (torch_spelling.py),
`numbers`, whether its numbers stand in it or are its arguments, and `views`,
whether views of its inputs are made in it or are arguments beside them
(torch_views.py). `grad` is whether its
inputs require gradients, with which torch.compile makes another graph.

Inductor's `freezing` is more than an option: Dynamo, which does not see
options, asks Inductor's configuration whether parameters become constants of
the graph.
"""

from assay_worker.errors import Failure
from torch_spelling import SPELLINGS
from torch_views import INSIDE, WAYS


class CompileOptions:
    """`given`: all of them but `launcher`."""

    def __init__(self, backend, options):
        self.backend = backend
        self.given = dict(options or {})
        self.given.pop("launcher", None)
        self.own = dict(self.given)
        # Without it sizes are the program's own, and not a guess from earlier
        # calls.
        self.dynamic = self.take("dynamic", bool, "true or false", False)
        self.mode = self.take("mode", str, "the name of a mode", None)
        self.calls = self.take_one_of("calls", SPELLINGS, "overloads")
        self.numbers = self.take_one_of("numbers", ("literals", "arguments"),
                                        "literals")
        if self.numbers == "arguments" and not self.dynamic:
            raise Failure("internal", "option numbers takes dynamic beside it: "
                          "otherwise torch.compile makes constants of them")
        self.views = self.take_one_of("views", WAYS, INSIDE)
        self.grad = self.take("grad", bool, "true or false", False)
        if self.grad and self.views != INSIDE:
            raise Failure("internal", "option views takes no grad beside it")
        self.freezing = (backend == "inductor" and
                         self.own.get("freezing") is True)

    def take(self, name, kind, wanted, default):
        value = self.own.pop(name, default)
        if name in self.given and not isinstance(value, kind):
            raise Failure("internal",
                          f"option {name} takes {wanted}, not {value!r}")
        return value

    def take_one_of(self, name, known, default):
        value = self.take(name, str, f"one of {', '.join(known)}", default)
        if value not in known:
            raise Failure("internal", f"option {name} takes one of "
                          f"{', '.join(known)}, not {value!r}")
        return value

    def captured(self, torch, constant):
        """What a program captures of a constant: nothing but parameters is
        ever frozen."""
        if not self.freezing:
            return constant
        return torch.nn.Parameter(constant, requires_grad=False)

    def compile(self, torch, function):
        if self.freezing:
            from torch._inductor import config
            config.freezing = True
        if self.views != INSIDE and self.backend == "inductor":
            # What was made for views of other places is found again by every
            # process, and what a case gets would hang on those before it.
            from torch._inductor import config
            config.force_disable_caches = True
        # fullgraph: a graph break would let eager do part of the work, and
        # what is certified here is the compiler. torch takes some options out
        # of the dictionary that it is given.
        return torch.compile(function, backend=self.backend, fullgraph=True,
                             dynamic=self.dynamic, mode=self.mode,
                             options=dict(self.own) or None)
