"""Memory that must not be mixed with the processor's, as a GPU's must not.

Every build of torch knows a device called meta. Under `FarDevice` what is made
there is made on the processor instead, so that it has values, and its storage
is remembered. Operations refuse to mix storages of both kinds, as they do with
a real GPU's; only copies go across. What is computed from far tensors is far.
"""

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only

COPIES = ("copy_", "_to_copy")


class FarDevice(TorchDispatchMode):
    def __init__(self, torch):
        super().__init__()
        self.torch = torch
        self.name = torch.device("meta")
        # By address; held, so that nothing else gets that address.
        self.storages = {}

    def is_far(self, thing):
        """Of a tensor or a storage."""
        if isinstance(thing, self.torch.Tensor):
            thing = thing.untyped_storage()
        return thing._cdata in self.storages

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        things = [thing for thing in tree_flatten((args, kwargs))[0]
                  if isinstance(thing, (self.torch.Tensor,
                                        self.torch.UntypedStorage))]
        far = [thing for thing in things if self.is_far(thing)]
        near = [thing for thing in things if not self.is_far(thing)
                and not self.is_number(thing)]
        if far and near and self.name_of(operation) not in COPIES:
            raise RuntimeError(f"{operation}: expected all tensors to be on "
                               "the same device, but found at least two")
        device = kwargs.get("device")
        if device == self.name:
            kwargs["device"] = self.torch.device("cpu")
        result = operation(*args, **kwargs)
        if device == self.name or device is None and self.is_made_far(
                operation, args, far):
            tree_map_only(self.torch.Tensor, self.keep, result)
        return result

    def is_made_far(self, operation, args, far):
        """Is the result of tensors that are, or is it what was copied to?"""
        if self.name_of(operation) == "copy_":
            return self.is_far(args[0])
        return bool(far)

    @staticmethod
    def name_of(operation):
        return operation._schema.name.rpartition("::")[2]

    def is_number(self, thing):
        """A GPU's operations take numbers from the processor."""
        return isinstance(thing, self.torch.Tensor) and thing.dim() == 0

    def keep(self, tensor):
        storage = tensor.untyped_storage()
        self.storages[storage._cdata] = storage
