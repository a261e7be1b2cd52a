"""Exceptions of torch.compile as answers of docs/subject-protocol.md."""

import functools
import os

from torch_program import Failure

# How Dynamo says that the program itself raised.
PROGRAM_RAISED = "TorchRuntimeError"
# Modules that are on the stack while a program is compiled, and not later.
COMPILING = ("torch._dynamo.convert_frame", "torch._inductor.compile_fx")


def is_compilers(error):
    return type(error).__module__.startswith(("torch._dynamo",
                                              "torch._inductor"))


def chain_of(error):
    """The exception, and what it was raised from, to the first cause."""
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        cause = getattr(error, "inner_exception", None) or error.__cause__
        if cause is None and is_compilers(error):
            cause = error.__context__  # Dynamo raises "from None"
        error = cause
    return seen


def classes_of(chain):
    """Class names of a chain, each with its bases.

    The bases of the compiler's own classes are left out: all of them are
    RuntimeErrors, which says nothing about what went wrong. The exception is
    Dynamo's way to say that the program itself raised.
    """
    names = []
    for error in chain:
        if is_compilers(error) and type(error).__name__ != PROGRAM_RAISED:
            names.append(type(error).__name__)
        else:
            names += [c.__name__ for c in type(error).__mro__[:-1]]
    return list(dict.fromkeys(names))


def phase_of(error):
    """Did it come before the compiled code ran?"""
    if is_compilers(error):
        return "compile"
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") in COMPILING:
            return "compile"
        trace = trace.tb_next
    return "run"


def operation_refused(cause):
    """Did a check of the operation raise what Dynamo calls Unsupported?

    It wraps any NotImplementedError so, and later versions of torch raise that
    class where an operation does not take a dtype. Without a message, or with
    the dispatcher's, it is a kernel that is missing.
    """
    return (type(cause) is NotImplementedError and str(cause) != ""
            and not str(cause).startswith("Could not run '"))


def without_home(message):
    """Compilers quote their command lines; reports are for other machines."""
    cache = os.environ.get("ASSAY_CACHE")
    if cache:
        message = message.replace(cache.rstrip("/"), "$ASSAY_CACHE")
    home = os.path.expanduser("~")
    return message.replace(home + "/", "~/") if home != "/" else message


def answer_of(error, in_program):
    """The record for an exception that ended a request.

    Only what comes out of the program itself can be a refusal.
    """
    if isinstance(error, Failure):
        return {"ok": False, "kind": error.kind, "message": str(error)}
    chain = chain_of(error)
    cause = chain[-1]
    message = without_home("\n".join(dict.fromkeys(
        str(e) or type(e).__name__ for e in (cause, error))))
    if not in_program:
        return {"ok": False, "kind": "internal",
                "message": f"{type(error).__name__}: {message}"}
    kind = "refused"
    if (isinstance(cause, MemoryError)
            or type(cause).__name__ == "OutOfMemoryError"  # a GPU's
            or "DefaultCPUAllocator" in message and "memory" in message):
        kind = "out_of_memory"
    elif (type(error).__name__ == "Unsupported" and is_compilers(error)
          and not operation_refused(cause)):
        kind = "unsupported"
    return {"ok": False, "kind": kind, "message": message,
            "phase": phase_of(error), "exception": type(cause).__name__,
            "classes": classes_of(chain), "clause": None}


def our_own(method):
    """A fault of this worker must not pass for the program's refusal."""
    @functools.wraps(method)
    def guarded(*args, **kwargs):
        try:
            return method(*args, **kwargs)
        except Failure:
            raise
        except Exception as e:
            raise Failure("internal", f"{method.__name__}: "
                          f"{type(e).__name__}: {e}") from e
    return guarded
