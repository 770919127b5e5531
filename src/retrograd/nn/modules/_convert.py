"""Changing a whole module: the dtype, device and gradients of its tensors, and its mode."""
from __future__ import annotations

import warnings

import retrograd as torch
from retrograd import __future__
from retrograd._meta import NO_DATA
from retrograd.nn.parameter import Parameter, UninitializedBuffer


class Convert:
    """Changes in place; Parameters stay the same objects."""

    def _apply(self, fn, recurse=True):
        """Replace every tensor by `fn(tensor)`; Parameters stay the same objects."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for key, param in self._parameters.items():
            if param is not None:
                self._apply_parameter(key, param, fn)
        for key, buf in self._buffers.items():
            if isinstance(buf, UninitializedBuffer):
                buf.data = fn(buf)
            elif buf is not None:
                self._buffers[key] = fn(buf)
        return self

    def _apply_parameter(self, key, param, fn):
        with torch.no_grad():
            applied = fn(param)
        in_place = param.is_meta == applied.is_meta and \
            not __future__.get_overwrite_module_params_on_conversion()
        if in_place:
            param.data = applied
            kept = param
        else:
            kept = Parameter(applied, param.requires_grad)
            self._parameters[key] = kept
        if param.grad is None:
            return
        with torch.no_grad():
            grad = fn(param.grad)
        if in_place:
            param.grad.data = grad
        else:
            kept.grad = grad.requires_grad_(param.grad.requires_grad)

    def to(self, *args, **kwargs):
        """Convert in place: `to(device)`, `to(dtype)`, `to(device, dtype)`, `to(tensor)`.

        Only floating and complex tensors change dtype. Parameters stay the same objects, so that
        optimizers and hooks keep them. Returns self.

        Raises:
            TypeError: the dtype is neither floating nor complex.
            NotImplementedError: from "meta" to another device (see `to_empty`).

        >>> import retrograd as torch
        >>> torch.nn.Linear(2, 1).to(torch.float64).weight.dtype
        torch.float64
        """
        device, dtype, non_blocking, memory_format = _parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError("nn.Module.to only accepts floating point or complex "
                                f"dtypes, but got desired dtype={dtype}")
            if dtype.is_complex:
                warnings.warn(
                    "Complex modules are a new feature under active development whose design "
                    "may change, and some modules might not work as expected when using complex "
                    "tensors as parameters or buffers. Please file an issue at "
                    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
                    "if a complex module does not work as expected.", stacklevel=2)

        def convert(t):
            if t.is_meta and device is not None and device.type != "meta":
                raise NotImplementedError(
                    f"{NO_DATA} Please use torch.nn.Module.to_empty() instead of "
                    "torch.nn.Module.to() when moving module from meta to a different device.")
            kind = dtype if t.is_floating_point() or t.is_complex() else None
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device, kind, non_blocking, memory_format=memory_format)
            return t.to(device, kind, non_blocking)

        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        """Move to `device` with memory that is not filled: for modules made on "meta".

        >>> import retrograd as torch
        >>> net = torch.nn.Linear(2, 1, device="meta").to_empty(device="cpu")
        >>> net.weight.device, net.weight.shape
        (device(type='cpu'), torch.Size([1, 2]))
        """
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def cpu(self):
        """Move every parameter and buffer to the CPU; returns self."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Move every parameter and buffer to the GPU; there is none, so this raises."""
        return self._apply(lambda t: t.cuda(device))

    def type(self, dst_type):
        """Cast every parameter and buffer, integers too, to `dst_type`; returns self."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Cast the floating parameters and buffers to float32; returns self."""
        return self._cast_floating(torch.float)

    def double(self):
        """Cast the floating parameters and buffers to float64; returns self.

        >>> import retrograd as torch
        >>> torch.nn.Linear(2, 1).double().bias.dtype
        torch.float64
        """
        return self._cast_floating(torch.double)

    def half(self):
        """Cast the floating parameters and buffers to float16; returns self."""
        return self._cast_floating(torch.half)

    def bfloat16(self):
        """Cast the floating parameters and buffers to bfloat16 (an extra); returns self."""
        return self._cast_floating(torch.bfloat16)

    def _cast_floating(self, dtype):
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def requires_grad_(self, requires_grad=True):
        """Set requires_grad of every parameter; returns self. False freezes the module.

        >>> import retrograd as torch
        >>> torch.nn.Linear(2, 1).requires_grad_(False).weight.requires_grad
        False
        """
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Set the gradient of every parameter to None, or with set_to_none=False to zeros.

        >>> import retrograd as torch
        >>> net = torch.nn.Linear(2, 1)
        >>> net(torch.ones(2)).backward()
        >>> net.zero_grad()
        >>> net.bias.grad is None
        True
        """
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                if param.grad.grad_fn is not None:
                    param.grad.detach_()
                else:
                    param.grad.requires_grad_(False)
                param.grad.zero_()

    def share_memory(self):
        """Move every tensor into memory that child processes share; returns self."""
        return self._apply(lambda t: t.share_memory_())

    def train(self, mode=True):
        """Set training mode, here and in all submodules; returns self.

        Dropout and batch norm compute differently in training and in evaluation mode.

        >>> import retrograd as torch
        >>> net = torch.nn.Sequential(torch.nn.Dropout(0.5)).eval()
        >>> net[0].training, net.train()[0].training
        (False, True)
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Set evaluation mode: `train(False)`. Gradients are recorded as before.

        >>> import retrograd as torch
        >>> torch.nn.Dropout(0.5).eval()(torch.ones(3))
        tensor([1., 1., 1.])
        """
        return self.train(False)


def _parse_to(*args, device=None, dtype=None, non_blocking=False, copy=False,
              memory_format=None):
    """The arguments of Module.to as (device, dtype, non_blocking, memory_format).

    Positional: (device, dtype, non_blocking, copy), (dtype, non_blocking, copy) or
    (tensor, non_blocking, copy).
    """
    rest = list(args)
    first = rest[0] if rest else None
    if isinstance(first, torch.Tensor):
        rest.pop(0)
        device, dtype = first.device, first.dtype
    elif isinstance(first, torch.dtype):
        dtype = rest.pop(0)
    elif rest and (first is None or isinstance(first, (str, int, torch.device))) \
            and not isinstance(first, bool):
        device = rest.pop(0)
        if rest:
            dtype = rest.pop(0)
    flags_ok = len(rest) <= 2 and all(isinstance(flag, bool) for flag in rest)
    if not flags_ok or not (dtype is None or isinstance(dtype, torch.dtype)):
        raise TypeError("to() received an invalid combination of arguments - got "
                        f"({', '.join(type(a).__name__ for a in args)})")
    if rest:
        non_blocking = rest[0]
    if isinstance(device, (str, int)):
        device = torch.device(device)
    return device, dtype, non_blocking, memory_format
