"""A freed graph is needed again: who freed it, what carries it over, and what to do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import FrameType

from .._tensor import Tensor
from ..autograd.engine import freeing
from ..autograd.node import LEAF_SEQ, Node
from ..autograd.views import CopySlices
from . import breaks, reading
from . import source as S
from .cuts import cut_off, in_place_text
from .names import Names, inside
from .places import Place, frame_of_pass, frames_of_pass, of_frame, place
from .programs import Env, assigned, env_of, makes_leaf
from .stories import Story

OLD = {"old", "prev", "previous", "target", "teacher", "ref", "reference"}   # words of names


def freed(node: Node) -> str:
    """Which node, which earlier pass freed it and where, and what carries it over."""
    frames = frames_of_pass()
    here, names = of_frame(frames[0]), Names(frames)
    running = frame_of_pass()
    root = None if running is None else running.f_locals["roots"][0][0]
    story = Story("An earlier backward() has used up a part of this graph:")
    operator = reading.operator_name(node)
    what = "the assignment" if isinstance(node, CopySlices) else f"{operator}()"
    layer = inside(node, names)
    earlier = _freed_by(node, root)
    made = reading.place_of(node)
    if made is not None:
        whole = "this assignment" if isinstance(node, CopySlices) else f"{operator}(){layer}"
        story.add(made, f"{whole} kept tensors that its gradient is computed from")
    if earlier is not None:
        story.add(earlier[0], "this backward pass used them up and freed them" if made else
                  f"this backward pass freed what {what} ({node.name()}) had kept")
    if root is None:
        story.lead = "An earlier backward() has used up what this node had kept:"
        story.add(here, "so it cannot be read here any more")
        story.cure = "read it before backward(), or call backward(retain_graph=True)."
        return str(story)
    same = "the same line, run again: it" if earlier and str(earlier[0]) == str(here) else "this"
    story.add(here, f"{same} needs what {what} had kept once more")
    _tell_carried(story, root, node, earlier, frames[0], names)
    return str(story)


def _freed_by(node: Node, root: Node | None) -> tuple[Place, int] | None:
    """(place, number of its root) of the pass that freed a node: the first that came this way."""
    passes = list(freeing)
    if passes and passes[-1][0]() is root:       # the pass that fails now
        passes.pop()
    later = [p for p in passes if node._seq <= p[1] < LEAF_SEQ]
    alive = [p for p in later if (r := p[0]()) is not None and reading.path(r, node)]
    for _, number, caller in alive or later:
        return place(*caller), number
    return None


def _tell_carried(story: Story, root: Node, node: Node, earlier: tuple[Place, int] | None,
                  frame: FrameType, names: Names) -> None:
    """What connects this pass with the earlier one, and the cure for that."""
    env, here = env_of(frame), of_frame(frame)
    first, number = earlier or (None, None)
    if number is not None and root._seq <= number:
        if env is None or not _computed_outside(story, env, here):
            story.cure = ("compute the loss again before calling backward() again. (If you do mean "
                          "to go through one graph twice, the first call must be "
                          "backward(retain_graph=True).)")
        return
    name = next((n for n in map(names.of, _shared(root, node, number)) if n), None)
    again = None if env is None else carried_by_loop(env, here)
    if name is not None:
        _tell_shared(story, name, env, here)
    elif again is not None and env is not None:
        name, where, part = again
        if _tell_replaced_leaf(story, name, where, env):
            return
        story.add(where, f"`{name}` brings along the graph of the iteration before")
        story.cure = (f"call backward() on the new part alone, and add up numbers: `part = {part}; "
                      f"part.backward(); {name} += part.item()`." if part else
                      f"cut it off at the start of each iteration: `{cut_off(name, env)}`.")
    elif env is not None and isinstance(node, CopySlices) and _tell_whole(story, node, env):
        return
    elif first is not None and str(first) != str(here) and first.text.endswith(".backward()"):
        story.cure = (f"keep the graph the first time, `{first.text[:-1]}retain_graph=True)`, or "
                      "add the losses up and call backward() once.")
    else:
        story.cure = ("compute everything that the loss needs again for each backward(), or "
                      "detach() what shall not be trained; if several losses share a part, add "
                      "them up and call backward() once.")


def _tell_whole(story: Story, node: Node, env: Env) -> bool:
    """For `out[i] = net(x)` in a loop, which gives `out` the history of all its parts."""
    made = reading.place_of(node)
    statement = None if made is None else S.statement_at(env.source, made)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Subscript):
        return False
    name = ast.unparse(target.value)
    story.add(made, f"`{name}` has the history of all that was written into it, also in earlier "
                    "iterations")
    story.cure = (f"compute the loss from the new part itself, `part = "
                  f"{ast.unparse(statement.value)}`, and keep its numbers: "
                  f"`{ast.unparse(target)} = part.detach()`.")
    return True


def _tell_replaced_leaf(story: Story, name: str, where: Place, env: Env) -> bool:
    """For `x = torch.clamp(x, 0, 1)` of an `x` that the program made as a leaf to be trained."""
    statement = S.statement_at(env.source, where)
    made = [getattr(n, "value", None) for n in S.assignments(env.scope, name) if n is not statement]
    value = getattr(statement, "value", None)
    if not any(isinstance(v, ast.Call) and makes_leaf(v) for v in made) or not isinstance(
            statement, ast.Assign) or value is None:
        return False
    story.add(where, f"from here on `{name}` is another tensor, computed from the one that you "
              "train, and brings along its graph")
    change = in_place_text(statement) or f"{name}.copy_({ast.unparse(value)})"
    story.cure = f"change the numbers of the same tensor: `with torch.no_grad(): {change}`."
    return True


def _tell_shared(story: Story, name: str, env: Env | None, here: Place) -> None:
    """A variable, or an entry of a list, that both graphs were computed from."""
    whole = name.partition("[")[0]
    call = None if env is None else S.at(env.scope, here)
    loop = None if call is None else S.loop_of(call)
    kept = [] if env is None or whole == name else S.appends(env.source.tree, whole)
    if env is not None and kept:
        story.add(env.source.place(S.statement(kept[-1])),
                  f"`{whole}` keeps the results of earlier iterations, with their graphs")
        story.cure = (f"call backward() on the new result alone, or begin a new `{whole}` after "
                      "each backward(); for a report, put in numbers (.item()).")
        return
    made = None if env is None else assigned(env, name)
    if made is not None:
        story.add(made, f"`{whole}` was computed once and is part of both graphs")
    of_rows = "autograd.grad(" in here.expression and first_of(call) in (whole, name)
    loss = None if env is None else breaks.argument(env, here)
    if of_rows or isinstance(loss, ast.Subscript) and ast.unparse(loss.value) == whole:
        story.cure = ("for one row after another give it retain_graph=True"
                      + ("" if of_rows else ", and set `.grad` to None before each")
                      + "; torch.func.jacrev(f)(x) computes all of them at once.")
        return
    if not OLD.isdisjoint(re.split(r"[._]", whole)):
        story.cure = (f"compute `{whole}` inside of `with torch.no_grad():`, or use "
                      f"`{name}.detach()`: by its name it is to stay what it was.")
        return
    first = next((n for n in (S.assignments(env.scope, whole) if env else [])), None)
    before = loop is not None and not (first is not None and S.holds(loop, first))
    story.cure = (f"compute `{whole}` anew for each backward(), that is, inside the loop." if before
                  else f"add the losses up and call backward() once, or compute `{whole}` anew for "
                  "each backward().")
    story.after.append(f"(If one of the losses shall not train what `{whole}` was computed from, "
                       f"give that one `{name}.detach()`.)")


def first_of(call: ast.AST | None) -> str:
    """The variable that a call is given first: "y" for grad(y[i], x)."""
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return "" if given is None else ast.unparse(given).partition("[")[0]


def _shared(root: Node, node: Node, number: int | None) -> list[Node]:
    """The newest nodes that an earlier pass has been through, on the way to `node`."""
    limit = node._seq if number is None else number
    way = [n for n in reading.path(root, node) if n._seq <= limit]
    old = [n for n in reading.nodes([root]) if n._seq <= limit]
    return [*way, *old]


def _computed_outside(story: Story, env: Env, here: Place) -> bool:
    """For a loss computed before the loop, or outside the closure, that calls backward() on it."""
    call, loss = S.at(env.scope, here), breaks.argument(env, here)
    loop = None if call is None else S.loop_of(call)
    if not isinstance(loss, ast.Name):
        return False
    found, place = S.assignments(env.scope, loss.id), "the loop"
    if loop is None and isinstance(env.scope, S.Function) and not found:
        name = getattr(env.scope, "name", "the function")
        found, place = S.assignments(env.source.tree, loss.id), f"{name}()"
    elif loop is None or any(S.loop_of(n) is loop for n in found):
        return False
    if not found or loss.id in S.parameter_names(env.scope):
        return False
    story.add(env.source.place(found[-1]), f"`{loss.id}` is computed once, outside of {place}")
    story.cure = f"compute `{loss.id}`, and what it is computed from, inside of {place}."
    return True


def carried_by_loop(env: Env, here: Place) -> tuple[str, Place, str] | None:
    """(name, place, what is added) of a variable that a loop computes from its own last value.

    What is added is "" except for sums: loss for total = total + loss. Also self.h = f(self.h).
    """
    return next(all_carried_by_loop(env, here), None)


def all_carried_by_loop(env: Env, here: Place) -> Iterator[tuple[str, Place, str]]:
    """The same for all such variables, those that are set first before the others."""
    call = S.at(env.scope, here)
    loop = None if call is None else S.loop_of(call)
    if loop is None:
        return
    inside = [n for n in ast.walk(loop) if not isinstance(n, S.Scope)]
    methods = [n for n in env.source.nodes if isinstance(n, ast.Assign)
               and any(isinstance(t, ast.Attribute) for t in S.targets(n))]
    for statement in [*inside, *methods]:
        value = getattr(statement, "value", None)
        for target in S.targets(statement):
            if isinstance(target, ast.Name) and not S.holds(loop, statement):
                continue                         # a variable of a method
            name = ast.unparse(target)
            known = env.values.get(name) if isinstance(target, ast.Name) else ()
            if value is None or not isinstance(known, (Tensor, tuple, list)):
                continue
            added = _added(statement, name, value)
            begun = any(isinstance(n, ast.Assign) and n.lineno < statement.lineno
                        and name in map(ast.unparse, S.targets(n))
                        and name not in read_by(n.value) for n in inside)
            if added is not None and not begun:
                yield name, env.source.place(statement), added
    for statement in inside:
        name = _kept_for_next(statement, inside)
        if name and isinstance(t := env.values.get(name), Tensor) and t.requires_grad:
            yield name, env.source.place(statement), ""


def _kept_for_next(statement: ast.AST, loop: list[ast.AST]) -> str:
    """The variable that `last = out` sets for the next iteration; "" for other statements."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
        return ""
    name = ast.unparse(statement.targets[0])
    read = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
               and n.lineno < statement.lineno for n in loop)
    return name if read else ""


def _added(statement: ast.AST, name: str, value: ast.expr) -> str | None:
    """What a statement adds to the old `name`; "" if it computes with it; None if it does not."""
    if isinstance(statement, ast.AugAssign):
        return ast.unparse(value)
    reads = read_by(value)
    scope = next((n for n in S.around(statement) if isinstance(n, S.Scope)), None)
    if "." in name and scope is not None:                # self.h = f(c), with c = cat(x, self.h)
        made = [getattr(n, "value", None) for part in reads for n in S.assignments(scope, part)]
        reads = reads.union(*(read_by(v) for v in made if isinstance(v, ast.expr)))
    if name not in reads or "detach" in ast.unparse(value):
        return None
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and ast.unparse(
            value.left) == name:
        return ast.unparse(value.right)
    return ""


def read_by(value: ast.expr) -> set[str]:
    """The variables and attributes that an expression reads."""
    return {ast.unparse(n) for n in ast.walk(value) if isinstance(n, (ast.Name, ast.Attribute))}
