"""Optimizer: parameter groups, per-parameter state, hooks and state dictionaries.

What an update computes is not here: see `_rule.py` and one file for each method.
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any, TypeAlias

import retrograd as rg

from .._tensor import Tensor
from ..autograd.explain import with_explanation
from ..autograd.grad_mode import set_grad_enabled
from ..utils.hooks import RemovableHandle

__all__ = [
    "Optimizer",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
]

ParamsT: TypeAlias = "Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]"
params_t = ParamsT
StateDict: TypeAlias = dict[str, Any]

_global_optimizer_pre_hooks: dict[int, Callable] = OrderedDict()
_global_optimizer_post_hooks: dict[int, Callable] = OrderedDict()


class _RequiredParameter:
    """The default of a setting that every parameter group must give itself."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def register_optimizer_step_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before the step of every optimizer.

    A hook that returns `(args, kwargs)` replaces them; None leaves them.

    >>> import retrograd as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> register = torch.optim.optimizer.register_optimizer_step_pre_hook
    >>> handle = register(lambda optimizer, args, kwargs: print("about to step"))
    >>> optimizer.step()
    about to step
    >>> handle.remove()
    """
    return _add_hook(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after the step of every optimizer.

    >>> import retrograd as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> register = torch.optim.optimizer.register_optimizer_step_post_hook
    >>> handle = register(lambda optimizer, *_: print(type(optimizer).__name__, "stepped"))
    >>> optimizer.step()
    SGD stepped
    >>> handle.remove()
    """
    return _add_hook(_global_optimizer_post_hooks, hook)


def _add_hook(hooks: dict[int, Callable], hook: Callable, prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)  # type: ignore[attr-defined]
    return handle


# PyTorch's private helpers, under its names: optimizers in other libraries import them.

def _use_grad_for_differentiable(step: Callable) -> Callable:
    """Run `step` with recording on exactly where `differentiable=True` asks for it."""

    @functools.wraps(step)
    def with_grad_mode(self, *args, **kwargs):
        with set_grad_enabled(self.defaults["differentiable"]):
            return step(self, *args, **kwargs)

    return with_grad_mode


