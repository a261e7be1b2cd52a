"""What a worker answers instead of a result."""


class Failure(Exception):
    """An answer with "ok": false that is not the program's exception.

    `kind`: unsupported, out_of_memory, device_lost or internal.
    """

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Unsupported(Failure):
    """The worker does not claim this program, and says why."""

    def __init__(self, reason):
        super().__init__("unsupported", reason)


class Refused(Exception):
    """The program must raise, and does: its error contract."""

    def __init__(self, exception, message, classes=None, clause=None):
        super().__init__(message)
        self.exception = exception
        self.classes = classes or [exception]
        self.clause = clause


def reply_of(error):
    """The record for an exception that ended a request.

    What is neither of the above is a fault of the worker, and must not pass
    for a refusal of the program.
    """
    if isinstance(error, Refused):
        return {"ok": False, "kind": "refused", "message": str(error),
                "exception": error.exception, "classes": error.classes,
                "clause": error.clause}
    if isinstance(error, Failure):
        return {"ok": False, "kind": error.kind, "message": str(error)}
    if isinstance(error, MemoryError):
        return {"ok": False, "kind": "out_of_memory", "message": str(error)}
    return {"ok": False, "kind": "internal",
            "message": f"{type(error).__name__}: {error}"}
