"""weight_norm, the older form: w = g v / |v|, recomputed by a forward pre-hook."""
from __future__ import annotations

import warnings

from retrograd.nn._functional._operators import ops
from retrograd.nn.parameter import Parameter, UninitializedParameter

__all__ = ["WeightNorm", "weight_norm", "remove_weight_norm"]


def norm_except_dim(v, p=2, dim=0):
    """The p-norm of `v` over every dimension but `dim`, kept for broadcasting."""
    if dim == -1:
        return v.norm(p)
    if dim == 0:
        return v.contiguous().view(v.size(0), -1).norm(p, 1).view(v.size(0), *[1] * (v.dim() - 1))
    if dim == v.dim() - 1:
        return v.contiguous().view(-1, v.size(-1)).norm(p, 0).view(*[1] * (v.dim() - 1), v.size(-1))
    return norm_except_dim(v.transpose(0, dim), p, 0).transpose(0, dim)


def weight_of(v, g, dim):
    """g v / |v|, the norm over every dimension but `dim`; where that is an end, in one operator."""
    if dim in (0, v.dim() - 1) and v.dim() > 1 and v.dtype.itemsize > 2:
        return ops.weight_norm_of(v, g, tuple(d for d in range(v.dim()) if d != dim))
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm:
    """The forward pre-hook that recomputes the weight."""

    def __init__(self, name, dim):
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module):
        """The weight from its direction and magnitude."""
        return weight_of(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"),
                         self.dim)

    @staticmethod
    def apply(module, name, dim):
        """Split the weight of `module` and register the hook."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError("Cannot register two weight_norm hooks on the same parameter "
                                   f"{name}")
        fn = WeightNorm(name, dim)
        weight = getattr(module, name)
        if isinstance(weight, UninitializedParameter):
            raise ValueError("The module passed to `WeightNorm` can't have uninitialized "
                             "parameters. Make sure to run the dummy forward before applying "
                             "weight normalization")
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, 2, fn.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, fn.compute_weight(module))
        module.register_forward_pre_hook(fn)
        return fn

    def remove(self, module):
        """Put the weight back as one Parameter."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module, name="weight", dim=0):
    """Replace a weight by magnitude and direction (Salimans and Kingma 2016); returns `module`.

    `dim` is the dimension that keeps a magnitude for each index; None for one magnitude.

    >>> import retrograd as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 3))
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    warnings.warn("`torch.nn.utils.weight_norm` is deprecated in favor of "
                  "`torch.nn.utils.parametrizations.weight_norm`.", FutureWarning, stacklevel=2)
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module, name="weight"):
    """Undo weight_norm.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # both are deprecated
    >>> net = torch.nn.utils.weight_norm(torch.nn.Linear(2, 2))
    >>> net = torch.nn.utils.remove_weight_norm(net)
    >>> sorted(name for name, _ in net.named_parameters())
    ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
