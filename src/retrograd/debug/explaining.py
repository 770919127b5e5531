"""explain(t): what autograd will do, or has done, for one tensor, and why.

The answer is a list of plain sentences, the way from the loss to the tensor (or the place where it
is cut), and, after an error, what happened. It prints as text, shows as HTML in a notebook and is a
dictionary for programs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FrameType
from typing import Any, overload

from .._tensor import INFERENCE_TENSOR, Tensor
from ..autograd import explain as failures
from ..autograd.node import AccumulateGrad, Node, history
from ..nn.modules.module import Module
from . import breaks, reading
from .errors import required_late
from .names import Names
from .places import forget_locals, user_frames
from .stories import Story
from .words import counted


@dataclass
class Explanation:
    """What `explain` returns. `says` is the text, sentence by sentence."""

    name: str
    facts: dict[str, Any]
    says: list[str] = field(default_factory=list)
    path: list[dict[str, str]] = field(default_factory=list)
    cut: str = ""
    failure: str = ""

    @property
    def state(self) -> str:
        """In a few words, whether there is a gradient."""
        if not self.facts["requires_grad"]:
            return "frozen: requires_grad=False"
        if self.facts["grad"] is not None:
            return next(("gradient: " + s.partition("; ")[2].rstrip(".") for s in self.says
                         if "; its largest element" in s), "gradient")
        return "no gradient" + (", cut off" if self.cut else ", so far" if self.path else "")

    def to_dict(self) -> dict[str, Any]:
        """The same as plain lists, strings and numbers."""
        return {"name": self.name, **self.facts, "says": list(self.says), "path": list(self.path),
                "cut": self.cut, "failure": self.failure}

    def __str__(self):
        shape, dtype = self.facts["shape"], self.facts["dtype"]
        flags = ", ".join(f"{key}={self.facts[key]}" for key in ("is_leaf", "requires_grad",
                                                                   "retains_grad"))
        lines = [f"{self.name}: {dtype}, shape {tuple(shape)}, {flags}"]
        lines += ["  " + sentence for sentence in self.says]
        if self.path:
            lines.append("The way back from the loss:")
            width = max(len(step["operator"]) for step in self.path)
            lines += [f"  {step['operator']:{width}}  {step['line']}".rstrip()
                      for step in self.path]
        lines += [self.cut] if self.cut else []
        lines += ["The last error:", self.failure] if self.failure else []
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .pages import preformatted
        return preformatted(str(self))


@dataclass
class Overview:
    """What `explain` returns for a network: an Explanation of each parameter, by its path."""

    name: str
    parts: dict[str, Explanation]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain lists, strings and numbers."""
        return {"name": self.name, "parts": {k: e.to_dict() for k, e in self.parts.items()}}

    def __str__(self):
        lines = [f"{self.name}: {counted(len(self.parts), 'parameter')}"]
        width = max(map(len, self.parts), default=0)
        cuts: dict[str, str] = {}                # one of several that are cut off alike is shown
        for path, one in self.parts.items():
            lines.append(f"  {path:{width}}  {tuple(one.facts['shape'])}  {one.state}")
            if one.cut and one.facts["grad"] is None:
                cuts.setdefault(one.cut.partition("\n")[2], one.cut)
        return "\n".join([*lines, *cuts.values()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .pages import preformatted
        return preformatted(str(self))


@overload
def explain(t: Tensor, loss: Tensor | None = None) -> Explanation: ...
@overload
def explain(t: Module, loss: Tensor | None = None) -> Overview: ...
def explain(t: Any, loss: Tensor | None = None) -> Explanation | Overview:
    """Why `t.grad` is None, or what fills it; which way a gradient takes to it, or where it is cut.

    Of a Module the same for each of its parameters, in a line, and where those are cut off that
    got none.

    `loss` is where backward() starts; by default the newest result among the caller's variables
    that leads to `t`, or one that is called loss.

    >>> import retrograd as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> loss = (w * w).sum()
    >>> print(torch.debug.explain(w))
    w: torch.float32, shape (2,), is_leaf=True, requires_grad=True, retains_grad=False
      It is a leaf that requires grad: backward() adds its gradient to w.grad.
      w.grad is None so far.
      loss.backward() would fill it.
    The way back from the loss:
      loss
      sum()
      mul()
      w
    """
    if isinstance(t, Module):
        return overview_of(t, loss, user_frames())
    if not isinstance(t, Tensor):
        none = "; of a tensor whose .grad is None give the tensor itself" if t is None else ""
        raise TypeError(f"explain(): argument 't' must be Tensor, not {type(t).__name__}{none}")
    made = explanation_of(t, loss, user_frames())
    made.failure = failures.last_failure(t)
    forget_locals()
    return made


def overview_of(module: Module, loss: Tensor | None, frames: list[FrameType]) -> Overview:
    """An Explanation of each parameter of a network."""
    name = Names(frames).of(module) or type(module).__name__
    made = Overview(name, {path: explanation_of(p, loss, frames)
                           for path, p in module.named_parameters()})
    forget_locals()
    return made


def explanation_of(t: Tensor, loss: Tensor | None, frames: list[FrameType]) -> Explanation:
    """The same, as seen from these frames, without the last error."""
    names = Names(frames)
    name = names.of(t) or "t"
    forbidden = _why_forbidden(t)
    made = Explanation(name, {
        "shape": list(t._data.shape), "dtype": str(t.dtype), "is_leaf": not forbidden and t.is_leaf,
        "requires_grad": t.requires_grad, "retains_grad": t.retains_grad,
        "grad": None if t._grad is None else "filled"})
    if forbidden:
        made.says.append(f"It cannot be used any more: {forbidden}")
    elif not t.requires_grad:
        _not_tracked(made, t, name, frames[0])
    else:
        _tracked(made, t, name)
        _way(made, t, name, names, loss, frames[0])
    return made


def _why_forbidden(t: Tensor) -> str:
    """What is said of a view that was left behind by a write to its base; "" of any other tensor.
    """
    try:
        t.is_leaf                                                        # noqa: B018
    except RuntimeError as error:
        return str(error)
    return ""


def _not_tracked(made: Explanation, t: Tensor, name: str, frame: FrameType) -> None:
    say = made.says.append
    if t._flags & INFERENCE_TENSOR:
        say("It was made in torch.inference_mode(): nothing is recorded for it, ever.")
        say(f"For a tensor that can take part in training: `{name}.clone()` outside of that mode.")
        return
    if t._data.dtype.kind in "biu":
        say(f"Its elements are {t.dtype}: whole numbers and True/False have no gradient.")
        return
    say(f"It does not require grad, so {name}.grad is None and stays None.")
    found, _ = breaks.find_named(frame, name) if name.isidentifier() else (None, None)
    if found is not None:
        story = Story(f"`{name}` was cut from what it was computed from:")
        story.cut_at(found)
        made.cut = str(story)
    else:
        say(f"To get a gradient: `{name}.requires_grad_()` before anything is computed from it.")


def _tracked(made: Explanation, t: Tensor, name: str) -> None:
    say = made.says.append
    if t.is_leaf:
        say(f"It is a leaf that requires grad: backward() adds its gradient to {name}.grad.")
    elif t.retains_grad:
        say(f"It was computed ({reading.operator_name(t.grad_fn)}()), and retain_grad() was "
            f"called: backward() sets {name}.grad too.")
    else:
        say(f"It was computed ({reading.operator_name(t.grad_fn)}()): its gradient is passed on "
            f"and not kept, {name}.grad stays None.")
        say(f"To keep it: `{name}.retain_grad()` before backward().")
    if t._grad is not None:
        array = reading.numbers(t._grad._data)
        largest = float(abs(array).max()) if array.size else 0.0
        say(f"{name}.grad is filled; its largest element is {largest:.4g} in size.")
        if (array != array).any():
            say("It holds nan: `retrograd doctor` finds the operator where that began.")
    elif t.is_leaf or t.retains_grad:
        say(f"{name}.grad is None: no backward() has reached it.")


def _way(made: Explanation, t: Tensor, name: str, names: Names, loss: Tensor | None,
         frame: FrameType) -> None:
    """The path from a result to `t`, or what cuts it."""
    results = [loss] if loss is not None else _results(names, t)
    if any(_tell_path(made, t, name, names, result) for result in results):
        return
    losses = [r for r in results if "loss" in (names.of(r) or "")] or results[:1]
    if any(_tell_cut(made, t, name, names.of(result), frame) for result in losses) or not losses:
        return
    called = names.of(losses[0])
    late = required_late(frame, called or "")
    if late is not None and late[1] == name:
        story = Story(f"`{called}` was computed when `{name}` did not require grad:")
        story.add(late[0], f"that comes here, and `{called}` had been computed by then")
        story.cure = f"`{name}.requires_grad_()` before anything is computed from it."
        made.cut = str(story)
    elif t.is_leaf:
        made.says.append(f"`{called}` was not computed from it: backward() there will leave it "
                         "alone.")


def _tell_path(made: Explanation, t: Tensor, name: str, names: Names, result: Tensor) -> bool:
    """Whether a path leads from `result` to `t`; what backward() would do along it."""
    start = history(result)
    way = [] if start is None else reading.path(start, history(t))
    if not way:
        return False
    called = names.of(result) or "the loss"
    if t._grad is None and (t.is_leaf or t.retains_grad):
        made.says[-1] = f"{name}.grad is None so far."
        made.says.append(f"{called}.backward() would fill it.")
    if any(reading.is_freed(n) and reading.keeps(n) for n in way):
        made.says.append(f"A backward() has already gone through the graph of {called}: "
                         "compute it again before the next one.")
    made.path = [{"operator": called, "line": ""}] + [_step(n, t, name) for n in way]
    return True


def _tell_cut(made: Explanation, t: Tensor, name: str, called: str | None,
              frame: FrameType) -> bool:
    """Whether the way from the variable `called` to `t` was cut on a line that is to be seen."""
    if not called or not called.isidentifier():
        return False
    cut = breaks.find_between(frame, called, t)
    if cut is None:
        return False
    story = Story(f"`{called}` was computed from `{name}`, but the way back is cut:")
    story.cut_at(cut)
    made.cut = str(story)
    return True


def _results(names: Names, t: Tensor) -> list[Tensor]:
    """The computed tensors among the variables: those called loss first, then the newest."""
    found = [r for r in names.objects.values() if isinstance(r, Tensor) and r is not t
             and reading.head(r) is not None]
    return sorted(found, key=lambda r: ("loss" not in (names.of(r) or ""), -r.grad_fn._seq))


def _step(node: Node, t: Tensor, name: str) -> dict[str, str]:
    """One node of the path, as text."""
    if isinstance(node, AccumulateGrad):
        return {"operator": name if node.variable is t else "a leaf", "line": ""}
    where = reading.place_of(node)
    return {"operator": reading.operator_name(node) + "()",
            "line": "" if where is None else f"{where}  {where.text}"}
