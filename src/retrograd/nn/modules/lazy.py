"""LazyModuleMixin: layers that learn their input size from the first batch."""
from __future__ import annotations

import itertools

from retrograd.nn.parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Waits for the first input, gives the parameters shapes, and becomes `cls_to_become`.

    A lazy layer defines `initialize_parameters(self, *args, **kwargs)`.
    """

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        # an uninitialized parameter is kept as it is: it has nothing to detach
        for name, param in self._parameters.items():
            if param is not None:
                keep = is_lazy(param) or keep_vars
                destination[prefix + name] = param if keep else param.detach()
        for name, buf in self._buffers.items():
            if buf is not None and name not in self._non_persistent_buffers_set:
                keep = is_lazy(buf) or keep_vars
                destination[prefix + name] = buf if keep else buf.detach()

    def _lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys,
                        unexpected_keys, error_msgs):
        """Give uninitialized parameters the shapes of those about to be loaded."""
        for name, param in itertools.chain(self._parameters.items(), self._buffers.items()):
            key = prefix + name
            if key in state_dict and param is not None:
                given = state_dict[key]
                if is_lazy(param) and not is_lazy(given):
                    import retrograd as torch

                    with torch.no_grad():
                        param.materialize(given.shape)

    def initialize_parameters(self, *args, **kwargs):
        raise NotImplementedError("initialize_parameters is not implemented for "
                                  f"{self.__class__.__name__}")

    def has_uninitialized_params(self):
        """Whether a parameter or buffer still waits for its shape."""
        members = itertools.chain(self._parameters.values(), self._buffers.values())
        return any(is_lazy(member) for member in members)

    def _infer_parameters(self, module, args, kwargs=None):
        """The forward pre-hook: initialize from the first input, then remove both hooks."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        delattr(module, "_initialize_hook")
        delattr(module, "_load_hook")
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self):
        raise RuntimeError("Modules with uninitialized parameters can't be used with "
                           "`DataParallel`. Run a dummy forward pass to correctly initialize the "
                           "modules")
