"""SavedTensor: one tensor that a node keeps for its backward, and the hooks that may pack it.

Nodes of declared operators keep plain tuples (node.py, NOTE [saved values]). A SavedTensor takes
over only where something unusual is asked for: custom Functions, `saved_tensors_hooks`, and
`grad_fn._raw_saved_<name>`.

NOTE [packing]
    A pack hook gets the tensor that is saved, and what it returns is kept in its place. An
    output is passed without its history: the hook may keep it, and output -> node -> output
    would never die. What the unpack hook returns gets its place in the graph back here.
"""

from __future__ import annotations

import weakref

from .._state import features, set_recording, state
from .._tensor import Tensor, new
from .node import AccumulateGrad, edge, freed, stale

INFERENCE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference mode in computation tracked by autograd. To work around this, you can make a clone "
    "to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
    "`torch.inference_mode()`."
)
MODIFIED = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
    "hook cannot be modified by in-place operations as this can lead to unexpected side-effects. "
    "Please open an issue if you need to perform in-place operations on the input to a pack hook."
)


class SavedTensor:
    """A saved input (`tensor`) or output (`tensor` outside the graph) of a node.

    An output is kept as a detached tensor that shares its memory and version, see
    NOTE [saved values] in node.py.
    """

    __slots__ = ("_tensor", "_version", "_output_nr", "_unpack", "_packed", "_edge", "_node")

    def __init__(self, *args):
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @classmethod
    def of_input(cls, tensor):
        return cls._make(tensor, None)

    @classmethod
    def of_output(cls, tensor, output_nr):
        return cls._make(tensor.detach(), output_nr)

    @classmethod
    def _make(cls, tensor, output_nr):
        self = new(cls)
        self._tensor = tensor
        self._version = None if tensor is None else tensor._cell[0]
        self._output_nr = output_nr
        self._unpack = self._packed = self._edge = self._node = None
        if tensor is not None and not tensor._wrapped and state.saved_hooks:
            self._pack(*state.saved_hooks[-1])
        return self

    def _pack(self, pack, unpack):
        tensor = self._tensor
        self._edge = edge(tensor)  # holds the history, or the leaf, that the unpacked one gets
        version, before = tensor._version, state.grad
        try:
            set_recording(False)
            self._packed = pack(tensor)
        finally:
            state.grad = before              # first: see NOTE [interrupts]
            set_recording(before)
        if tensor._version != version:
            raise RuntimeError(MODIFIED)
        self._unpack = unpack
        self._tensor = None

    def get(self, node, name):
        """The tensor for `node`, which saved it under `name`."""
        if self._unpack is not None:
            return self._placed(node, self._unpacked())
        tensor = self._tensor
        if tensor is None:
            return None
        if self._output_nr is not None:
            tensor = self._placed(node, tensor)
        if tensor._cell[0] != self._version:
            stale(node, name, tensor, self._version)
        return tensor

    def _unpacked(self):
        value = self._unpack(self._packed)
        if not isinstance(value, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                f"type {type(value).__name__}"
            )
        return value

    def _placed(self, node, value):
        """`value` with the history of the tensor that was saved."""
        if self._output_nr is None and self._edge is None:
            return value
        t = value.detach()
        if self._output_nr is not None:
            t._grad_fn, t._output_nr = node, self._output_nr
            t._flags |= 1
            if node._tangents is not None:
                from ..ops.dual import give_kept_tangents

                give_kept_tangents(t, node)
            return t
        source, t._output_nr = self._edge
        t._flags |= 1
        if isinstance(source, AccumulateGrad):
            t._accumulator = weakref.ref(source)
        else:
            t._grad_fn = source
        return t

    # What users see, as `node._raw_saved_<name>`

    def register_hooks(self, *hooks) -> None:
        """Pack the tensor now by `hooks[0](tensor)`; `hooks[1]` gives it back when it is needed."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types "
                "are supported:\n    1. (self: torch._C._autograd.SavedTensor, arg0: "
                "collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
                f"Invoked with: {', '.join(map(repr, (self, *hooks)))}"
            )
        node = self._node and self._node()
        if node is None or node._saved is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved "
                "intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the "
                "graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        if self._unpack is not None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. "
                "Hint: only one pair of hooks is allowed at a time."
            )
        if self._tensor is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor with value None is forbidden"
            )
        self._pack(*hooks)

    def unpack(self):
        """The saved tensor, unpacked by its hook if it has one."""
        return self.get(self._owner(), "data")

    def _owner(self):
        """The node that saved this tensor; an error if that freed it."""
        node = self._node and self._node()
        if node is None or node._saved is None:
            freed(node)
        return node

    @property
    def data(self):
        """What is kept: the packed object, or the tensor."""
        return self._tensor if self._unpack is None else self._packed


def push_hooks(pack, unpack) -> None:
    """Let new nodes of this thread pack what they save."""
    if state.saved_hooks_disabled is not None:
        raise RuntimeError(state.saved_hooks_disabled)
    if not (callable(pack) and callable(unpack)):
        raise TypeError("saved_tensors_hooks: both hooks must be callable")
    features.count("recording", 1)
    state.saved_hooks.append((pack, unpack))


def pop_hooks() -> None:
    """Undo the last push_hooks; without one, do nothing."""
    if state.saved_hooks:
        state.saved_hooks.pop()
        features.count("recording", -1)
