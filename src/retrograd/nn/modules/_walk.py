"""Going over a module: its parameters, buffers and submodules, in order and by name."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from retrograd.nn.parameter import Parameter

if TYPE_CHECKING:
    from retrograd import Tensor
    from retrograd.nn.modules.module import Module


class Walk:
    """Members of a module and of all below it."""

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = (self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
                   if recurse else [(prefix, self)])
        for module_prefix, module in modules:
            for name, member in get_members_fn(module):
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield module_prefix + ("." if module_prefix else "") + name, member

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Every parameter once, the module's own first, then those of its children.

        >>> import retrograd as torch
        >>> net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
        >>> [tuple(p.shape) for p in net.parameters()]
        [(4, 3), (4,), (1, 4), (1,)]
        """
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix: str = "", recurse: bool = True,
                         remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Every (dotted name, parameter); a shared one under its first name only.

        >>> import retrograd as torch
        >>> net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh())
        >>> [name for name, _ in net.named_parameters()]
        ['0.weight', '0.bias']
        """
        yield from self._named_members(lambda module: module._parameters.items(),
                                       prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Every buffer once, the module's own first, then those of its children.

        >>> import retrograd as torch
        >>> list(torch.nn.BatchNorm1d(2, track_running_stats=True).buffers())
        [tensor([0., 0.]), tensor([1., 1.]), tensor(0)]
        """
        for _, buf in self.named_buffers(recurse=recurse):
            yield buf

    def named_buffers(self, prefix: str = "", recurse: bool = True,
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Every (dotted name, buffer); a shared one under its first name only.

        >>> import retrograd as torch
        >>> [name for name, _ in torch.nn.BatchNorm1d(2).named_buffers()]
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        yield from self._named_members(lambda module: module._buffers.items(),
                                       prefix, recurse, remove_duplicate)

    def children(self) -> Iterator[Module]:
        """The immediate submodules, each once.

        >>> import retrograd as torch
        >>> list(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()).children())
        [ReLU(), Tanh()]
        """
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The immediate submodules as (name, module), each once.

        >>> import retrograd as torch
        >>> list(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()).named_children())
        [('0', ReLU()), ('1', Tanh())]
        """
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all below it, each once.

        >>> import retrograd as torch
        >>> net = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU()))
        >>> [type(module).__name__ for module in net.modules()]
        ['Sequential', 'Sequential', 'ReLU']
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo: set[Module] | None = None, prefix: str = "",
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """(dotted name, module) of this module, whose name is '', and of all below it.

        Args:
            memo: modules that are already known and left out.
            prefix: put before every name.
            remove_duplicate: give a shared module under its first name only.

        >>> import retrograd as torch
        >>> net = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU()))
        >>> [name for name, _ in net.named_modules()]
        ['', '0', '0.0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self  # pyright: ignore  (whoever walks is a Module)
        for name, module in self._modules.items():
            if module is not None:
                below = prefix + ("." if prefix else "") + name
                yield from module.named_modules(memo, below, remove_duplicate)

    def apply(self, fn: Any) -> Any:
        """Call `fn(module)` on every module below and last on this one; returns self.

        >>> import retrograd as torch
        >>> def zero_bias(module):
        ...     if isinstance(module, torch.nn.Linear):
        ...         torch.nn.init.zeros_(module.bias)
        >>> net = torch.nn.Sequential(torch.nn.Linear(3, 2)).apply(zero_bias)
        >>> net[0].bias.tolist()
        [0.0, 0.0]
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def get_submodule(self, target: str) -> Module:
        """The submodule at the dotted path `target`; the module itself for ''.

        Raises AttributeError where there is none.

        >>> import retrograd as torch
        >>> net = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU()))
        >>> net.get_submodule("0.0")
        ReLU()
        """
        module = self
        for part in target.split(".") if target else ():
            if not hasattr(module, part):
                raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Walk):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module  # pyright: ignore

    def set_submodule(self, target, module, strict=False):
        """Put `module` at the dotted path `target`.

        Raises ValueError for an empty path and for what is not a Module; AttributeError where the
        path leads through something else, or with `strict` if there is no submodule to replace.

        >>> import retrograd as torch
        >>> net = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU()))
        >>> net.set_submodule("0.0", torch.nn.Tanh())
        >>> net[0]
        Sequential(
          (0): Tanh()
        )
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        if not isinstance(module, Walk):
            raise ValueError(
                f"`module` is not an nn.Module, found {type(module)}"
            )
        if "." not in target and strict and not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Walk):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The Parameter at the dotted path `target`; AttributeError where there is none.

        >>> import retrograd as torch
        >>> torch.nn.Sequential(torch.nn.Linear(3, 2)).get_parameter("0.weight").shape
        torch.Size([2, 3])
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        param = getattr(module, name)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at the dotted path `target`; AttributeError where there is none.

        >>> import retrograd as torch
        >>> torch.nn.Sequential(torch.nn.BatchNorm1d(2)).get_buffer("0.running_mean")
        tensor([0., 0.])
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return getattr(module, name)