def _to_scalar(x: Any) -> Any:
    """A one-element Tensor as 0-d; anything else unchanged."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def _get_value(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor) else x


def _get_scalar_dtype(is_fused: bool | None = None) -> Any:
    """The dtype of step counts: float64 where that is the default dtype, else float32."""
    if not is_fused and rg.get_default_dtype() == rg.float64:
        return rg.float64
    return rg.float32


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    return []


def _default_to_fused_or_foreach(params: list[Tensor], differentiable: bool,
                                 use_fused: bool = False) -> tuple[bool, bool]:
    """(fused, foreach) where a program has chosen neither."""
    return use_fused and not differentiable and all(p.is_floating_point() for p in params), False


def _typename(x: object) -> str:
    return rg.typename(x)


def _run_pre_hooks(optimizer: Optimizer, step: Callable, args: tuple, kwargs: dict) -> tuple:
    own = optimizer._optimizer_step_pre_hooks
    for hook in chain(list(_global_optimizer_pre_hooks.values()), list(own.values())):
        result = hook(optimizer, args, kwargs)
        if result is None:
            continue
        if not (isinstance(result, tuple) and len(result) == 2):
            raise RuntimeError(
                f"{step} must return None or a tuple of (new_args, new_kwargs), but got {result}."
            )
        args, kwargs = result
    return args, kwargs


class Optimizer:
    """Base class of all optimizers.

    Args:
        params: Tensors, `(name, Tensor)` pairs, or dicts, each a group: its `"params"` and
            the settings in which it differs from `defaults`.
        defaults: the settings of groups that do not give their own.

    Raises:
        TypeError: `params` is a Tensor, is unordered or holds something else than Tensors.
        ValueError: no parameters, a non-leaf, a parameter in two groups, or a missing setting.

    A subclass defines `step`. `state` maps each parameter to the dictionary that the method
    keeps for it; `param_groups` are the groups, their settings filled in.

    >>> import retrograd as torch
    >>> class Descent(torch.optim.Optimizer):
    ...     def __init__(self, params, lr):
    ...         super().__init__(params, dict(lr=lr))
    ...     @torch.no_grad()
    ...     def step(self):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p -= group["lr"] * p.grad
    >>> w = torch.tensor([3.], requires_grad=True)
    >>> (w * w).backward()
    >>> Descent([w], lr=0.1).step(); w
    tensor([2.4000], requires_grad=True)
    """

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hook_dicts()
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be "
                "an iterable of Tensors or dicts, but got " + _typename(params) +
                "\n\nCure: put it into a list, `[w]`."
            )
        self.state: defaultdict[Tensor, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        try:
            groups: list[Any] = list(params)
        except TypeError as error:
            if hasattr(params, "parameters"):                # a Module instead of its parameters
                error.args = (f"{error}\n\nCure: give its parameters, `net.parameters()`.",)
            raise
        if not groups:
            raise ValueError(with_explanation("optimizer got an empty parameter list",
                                              "nothing_to_optimize"))
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hook_dicts(self) -> None:
        for name in (
            "_optimizer_step_pre_hooks",
            "_optimizer_step_post_hooks",
            "_optimizer_state_dict_pre_hooks",
            "_optimizer_state_dict_post_hooks",
            "_optimizer_load_state_dict_pre_hooks",
            "_optimizer_load_state_dict_post_hooks",
        ):
            self.__dict__.setdefault(name, OrderedDict())

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hook_dicts()
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        groups = []
        for i, group in enumerate(self.param_groups):
            lines = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            groups.append(f"Parameter Group {i}\n" + "".join(lines))
        return type(self).__name__ + " (\n" + "\n".join(groups) + ")"

    # ---- steps and their hooks

    @staticmethod
    def profile_hook_step(func: Callable) -> Callable:
        """Wrap a `step` so that the hooks of its optimizer, and the global ones, surround it."""

        @functools.wraps(func)
        def step(*args, **kwargs):
            self = args[0]
            if _global_optimizer_pre_hooks or self._optimizer_step_pre_hooks:
                args, kwargs = _run_pre_hooks(self, func, args, kwargs)
            out = func(*args, **kwargs)
            if _global_optimizer_post_hooks or self._optimizer_step_post_hooks:
                own = list(self._optimizer_step_post_hooks.values())
                for hook in own + list(_global_optimizer_post_hooks.values()):
                    hook(self, args, kwargs)
            return out

        return step

    def _patch_step_function(self) -> None:
        """Give the class's `step` its hooks, once for each class that defines one."""
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = self.profile_hook_step(cls.step)  # type: ignore[method-assign]
            cls.step.hooked = True  # type: ignore[attr-defined]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once. Defined by subclasses.

        Args:
            closure: called first, with recording on, to compute the loss again and its gradients.

        Returns:
            The closure's loss, or None without one.

        >>> import retrograd as torch
        >>> w = torch.tensor([3.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w.detach()
        tensor([2.4000])
        """
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step.

        If the hook returns `(args, kwargs)`, they replace the arguments of the call. The handle
        that is returned here has `remove()`.

        >>> import retrograd as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_step_pre_hook(lambda *args: print("about to step"))
        >>> optimizer.step()
        about to step
        """
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step.

        >>> import retrograd as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_step_post_hook(lambda *args: print("stepped"))
        >>> optimizer.step()
        stepped
        """
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` before `state_dict` collects anything.

        >>> import retrograd as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_state_dict_pre_hook(lambda optimizer: print("saving"))
        >>> _ = optimizer.state_dict()
        saving
        """
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[[Optimizer, StateDict], StateDict | None], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` on a new `state_dict`, to replace it.

        >>> import retrograd as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> def add_note(optimizer, state_dict):
        ...     return {**state_dict, "note": "warmup"}
        >>> handle = optimizer.register_state_dict_post_hook(add_note)
        >>> list(optimizer.state_dict())
        ['state', 'param_groups', 'note']
        """
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[[Optimizer, StateDict], StateDict | None], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` on a shallow copy of what is loaded.

        >>> import retrograd as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_load_state_dict_pre_hook(
        ...     lambda optimizer, state_dict: print(list(state_dict)))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        ['state', 'param_groups']
        """
        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` after `load_state_dict`.

        >>> import retrograd as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_load_state_dict_post_hook(lambda optimizer: print("loaded"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        loaded
        """
        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # ---- gradients

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters.

        Args:
            set_to_none: set `.grad` to None (a step then skips the parameter); with False, fill
                it with zeros in place (a step then updates with a zero gradient).

        >>> import retrograd as torch
        >>> w = torch.tensor([3.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.zero_grad()
        >>> print(w.grad)
        None
        """
        for group in self.param_groups:
            for p in group["params"]:
                grad = p._grad
                if grad is None:
                    continue
                if set_to_none:
                    p._grad = None
                    continue
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad._set_requires_grad(False)
                grad.zero_()

    # ---- groups

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Optimize further parameters, with settings of their own.

        Args:
            param_group: `{"params": Tensors or (name, Tensor) pairs, setting: value, ...}`.

        Raises:
            TypeError: `param_group` is not a dict, or its parameters are unordered or no Tensors.
            ValueError: a non-leaf, a parameter of another group, or a missing setting.

        >>> import retrograd as torch
        >>> body, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
        >>> optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
        >>> optimizer.add_param_group({"params": head.parameters(), "lr": 0.5})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.5]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        _normalize_params(param_group)
        for p in param_group["params"]:
            self._check_param(p)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    "parameter group didn't specify a value of required optimization "
                    f"parameter {name}"
                )
            param_group.setdefault(name, default)
        params = param_group["params"]
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; "
                "in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        self._check_against_groups(param_group)
        self.param_groups.append(param_group)

    def _check_param(self, p: Any) -> None:
        if not isinstance(p, Tensor):
            raise TypeError(
                "optimizer can only optimize Tensors, but one of the params is " + _typename(p)
            )
        if not (self.defaults.get("differentiable") or p.is_leaf or p.retains_grad):
            raise ValueError(with_explanation("can't optimize a non-leaf Tensor",
                                              "computed_parameter", p))

    def _check_against_groups(self, new: dict[str, Any]) -> None:
        seen: set[Tensor] = set()
        for group in self.param_groups:
            seen.update(group["params"])
            if ("param_names" in new) != ("param_names" in group):
                which = "with" if "param_names" in new else "without"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {which} names to the optimizer"
                )
        if not seen.isdisjoint(new["params"]):
            raise ValueError("some parameters appear in more than one parameter group")

    # ---- state dictionaries

    def state_dict(self) -> StateDict:
        """The state and the settings, with parameters replaced by their numbers.

        Returns:
            `{"state": {number: state}, "param_groups": [settings and "params": numbers]}`;
            the Tensors are the optimizer's own, not copies.

        >>> import retrograd as torch
        >>> w = torch.ones(1, requires_grad=True)
        >>> state = torch.optim.SGD([w], lr=0.1).state_dict()
        >>> state["state"], state["param_groups"][0]["lr"], state["param_groups"][0]["params"]
        ({}, 0.1, [0])
        """
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            numbers.update({id(p): i for i, p in enumerate(group["params"], start)
                            if id(p) not in numbers})         # of one twice in a group, the last
            start += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {
            numbers[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        result: StateDict = {"state": state, "param_groups": groups}
        for hook in list(self._optimizer_state_dict_post_hooks.values()):
            replaced = hook(self, result)
            if replaced is not None:
                result = replaced
        return result

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Take over the state and the settings of a `state_dict`.

        Parameters are matched by their order. Tensors are cast to the dtype of their parameter,
        except for step counts. Names of parameters that the optimizer has stay, if the
        `state_dict` has none.

        Raises:
            ValueError: the number of groups, or of parameters in one of them, differs.

        >>> import retrograd as torch
        >>> w = torch.ones(1, requires_grad=True)
        >>> first, second = torch.optim.SGD([w], lr=0.1), torch.optim.SGD([w], lr=0.5)
        >>> second.load_state_dict(first.state_dict())
        >>> second.param_groups[0]["lr"]
        0.1
        """
        state_dict = state_dict.copy()
        for hook in list(self._optimizer_load_state_dict_pre_hooks.values()):
            replaced = hook(self, state_dict)
            if replaced is not None:
                state_dict = replaced
        groups = self.param_groups
        saved = deepcopy(state_dict["param_groups"])
        _check_same_layout(groups, saved)
        params = chain.from_iterable(g["params"] for g in groups)
        numbers = chain.from_iterable(g["params"] for g in saved)
        by_number = dict(zip(numbers, params, strict=True))

        state: defaultdict[Any, Any] = defaultdict(dict)
        for number, value in state_dict["state"].items():
            if number in by_number:
                group = _group_of(number, state_dict["param_groups"])
                p = by_number[number]
                state[p] = _cast_state(p, value, group)
            else:
                state[number] = value
        for group, new in zip(groups, saved, strict=True):
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)


def _normalize_params(group: dict[str, Any]) -> None:
    """Make `group["params"]` a list of parameters, their names moved to `"param_names"`."""
    params = group["params"]
    if isinstance(params, Tensor):
        group["params"] = [params]
        return
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but "
            "the ordering of tensors in sets will change between runs. "
            "Please use a list instead."
        )
    params = list(params)
    names = [item[0] for item in params if isinstance(item, tuple)]
    group["params"] = [item[1] if isinstance(item, tuple) else item for item in params]
    if names:
        if len(names) != len(params):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        group["param_names"] = names


def _check_same_layout(groups: list[dict], saved: list[dict]) -> None:
    if len(groups) != len(saved):
        raise ValueError("loaded state dict has a different number of parameter groups")
    if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, saved, strict=True)):
        raise ValueError(
            "loaded state dict contains a parameter group "
            "that doesn't match the size of optimizer's group"
        )


def _group_of(number: Any, groups: list[dict]) -> dict:
    return next((group for group in groups if number in group["params"]), {})


def _cast_state(p: Tensor, value: Any, group: dict, key: Any = None) -> Any:
    """A copy of `value` with its Tensors cast as `p` and its settings ask for."""
    if isinstance(value, Tensor):
        if key == "step":
            same = not (group.get("capturable") or group.get("fused"))
            return value if same else value.to(dtype=rg.float32)
        return value.to(dtype=p.dtype) if p.is_floating_point() else value
    if isinstance(value, dict):
        return {k: _cast_state(p, v, group, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_cast_state(p, v, group) for v in value)  # type: ignore[call-arg]
    return value
