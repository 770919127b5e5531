"""Pruning: masks of zeros over parameters, chosen at random, by size, or by hand."""
from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable

import retrograd as torch
from retrograd.nn.parameter import Parameter


def _rename(module, old, new):
    """Give a parameter of the module another name."""
    module.register_parameter(new, module._parameters[old])
    del module._parameters[old]


class BasePruningMethod(ABC):
    """A way to choose the mask; a forward pre-hook that multiplies it in.

    `PRUNING_TYPE` is 'unstructured', 'structured' or 'global'; a subclass defines
    `compute_mask(t, default_mask)`.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import prune
    >>> class Below(prune.BasePruningMethod):
    ...     PRUNING_TYPE = "unstructured"
    ...     def compute_mask(self, t, default_mask):
    ...         return default_mask * (t.abs() > 1.5)
    >>> net = torch.nn.Linear(2, 2, bias=False)
    >>> _ = net.weight.data.copy_(torch.tensor([[1., -4.], [3., 2.]]))
    >>> _ = Below.apply(net, "weight")
    >>> net.weight_mask
    tensor([[0., 1.],
            [1., 1.]])
    """

    _tensor_name: str

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """The mask for `t`, keeping what `default_mask` has already pruned."""

    def apply_mask(self, module):
        """The original parameter times its mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prune parameter `name` of `module` by this method, on top of earlier ones."""
        earlier = [(key, hook) for key, hook in module._forward_pre_hooks.items()
                   if isinstance(hook, BasePruningMethod) and hook._tensor_name == name]
        if len(earlier) > 1:
            raise AssertionError(f"Avoid adding multiple pruning hooks to the same tensor {name} "
                                 f"of module {module}. Use a PruningContainer.")
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if earlier:
            key, old = earlier[0]
            del module._forward_pre_hooks[key]
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {importance_scores.shape} vs {original.shape}")
        if earlier:
            default_mask = getattr(module, name + "_mask").detach().clone(
                memory_format=torch.contiguous_format)
        else:
            if not isinstance(original, Parameter):
                raise AssertionError(f"Expected {name} of {module} to be a Parameter")
            _rename(module, name, name + "_orig")
            default_mask = torch.ones_like(original)
        try:
            mask = method.compute_mask(importance_scores, default_mask=default_mask)
        except Exception:
            if not earlier:
                _rename(module, name + "_orig", name)
            raise
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """A pruned version of the tensor `t`."""
        if importance_scores is not None:
            if importance_scores.shape != t.shape:
                raise AssertionError("importance_scores should have the same shape as tensor t, "
                                     f"got {importance_scores.shape} vs {t.shape}")
        else:
            importance_scores = t
        default_mask = default_mask if default_mask is not None else torch.ones_like(t)
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module):
        """Make the pruning permanent."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[name + "_orig"]
        original.data = weight.data
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several pruning methods on one parameter, each on what the ones before left.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import prune
    >>> net = torch.nn.Linear(2, 2, bias=False)
    >>> _ = net.weight.data.copy_(torch.tensor([[1., -4.], [3., 2.]]))
    >>> _ = prune.l1_unstructured(net, "weight", amount=1)
    >>> _ = prune.l1_unstructured(net, "weight", amount=1)
    >>> type(next(iter(net._forward_pre_hooks.values()))).__name__
    'PruningContainer'
    >>> net.weight_mask
    tensor([[0., 1.],
            [1., 0.]])
    """

    def __init__(self, *args):
        self._pruning_methods: tuple = ()
        for method in args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args:
            self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Add one more method, for the same parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError("Can only add pruning methods acting on the parameter named "
                             f"'{self._tensor_name}' to PruningContainer {self}."
                             f" Found '{method._tensor_name}'")
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, index):
        return self._pruning_methods[index]

    def compute_mask(self, t, default_mask):
        """The mask of the last method, applied to the part of `t` still there."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        kept = _kept_part(method, t, mask)
        new = method.compute_mask(t[kept], default_mask=mask[kept])
        mask[kept] = new.to(dtype=mask.dtype)
        return mask


def _kept_part(method, t, mask):
    """An index of the elements, or for a structured method the slices, not yet pruned."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError("Pruning methods of PRUNING_TYPE \"structured\" need to have the "
                                 "attribute `dim` defined.")
        dim = method.dim % t.dim()
        others = [d for d in range(t.dim()) if d != dim]
        return (slice(None),) * dim + (mask.sum(dim=others) != 0,)
    if method.PRUNING_TYPE == "global":
        return (slice(None),) * t.dim()
    raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask and the original parameter.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import prune
    >>> net = torch.nn.Linear(2, 2, bias=False)
    >>> _ = prune.Identity.apply(net, "weight")
    >>> net.weight_mask
    tensor([[1., 1.],
            [1., 1.]])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask

    @classmethod
    def apply(cls, module, name):
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """Prunes an amount of single elements: those at the places that `_chosen` names."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def _chosen(self, t, count):
        """The indices of `count` elements of `t`, counted as in memory."""
        raise NotImplementedError

    def compute_mask(self, t, default_mask):
        size = t.nelement()
        count = _compute_nparams_toprune(self.amount, size)
        _validate_pruning_amount(count, size)
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        if count != 0:
            mask.view(-1)[self._chosen(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes elements at random.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import prune
    >>> net = torch.nn.Linear(2, 2, bias=False)
    >>> _ = prune.RandomUnstructured.apply(net, "weight", amount=0.5)
    >>> net.weight_mask.sum()
    tensor(2.)
    """

    def _chosen(self, t, count):
        return torch.topk(torch.rand_like(t).view(-1), k=count).indices

    @classmethod
    def apply(cls, module, name, amount):
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the elements of smallest magnitude.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import prune
    >>> net = torch.nn.Linear(2, 2, bias=False)
    >>> _ = net.weight.data.copy_(torch.tensor([[1., -4.], [3., 2.]]))
    >>> _ = prune.L1Unstructured.apply(net, "weight", amount=2)
    >>> net.weight
    tensor([[ 0., -4.],
            [ 3.,  0.]], grad_fn=<MulBackward0>)
    """

    def _chosen(self, t, count):
        return torch.topk(torch.abs(t).view(-1), k=count, largest=False).indices

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    PRUNING_TYPE = "structured"

    def _mask_of(self, t, default_mask, count, scores, largest):
        """`default_mask` restricted to the channels of `dim` whose scores are among the kept."""
        channels = t.shape[self.dim]
        kept = torch.topk(scores, k=channels - count, largest=largest)
        mask = torch.zeros_like(t)
        index = [slice(None)] * t.dim()
        index[self.dim] = kept.indices
        mask[tuple(index)] = 1
        return mask * default_mask.to(dtype=mask.dtype)

    def _count(self, t):
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        channels = t.shape[self.dim]
        count = _compute_nparams_toprune(self.amount, channels)
        _validate_pruning_amount(count, channels)
        return count


class RandomStructured(_Structured):
    """Prunes whole channels at random.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import prune
    >>> net = torch.nn.Linear(2, 2, bias=False)
    >>> _ = prune.RandomStructured.apply(net, "weight", amount=1, dim=0)
    >>> net.weight_mask.sum(1).sort().values
    tensor([0., 2.])
    """

    def __init__(self, amount, dim=-1):
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t, default_mask):
        count = self._count(t)
        if count == 0:
            return default_mask
        channels = t.shape[self.dim]
        scores = torch.rand(channels)
        threshold = torch.kthvalue(scores, k=count).values
        mask = torch.zeros_like(t)
        index = [slice(None)] * t.dim()
        index[self.dim] = scores > threshold
        mask[tuple(index)] = 1
        return mask * default_mask.to(dtype=mask.dtype)

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the channels of smallest n-norm.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import prune
    >>> net = torch.nn.Linear(2, 2, bias=False)
    >>> _ = net.weight.data.copy_(torch.tensor([[1., -4.], [3., 2.]]))
    >>> _ = prune.LnStructured.apply(net, "weight", amount=1, n=2, dim=0)
    >>> net.weight_mask
    tensor([[1., 1.],
            [0., 0.]])
    """

    def __init__(self, amount, n, dim=-1):
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t, default_mask):
        count = self._count(t)
        if count == 0:
            return default_mask
        return self._mask_of(t, default_mask, count, _compute_norm(t, self.n, self.dim), True)

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        return super().apply(module, name, amount=amount, n=n, dim=dim,
                             importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask given.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import prune
    >>> net = torch.nn.Linear(2, 2, bias=False)
    >>> _ = net.weight.data.copy_(torch.tensor([[1., -4.], [3., 2.]]))
    >>> _ = prune.CustomFromMask.apply(net, "weight", mask=torch.eye(2))
    >>> net.weight
    tensor([[1., -0.],
            [0., 2.]], grad_fn=<MulBackward0>)
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        if default_mask.shape != self.mask.shape:
            raise AssertionError(f"default_mask shape {default_mask.shape} must match self.mask "
                                 f"shape {self.mask.shape}")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        return super().apply(module, name, mask=mask)


def identity(module, name):
    """Give parameter `name` a mask of ones, which prunes nothing; returns `module`.

    >>> import retrograd as torch
    >>> layer = torch.nn.utils.prune.identity(torch.nn.Linear(2, 1), "weight")
    >>> layer.weight_mask
    tensor([[1., 1.]])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Set elements of parameter `name`, chosen at random, to zero; returns `module`.

    The parameter is kept as `<name>_orig`, the mask as the buffer `<name>_mask`; before each
    forward `<name>` is their product.

    Args:
        amount: a fraction of the elements in [0, 1], or how many.

    Raises:
        TypeError: `amount` is not a number.
        ValueError: `amount` is negative, or larger than there are elements.

    >>> import retrograd as torch
    >>> layer = torch.nn.utils.prune.random_unstructured(torch.nn.Linear(4, 3), "weight", 0.5)
    >>> int((layer.weight == 0).sum())
    6
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Set the elements of smallest magnitude to zero; returns `module`.

    Arguments and errors: see `random_unstructured`. `importance_scores`, of the parameter's shape,
    take the place of its values in the comparison.

    >>> import retrograd as torch
    >>> layer = torch.nn.Linear(3, 1)
    >>> layer.weight.data[:] = torch.tensor([1.0, -0.1, 2.0])
    >>> torch.nn.utils.prune.l1_unstructured(layer, "weight", amount=1).weight
    tensor([[1., -0., 2.]], grad_fn=<MulBackward0>)
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Set whole channels along `dim`, chosen at random, to zero; returns `module`.

    `amount` counts channels, or is a fraction of them. Errors: see `random_unstructured`;
    IndexError for a `dim` out of range.

    >>> import retrograd as torch
    >>> prune = torch.nn.utils.prune
    >>> layer = prune.random_structured(torch.nn.Linear(2, 4), "weight", amount=0.5, dim=0)
    >>> int((layer.weight == 0).all(dim=1).sum())
    2
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Set the channels along `dim` of smallest n-norm to zero; returns `module`.

    `amount` counts channels, or is a fraction of them. Errors: see `random_structured`.

    >>> import retrograd as torch
    >>> layer = torch.nn.Linear(1, 3)
    >>> layer.weight.data[:, 0] = torch.tensor([1.0, -0.1, 2.0])
    >>> pruned = torch.nn.utils.prune.ln_structured(layer, "weight", amount=1, n=2, dim=0)
    >>> pruned.weight_mask.flatten()
    tensor([1., 0., 1.])
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prune several parameters together, as if they were one vector.

    Args:
        parameters: (module, name) pairs.
        pruning_method: a class such as `L1Unstructured`.
        importance_scores: {(module, name): scores} that are compared instead of the values.
        kwargs: arguments of the class, such as `amount`.

    Raises:
        TypeError: `parameters` cannot be iterated over, or the class prunes whole channels.

    >>> import retrograd as torch
    >>> prune = torch.nn.utils.prune
    >>> small, large = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    >>> large.weight.data += 10
    >>> pairs = [(small, "weight"), (large, "weight")]
    >>> prune.global_unstructured(pairs, prune.L1Unstructured, amount=0.5)
    >>> small.weight_mask, large.weight_mask
    (tensor([[0., 0.]]), tensor([[1., 1.]]))
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    importance_scores = importance_scores if importance_scores is not None else {}
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    relevant = torch.nn.utils.parameters_to_vector([
        importance_scores.get((module, name), getattr(module, name))
        for module, name in parameters])
    default = torch.nn.utils.parameters_to_vector([
        getattr(module, name + "_mask", torch.ones_like(getattr(module, name)))
        for module, name in parameters])
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError("Only \"unstructured\" PRUNING_TYPE supported for the "
                        f"`pruning_method`. Found method {pruning_method} of type "
                        f"{method.PRUNING_TYPE}")
    container.add_pruning_method(method)
    mask = container.compute_mask(relevant, default)
    start = 0
    for module, name in parameters:
        param = getattr(module, name)
        count = param.numel()
        custom_from_mask(module, name, mask=mask[start:start + count].view_as(param))
        start += count


def custom_from_mask(module, name, mask):
    """Prune parameter `name` where `mask`, of its shape, is 0; returns `module`.

    >>> import retrograd as torch
    >>> mask = torch.tensor([[1.0, 0.0]])
    >>> layer = torch.nn.utils.prune.custom_from_mask(torch.nn.Linear(2, 1), "weight", mask)
    >>> layer.weight == 0
    tensor([[False,  True]])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module, name):
    """Make the pruning of parameter `name` permanent: the zeros are written into the parameter.

    Returns `module`. Raises ValueError if the parameter is not pruned.

    >>> import retrograd as torch
    >>> prune = torch.nn.utils.prune
    >>> layer = prune.random_unstructured(torch.nn.Linear(2, 1), "weight", amount=1)
    >>> [name for name, _ in prune.remove(layer, "weight").named_parameters()]
    ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can "
                     "be removed")


def is_pruned(module):
    """Whether a parameter of `module` or of a module below it is pruned.

    >>> import retrograd as torch
    >>> torch.nn.utils.prune.is_pruned(torch.nn.Linear(2, 1))
    False
    """
    return any(isinstance(hook, BasePruningMethod)
               for _, submodule in module.named_modules()
               for hook in submodule._forward_pre_hooks.values())


def _validate_pruning_amount_init(amount):
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if (whole and amount < 0) or (not whole and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a "
                         "non-negative integer")


def _validate_pruning_amount(amount, tensor_size):
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to "
                         f"prune={tensor_size}")


def _validate_structured_pruning(t):
    if len(t.shape) <= 1:
        raise ValueError("Structured pruning can only be applied to multidimensional tensors. "
                         f"Found tensor of shape {t.shape} with {len(t.shape)} dims")


def _compute_nparams_toprune(amount, tensor_size):
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _validate_pruning_dim(t, dim):
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t, n, dim):
    """The n-norm over every dimension but `dim`."""
    dims = [d for d in range(t.dim()) if d != dim % t.dim()]
    return torch.norm(t, p=n, dim=dims)
