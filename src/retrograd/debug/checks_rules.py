"""Checks of lines that break rules: of custom Functions, the order of returns, or buffers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .._tensor import Tensor
from ..autograd.node import Node
from ..distributions import Categorical, Distribution
from ..nn.modules.module import Module
from . import reading
from . import source as S
from .check import Check, only
from .checks_scores import is_rearranged, scores_of
from .checks_settings import OfPasses
from .places import Place, is_our_class, of_frame, user_frames
from .programs import called_name

NO_WRITE = ("requires_grad_", "retain_grad_")    # methods with "_" that change no element
SOFTMAX_OF = ("SoftmaxBackward0", "SigmoidBackward0")


class RulesOfFunctions(OfPasses):
    """A custom Function that changes in place what it is given, or keeps its result in `ctx`."""

    def read(self, source: S.Source) -> None:
        for node in source.nodes:
            if isinstance(node, ast.ClassDef) and any(S.dotted(base).split(".")[-1] == "Function"
                                                      for base in node.bases):
                methods = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
                if {"forward", "backward"} <= methods.keys():
                    self.changed_input(source, node, methods["forward"])
                    self.changed_gradient(source, methods["backward"])
                    self.kept_result(source, methods["forward"])

    def changed_input(self, source: S.Source, kind: ast.ClassDef, forward: Any) -> None:
        if any(isinstance(n, ast.Call) and called_name(n) == "mark_dirty" for n in ast.walk(kind)):
            return
        returned = {ast.unparse(n) for n in results(forward)}
        for name, line in writes(forward):
            if not isinstance(line, ast.AugAssign) or name in returned:      # n += 1 of a number
                self.find(source.place(line), "function-in-place", f"forward() of the Function "
                          f"{kind.name} changes its argument `{name}` in place, and does not say "
                          "so", "autograd takes the argument for unchanged: whatever else uses it "
                          "gets a gradient as if this line were not there",
                          f"`ctx.mark_dirty({name})` after this line, and return `{name}`; or "
                          f"change a copy: `{name} = {name}.clone()`")

    def changed_gradient(self, source: S.Source, backward: Any) -> None:
        for name, line in writes(backward) if any(results(backward)) else ():
            self.find(source.place(line), "function-in-place", f"backward() changes the gradient "
                      f"`{name}`, its own argument, in place", "the same tensor may be on its way "
                      "to another operation too, as in `h + f(h)`, which then gets the changed "
                      "numbers", f"change a copy: `{name} = {name}.clone()` before this line")

    def kept_result(self, source: S.Source, forward: Any) -> None:
        returned = {ast.unparse(n) for n in results(forward)} - set(S.parameter_names(forward))
        for node in S.inside(forward):
            if not isinstance(node, ast.Assign):
                continue
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Attribute) and S.dotted(target).startswith("ctx.") and {
                    ast.unparse(target), ast.unparse(value)} & returned:
                name = ast.unparse(value) if isinstance(value, ast.Name) else target.attr
                self.find(source.place(node), "function-keeps-result", f"`{ast.unparse(target)}` "
                          "keeps the result of forward() itself", "the result knows the node that "
                          "made it, and the node now keeps the result: neither is freed, so memory "
                          "grows with every call that no backward() follows",
                          f"`ctx.save_for_backward({name})`, and `{name}, = ctx.saved_tensors` in "
                          "backward()")


def results(function: ast.AST) -> Iterator[ast.expr]:
    """What a function returns; the parts of a tuple one by one."""
    for node in S.inside(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]


def writes(function: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """The lines that change an argument (not `ctx`) in place, while its name still means it."""
    names = set(S.parameter_names(function)[1:])
    for node in S.inside(function):
        written = None
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            written = target.value if isinstance(target, ast.Subscript) else (
                target if isinstance(node, ast.AugAssign) else None)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name.endswith("_") and not name.endswith("__") and name not in NO_WRITE:
                written = node.func.value
        if isinstance(written, ast.Name) and written.id in names:
            yield written.id, S.statement(node)
            names.discard(written.id)            # once says it
        names -= {t.id for t in S.targets(node) if isinstance(t, ast.Name)
                  and not isinstance(node, ast.AugAssign)}


class ReturnsBackwards(OfPasses):
    """`for r in reversed(rewards): R = r + gamma * R; returns.append(R)`, left in that order."""

    def read(self, source: S.Source) -> None:
        turned = [n for n in source.nodes if is_turned(n)]
        for loop in source.nodes if turned else ():
            if isinstance(loop, ast.For) and all(S.holds(loop, n) for n in turned):
                own = [n for n in turned if n is loop.iter or S.holds(loop.iter, n)]
                for name, line in discounted(loop) if own == turned else ():
                    self.find(source.place(line), "returns-backwards", f"`{name}` is filled "
                              "from the last step to the first, and stays in that order",
                              "its first entry is the return of the last step, but it meets the "
                              "first action: each action is judged by what another one earned",
                              f"`{name}.reverse()` after the loop, or `{name}.insert(0, ...)` in "
                              "place of append()")


def is_turned(node: ast.AST) -> bool:
    """Whether an expression goes backwards through something, or turns it round."""
    if isinstance(node, ast.Call):
        return called_name(node) in ("reversed", "flip", "reverse", "flipud", "appendleft",
                                     "insert", "range") and (
            called_name(node) != "range" or len(node.args) == 3)
    return isinstance(node, ast.Slice) and node.step is not None and ast.unparse(
        node.step) == "-1"


def discounted(loop: ast.For) -> Iterator[tuple[str, ast.stmt]]:
    """The list and the line of the first append() of `R = r + gamma * R; returns.append(R)`."""
    sums = {t.id for n in loop.body for t in S.targets(n) if isinstance(t, ast.Name)
            and isinstance(n, ast.Assign) and t.id in S.names_in(n.value) and any(
                isinstance(m, ast.BinOp) and isinstance(m.op, ast.Mult) for m in ast.walk(n.value))}
    for n in S.inside(loop):
        if (isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.args
                and n.func.attr == "append" and S.dotted(n.func.value)
                and sums & S.names_in(n.args[0])):
            yield S.dotted(n.func.value), S.statement(n)
            return


class ProbabilitiesAsLogits(Check):
    """Categorical(logits=softmax(x)), which applies its own softmax to the probabilities."""

    def on_density(self, distribution: Distribution, value: Any, result: Any) -> None:
        logits = vars(distribution).get("logits") if isinstance(distribution, Categorical) else None
        node = getattr(logits, "grad_fn", None)
        source = node.edges[0] if type(node).__name__ == "SubBackward0" else None
        while source is not None and is_rearranged(source):
            source = source.edges[0]
        if type(source).__name__ in SOFTMAX_OF:
            function = reading.operator_name(source)
            frame = next(iter(user_frames()), None)
            self.find(None if frame is None else of_frame(frame),
                      "applied-twice", f"Categorical(logits=...) was given results of {function}()",
                      "logits are scores of any size, and it applies softmax() to them itself: of "
                      "numbers between 0 and 1 that is nearly even, so that no action can become "
                      "likely", "`Categorical(probs=...)`, or leave out the function and give the "
                      "scores themselves")


class SigmoidTwice(Check):
    """F.binary_cross_entropy(torch.sigmoid(net(x)), y) of a network that ends in a sigmoid."""

    rests = True

    @only("BinaryCrossEntropyBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        second = scores_of(node)
        first = None if second is None else scores_of(second)
        if second is not None and first is not None and (
                type(second).__name__ == type(first).__name__ == "SigmoidBackward0"):
            self.find(reading.place_of(second), "applied-twice", "sigmoid is applied twice: here, "
                      f"and before, at {reading.place_of(first)}", "the second one makes numbers "
                      "between 0.5 and 0.73 of probabilities: the network cannot say no",
                      "leave out this sigmoid, or that of the network together with the loss: "
                      "`F.binary_cross_entropy_with_logits(scores, target)`")


class ForgottenBuffer(Check):
    """`self.mean = 0.9 * self.mean + ...` of a plain tensor, which is in no state_dict()."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.seen: set[type] = set()
        self.found: dict[str, tuple[Place, str]] = {}
        self.saved = False

    def on_state(self, state: dict, where: Place) -> None:
        self.saved = True

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        kind = type(module)
        if kind in self.seen or is_our_class(kind):
            return
        self.seen.add(kind)
        code = getattr(kind.forward, "__code__", None)
        source = None if code is None else S.read(code.co_filename)
        for node in source.nodes if source is not None else ():
            if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
                for name, line in averages(node):
                    t = vars(module).get(name)   # neither a buffer nor a Parameter
                    if isinstance(t, Tensor) and not t.requires_grad:
                        self.found[name] = source.place(line), name      # type: ignore[union-attr]

    def at_end(self) -> None:
        for where, name in self.found.values() if self.saved else ():
            self.find(where, "forgotten-buffer", f"`self.{name}` changes in training, and is a "
                      "plain attribute, which state_dict() leaves out", "what was collected is "
                      "lost when the network is saved and loaded, and `.to()` does not move it",
                      f"in __init__(): `self.register_buffer({name!r}, ...)`")


