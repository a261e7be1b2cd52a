"""Arguments that share memory: views of a program's inputs, made before it is
called and handed to it beside them.

A compiled function may have been called before with other arguments, for which
what it made does not hold: with tensors that share nothing, or with views of
other places. Such a call comes first, if the column's option says so, of
copies; what it returns is not looked at.
"""

from assay_worker.program import Value

# The values of the option.
INSIDE, ARGUMENTS = "inside", "arguments"
AFTER_COPIES, AFTER_OTHERS = "after_copies", "after_others"
WAYS = (INSIDE, ARGUMENTS, AFTER_COPIES, AFTER_OTHERS)


def views_of_inputs(torch, calls, inputs):
    """Of calls with the operators that torch has for them, those that make one
    view of an input, or of such a view. They may be made before all others:
    what is written afterwards they show as well, unless a tensor's own sizes
    are what is changed."""
    own = set(range(inputs))
    found = []
    for call, place in calls:
        if torch.Tag.inplace_view in place.tags:
            return []
        if (len(call.results) == 1 and makes_a_view(place)
                and all(t.id in own for t in [*call.args, *call.kwargs.values()]
                        if isinstance(t, Value))):
            own.add(call.results[0])
            found.append(call)
    return found


def makes_a_view(place):
    returned = place._schema.returns
    return (len(returned) == 1 and str(returned[0].type) == "Tensor"
            and returned[0].alias_info is not None
            and not returned[0].alias_info.is_write)


def first_arguments(way, inputs, views):
    """Of an earlier call; None where there is none."""
    if way == AFTER_COPIES:
        return [copy_of(t) for t in [*inputs, *views]]
    if way == AFTER_OTHERS:
        copies = [copy_of(t) for t in inputs]
        return [*copies, *(elsewhere(v, inputs, copies) for v in views)]
    return None


def copy_of(tensor):
    """The same in memory of its own, and no view."""
    whole = tensor.as_strided((span(tensor),), (1,)).clone()
    return whole.new_empty(0).set_(whole.untyped_storage(), 0, tensor.size(),
                                   tensor.stride())


def share(views, inputs):
    """Do views lie in the inputs' memory? A reshape may be a copy, of what is
    there when it is made."""
    return all(any(in_one_memory(v, t) for t in inputs) for v in views)


def in_one_memory(view, tensor):
    return (view.untyped_storage().data_ptr() ==
            tensor.untyped_storage().data_ptr())


def elsewhere(view, inputs, copies):
    """A view of the copy of its input that lies as far from the end as it lies
    from the start of the input."""
    tensor, copy = next((t, c) for t, c in zip(inputs, copies)
                        if in_one_memory(view, t))
    before = view.storage_offset() - tensor.storage_offset()
    behind = span(tensor) - span(view) - before
    if view.dtype != tensor.dtype or before < 0 or behind < 0:
        return copy_of(view)
    return copy.as_strided(view.size(), view.stride(), behind)


def span(tensor):
    """Elements of memory from its first to its last."""
    if tensor.numel() == 0:
        return 0
    return 1 + sum((n - 1) * s
                   for n, s in zip(tensor.size(), tensor.stride()))
