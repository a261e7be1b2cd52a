"""Do two ways of asking for a program do the same in eager mode?

Specs are about overloads, called without gradients. What they promise holds of
a program in other words (torch_spelling.py), or of inputs that require
gradients, where eager mode does the same with it: the same results in the same
places, or the same exception. Names alone do not show that: torch.cdist has
words for its modes, where ATen has numbers.
"""

from assay_worker.errors import Failure


def require_agreement(torch, plain, other, inputs, constants):
    """Both call their program with inputs and with constants."""
    if (observed(torch, plain, inputs, constants) !=
            observed(torch, other, inputs, constants)):
        raise Failure("unsupported", "asked so, eager mode does not do what "
                      "the program's overloads do")


def observed(torch, call, inputs, constants):
    """What can be compared of a call on copies."""
    inputs = [copied(t) for t in inputs]
    try:
        results = call(inputs, [copied(t) for t in constants])
    except Exception as e:  # noqa: BLE001: any of them is an answer
        return type(e)
    tensors = [t.detach() for t in [*inputs, *results]]
    places = [t.untyped_storage().data_ptr() for t in tensors]
    return [described(torch, t, places) for t in tensors]


def copied(t):
    """The same view of storage of its own."""
    return t.detach().new_empty(0).set_(t.untyped_storage().clone(),
                                        t.storage_offset(), t.size(),
                                        t.stride())


def described(torch, t, places):
    """Storage without elements has no place of its own."""
    where = places.index(t.untyped_storage().data_ptr()) if t.numel() else None
    parts = torch.view_as_real(t.resolve_conj()) if t.is_complex() else t
    flat = parts.resolve_neg().contiguous().reshape(-1)
    bits = flat.view(torch.uint8).cpu().numpy().tobytes()
    return (t.dtype, t.size(), t.stride(), t.storage_offset(), t.is_conj(),
            t.is_neg(), where, bits)
