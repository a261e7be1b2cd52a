"""A table of operations, which a worker's modules fill entry by entry."""


class Table(dict):
    """From the names of overloads, "aten.add.Tensor", to what answers them."""

    def operation(self, *overloads):
        """The decorated function is the entry of "add.Tensor" and the like.
        An overload has one entry: a second would hide the first."""
        def add(function):
            for overload in overloads:
                name = "aten." + overload
                if name in self:
                    raise ValueError(f"{name} has an entry: "
                                     f"{self[name].__qualname__}")
                self[name] = function
            return function
        return add
