"""state_dict and load_state_dict: the part of Module that turns it into names and tensors."""
from __future__ import annotations

import itertools
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

import retrograd as torch
from retrograd.nn.modules._hooks import _register, _WrappedHook
from retrograd.nn.parameter import Parameter, is_lazy

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _explained(text, state_dict, missing):
    """The error of load_state_dict, and what to do where names differ by a prefix alone, or stand
    in an entry of what is loaded."""
    for key, entry in state_dict.items():
        if isinstance(entry, Mapping) and any(name in entry for name in missing):
            return (f"{text}\n\nWhat is loaded is a checkpoint with entries of its own.\n"
                    f"Cure: load the one with these keys, `state[{key!r}]`.")
    from retrograd.debug.sentences import different_keys
    why, cure = different_keys(text)
    return f"{text}\n\n{why[0].upper()}{why[1:]}.\nCure: {cure}." if why else text


class StateDict:
    """Saving and loading of a module's parameters and persistent buffers by name."""

    _version = 1

    def get_extra_state(self):
        """Override it to keep more than tensors in the state_dict.

        What it returns is an entry of the state_dict; `set_extra_state` gets it back in
        load_state_dict. A class that defines one of the two defines both.

        >>> import retrograd as torch
        >>> class Counted(torch.nn.Module):
        ...     steps = 3
        ...     def get_extra_state(self):
        ...         return {"steps": self.steps}
        ...     def set_extra_state(self, state):
        ...         self.steps = state["steps"]
        >>> dict(Counted().state_dict())
        {'_extra_state': {'steps': 3}}
        """
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. "
            "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template="
            "bug-report.yml to report this bug."
        )

    def set_extra_state(self, state):
        """Override it to take back what `get_extra_state` returned."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. "
            "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template="
            "bug-report.yml to report this bug."
        )

    def _keeps_extra_state(self, method):
        return getattr(type(self), method, None) is not getattr(StateDict, method)

    # ------------------------------------------------------------------ saving
    def _register_state_dict_hook(self, hook):
        """`hook(module, state_dict, prefix, local_metadata)` after state_dict; may replace it."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was "
                "previously registered via register_state_dict_post_hook"
            )
        return _register(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """Call `hook(module, state_dict, prefix, local_metadata)` after state_dict()."""
        hook._from_public_api = True
        return _register(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook):
        """Call `hook(module, prefix, keep_vars)` before state_dict()."""
        return _register(self._state_dict_pre_hooks, hook)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Put this module's own tensors, not its children's, into `destination`."""
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buf in self._buffers.items():
            if buf is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buf if keep_vars else buf.detach()
        if self._keeps_extra_state("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """The parameters and persistent buffers by dotted name, in an OrderedDict.

        Args:
            destination: a dict to fill instead of a new one.
            prefix: put before every name.
            keep_vars: give the tensors themselves; else they are detached (sharing memory).

        >>> import retrograd as torch
        >>> list(torch.nn.Linear(2, 1).state_dict())
        ['weight', 'bias']
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html"
                "#torch.nn.Module.state_dict for details.",
                FutureWarning, stacklevel=2,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            destination = given["destination"] if destination is None else destination
            prefix = given.get("prefix", prefix) if prefix == "" else prefix
            keep_vars = given.get("keep_vars", keep_vars) if keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = dict(version=self._version)
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".",
                                  keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, local_metadata)
            if getattr(hook, "_from_public_api", False):
                if replaced is not None:
                    raise RuntimeError("state_dict post-hook must return None")
            elif replaced is not None:
                destination = replaced
        return destination

    # ------------------------------------------------------------------ loading
    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        wrapped = _WrappedHook(hook, self if with_module else None)
        return _register(self._load_state_dict_pre_hooks, wrapped)

    def register_load_state_dict_pre_hook(self, hook):
        """Call `hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)` before this module takes its tensors."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook):
        """Call `hook(module, incompatible_keys)` after load_state_dict; it may edit them."""
        return _register(self._load_state_dict_post_hooks, hook)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict,
                              missing_keys, unexpected_keys, error_msgs):
        """Take this module's own tensors out of `state_dict`, noting what is missing or wrong."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                 error_msgs)
        persistent = ((k, v) for k, v in self._buffers.items()
                      if k not in self._non_persistent_buffers_set)
        own = {k: v for k, v in itertools.chain(self._parameters.items(), persistent)
               if v is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, param in own.items():
            key = prefix + name
            if key in state_dict:
                problem = self._load_one(name, param, key, state_dict[key], assign)
                if problem:
                    error_msgs.append(problem)
            elif strict:
                missing_keys.append(key)
        self._load_extra(state_dict, prefix, strict, missing_keys, unexpected_keys)
        if strict:
            self._note_unexpected(state_dict, prefix, own, unexpected_keys)

    def _load_one(self, name, param, key, given, assign):
        """Copy or assign one tensor; the text of what went wrong, or None."""
        if not isinstance(given, torch.Tensor):
            return (f'While copying the parameter named "{key}", expected torch.Tensor or '
                    f"Tensor-like object from checkpoint but received {type(given)}")
        lazy = is_lazy(param)
        # checkpoints of very old versions keep scalars with one dimension
        if not lazy and len(param.shape) == 0 and len(given.shape) == 1:
            given = given[0]
        if not lazy and given.shape != param.shape:
            return (f"size mismatch for {key}: copying a param with shape {given.shape} from "
                    f"checkpoint, the shape in current model is {param.shape}.")
        if param.is_meta and not given.is_meta and not assign:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta "
                "parameter in the current model, which is a no-op. (Did you mean to "
                "pass `assign=True` to assign items in the state dictionary to their "
                "corresponding key in the module instead of copying them in place?)",
                stacklevel=4,
            )
        try:
            with torch.no_grad():
                if assign:
                    self._assign_one(name, param, given)
                elif not lazy:               # else of both: what is given has a shape for it
                    param.copy_(given)
        except Exception as error:    # any failure is reported with the key's name
            return (f'While copying the parameter named "{key}", '
                    f"whose dimensions in the model are {param.size()} and "
                    f"whose dimensions in the checkpoint are {given.size()}, "
                    f"an exception occurred : {error.args}.")
        return None

    def _assign_one(self, name, param, given):
        if isinstance(param, Parameter):
            if not isinstance(given, Parameter):
                given = Parameter(given, requires_grad=param.requires_grad)
            else:
                given._set_requires_grad(param.requires_grad)
        setattr(self, name, given)

    def _load_extra(self, state_dict, prefix, strict, missing_keys, unexpected_keys):
        key = prefix + _EXTRA_STATE_KEY_SUFFIX
        if self._keeps_extra_state("set_extra_state"):
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        elif strict and key in state_dict:
            unexpected_keys.append(key)

    def _note_unexpected(self, state_dict, prefix, own, unexpected_keys):
        for key in state_dict:
            if key.startswith(prefix) and key != prefix + _EXTRA_STATE_KEY_SUFFIX:
                first, *rest = key[len(prefix):].split(".", 1)
                if first not in self._modules if rest else first not in own:
                    unexpected_keys.append(key)

    def _load_tree(self, state_dict, prefix, metadata, assign, problems):
        """Load this module and its children, whose names begin with `prefix`."""
        local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
        if assign:
            local_metadata["assign_to_params_buffers"] = assign
        self._load_from_state_dict(state_dict, prefix, local_metadata, True, *problems)
        for name, child in self._modules.items():
            if child is not None:
                below = prefix + name + "."
                part = {k: v for k, v in state_dict.items() if k.startswith(below)}
                child._load_tree(part, below, metadata, assign, problems)
        incompatible = _IncompatibleKeys(*problems[:2])
        for hook in self._load_state_dict_post_hooks.values():
            if hook(self, incompatible) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                    "expected to return new values, if incompatible_keys need to be modified, "
                    "it should be done inplace."
                )

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy the tensors of `state_dict` into this module and its children.

        Args:
            state_dict: names to tensors, as `state_dict()` gives them.
            strict: whether missing or unexpected names are an error.
            assign: put the given tensors in place of the module's instead of copying.

        Returns:
            a named tuple `(missing_keys, unexpected_keys)`.

        Raises:
            TypeError: `state_dict` is not a mapping.
            RuntimeError: names do not match under `strict`, or shapes differ.

        >>> import retrograd as torch
        >>> net = torch.nn.Linear(1, 1)
        >>> net.load_state_dict({"weight": torch.tensor([[2.0]]), "bias": torch.tensor([1.0])})
        <All keys matched successfully>
        >>> net(torch.tensor([3.0])).item()
        7.0
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing_keys, unexpected_keys, error_msgs = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata

        problems = (missing_keys, unexpected_keys, error_msgs)
        self._load_tree(state_dict, "", metadata, assign, problems)
        if strict:
            for what, keys in (("Unexpected", unexpected_keys), ("Missing", missing_keys)):
                if keys:
                    names = ", ".join(f'"{k}"' for k in keys)
                    error_msgs.insert(0, f"{what} key(s) in state_dict: {names}. ")
        if error_msgs:
            text = "Error(s) in loading state_dict for {}:\n\t{}".format(
                self.__class__.__name__, "\n\t".join(error_msgs))
            raise RuntimeError(_explained(text, state_dict, missing_keys))
        return _IncompatibleKeys(missing_keys, unexpected_keys)