def averages(kind: ast.ClassDef) -> Iterator[tuple[str, ast.stmt]]:
    """The `self.x` of a class that training updates without a gradient, each with its line."""
    for node in ast.walk(kind):
        written = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(
            node, ast.AugAssign) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                node.func.attr in ("mul_", "lerp_", "copy_")):
            written = node.func.value
        row = isinstance(written, ast.Subscript)
        name = S.dotted(written.value if row else written) if written is not None else ""
        again = row or not isinstance(node, ast.Assign) or name in terms(node.value)
        if name.startswith("self.") and name.count(".") == 1 and again and is_unrecorded(node):
            yield name[5:], S.statement(node)


def terms(value: ast.expr) -> set[str]:
    """The names that a sum of products is made of."""
    if isinstance(value, ast.BinOp):
        return terms(value.left) | terms(value.right)
    return {S.dotted(value)}


def is_unrecorded(node: ast.AST) -> bool:
    """Whether a line runs only in training or under no_grad(), or detaches what it adds."""
    text = ast.unparse(S.statement(node))
    return ".detach()" in text or ".data" in text or any(
        isinstance(outer, ast.If) and "self.training" in ast.unparse(outer.test)
        or isinstance(outer, ast.With) and "no_grad" in ast.unparse(outer.items[0])
        for outer in S.around(node))


CHECKS = (RulesOfFunctions, ReturnsBackwards, ProbabilitiesAsLogits, SigmoidTwice,
          ForgottenBuffer)
