"""A tensor that backward needs was written to: who saved it, who changed it, on which lines."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from . import reading
from . import source as S
from .cuts import cut_off
from .freed import carried_by_loop
from .names import Names, inside
from .places import Place, frames_of_pass, is_own, of_frame, place
from .programs import called_name, env_of, held_in
from .savers import (
    Saved,
    is_function_in_place,
    is_layer_of,
    line_that_called,
    line_that_saved,
    only_inplace_call,
    written_name,
)
from .stories import Story

TRACE = "Run it with `retrograd run --trace` (or inside `with torch.debug.trace():`) to see {}."
AFTER_BACKWARD = ("write after backward(), or compute the loss again after writing. Without .data, "
                  "under no_grad(), a write like this is an error.")


@dataclass
class Write:
    """The last write to a memory: who did it, where, and the statement, if that can be read.

    `hidden` means that the write happened inside a function that the statement calls, such as a
    layer with inplace=True.
    """

    who: str
    where: Place | None
    code: CodeType
    statement: ast.stmt | None
    hidden: bool

    @property
    def name(self) -> str | None:
        """What the writing statement calls the tensor."""
        return written_name(self.statement)


def modified(node: Node, name: str, tensor: Tensor, writer=None) -> str:
    """Which statement saved a tensor, which one changed it, and what to write instead.

    `writer` is the version cell that recorded the write, if it is not the tensor's own.
    """
    frames = frames_of_pass()
    names, here = Names(frames), of_frame(frames[0])
    write = _write(tensor._cell if writer is None else writer, frames, names)
    known = names.of(tensor) or names.of_memory(tensor._cell)
    operator, was_result = reading.operator_name(node), _was_result(node, name)
    saved_at = reading.place_of(node) or line_that_saved(
        Saved(operator, known, was_result, write and write.name, write and write.code), frames,
        names)
    written = None if write is None else write.name
    called = known or was_result and _result_of(saved_at, operator) or written
    thing = f"`{called}`" if called else f"a tensor of shape {tuple(tensor._data.shape)}"
    shared = f"`{written}`, which shares the memory of {thing}," if written and called and (
        written.isidentifier() and called.isidentifier() and written != called) else thing
    keeper = _layer(names, known, operator) or f"{operator}(){inside(node, names)}"
    needs = thing if not was_result else f"its result {thing}" if called else f"its result, {thing}"
    story = Story(f"{thing if called else 'A tensor'} was changed between its use and backward():")
    story.add(saved_at, f"{keeper} kept {needs}: a gradient is computed from it"
              + ("" if saved_at else f" (saved as {name!r} of {node.name()})"))
    if write is not None:
        story.add(write.where, f"{_writer(write, names)} changed {shared} in place")
    else:
        story.add(None, f"Since then {thing} was changed in place (out=, resize or the like).")
    story.add(here, f"backward needs {thing} as it was")
    if _tell_loop(story, frames[0], node, write):
        pass
    elif writer is None or write is None or write.who == "detach_":
        story.cure = _cure(write, written or called or "x", line_that_called(frames, known))
    else:
        story.cure = AFTER_BACKWARD
    if saved_at is None:
        story.after.append(TRACE.format(f"the line that called {keeper}"))
    return str(story)


def _tell_loop(story: Story, frame: FrameType, node: Node, write) -> bool:
    """For a tensor that an optimizer's step changed: tell which variable carries an old graph into
    this iteration of the loop, and the cure. Returns whether there is such a variable."""
    if write is None or not write.who.endswith(".step"):
        return False
    if (carried := _carried(frame, node)) is not None:
        name, line, cut = carried
        story.add(line, f"`{name}` brings along the graph of the iteration before")
        story.cure = f"cut it off at the start of each iteration: `{cut}`."
        return True
    if (before := _from_before(frame, node)) is not None:
        name, line = before
        story.add(line, f"`{name}` was computed before this loop, with the numbers of then, and "
                  "brings along its graph")
        story.cure = (f"if `{name}` shall stay as it is, cut it off there: `.detach()`; "
                      "otherwise compute it anew inside of the loop.")
        return True
    return False


def _carried(frame: FrameType, node: Node) -> tuple[str, Place, str] | None:
    """(name, line, how to cut it off) of a variable that holds an old graph, with `node` in it."""
    env = env_of(frame)
    found = None if env is None else carried_by_loop(env, of_frame(frame))
    if found is None or env is None:
        return None
    held = held_in(found[0], env)
    heads = [t.grad_fn for t in (held if isinstance(held, (tuple, list)) else [held])
             if isinstance(t, Tensor) and t.grad_fn is not None]
    return (*found[:2], cut_off(found[0], env)) if node in reading.nodes(heads) else None


def _from_before(frame: FrameType, node: Node) -> tuple[str, Place] | None:
    """(name, line) of a variable with `node` in its graph that was set before the innermost loop.

    An example are the log-probabilities of an old policy, to which each of several steps compares
    the new ones.
    """
    env = env_of(frame)
    call = None if env is None else S.at(env.scope, of_frame(frame))
    loop = None if call is None else S.loop_of(call)
    for name in sorted(S.names_in(loop)) if env is not None and loop is not None else ():
        t, made = env.values.get(name), S.assignments(env.scope, name)
        if (made and isinstance(t, Tensor) and t.grad_fn is not None
                and not any(S.holds(loop, n) for n in made)
                and node in reading.nodes([t.grad_fn])):
            return name, env.source.place(made[-1])
    return None


def _result_of(where: Place | None, operator: str) -> str | None:
    """The variable that a line gives the result of an operator to: "h" for h = torch.tanh(x)."""
    found = None if where is None else statement_of(where)
    names = list(S.targets(found)) if isinstance(found, ast.Assign) else []
    value = getattr(found, "value", None)
    plain = isinstance(value, ast.Call) and called_name(value) == operator
    return names[0].id if plain and len(names) == 1 and isinstance(names[0], ast.Name) else None


def _was_result(node: Node, name: str) -> bool | None:
    """Whether an operator saved its own result; None for a custom Function, where it is unknown."""
    operator = getattr(type(node), "operator", None)
    return None if operator is None else name in operator.outputs


def _layer(names: Names, called: str | None, operator: str) -> str:
    """The Module a parameter belongs to, such as "net.layer2 (Linear)", or the only candidate."""
    modules = [m for m in names.objects.values() if isinstance(m, Module)]
    owner = (called or "").rpartition(".")[0]
    if owner:
        fitting = [m for m in modules if names.of(m) == owner]
    else:
        fitting = [m for m in modules if is_own(type(m).forward.__code__.co_filename)
                   and next(m.children(), None) is None and is_layer_of(m, operator)
                   ] if called is None else []
    return f"{names.of(fitting[0])} ({type(fitting[0]).__name__})" if len(fitting) == 1 else ""


def _write(cell, frames: list[FrameType], names: Names) -> Write | None:
    """The last write to a memory."""
    if cell[1] is None:
        return None
    who, code, offset = cell[1]
    where = place(code, offset)
    statement = statement_of(where)
    hidden = is_own(where.file) or statement is not None and only_calls(statement)
    if hidden:
        known = only_inplace_call(frames, names)
        return Write(who, known, code, known and statement_of(known), known is None)
    return Write(who, where, code, statement, False)


def only_calls(statement: ast.stmt) -> bool:
    """Whether a statement only calls the user's code, which does the writing: out = net(x)."""
    calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call)]
    plain = isinstance(statement, (ast.Expr, ast.Return)) or isinstance(
        statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    return plain and not any(
        called_name(call).endswith(("_", "step")) or any(k.arg in ("inplace", "out")
                                                         for k in call.keywords) for call in calls)


def statement_of(where: Place) -> ast.stmt | None:
    """The user's statement at a place."""
    source = None if is_own(where.file) else S.read(where.file)
    return None if source is None else S.statement_at(source, where)


def _writer(write: Write, names: Names) -> str:
    """The writer in words: add_(), an assignment to a part, a layer made with inplace=True."""
    if write.who == "__setitem__":
        return "this assignment"
    layers = [f"`{names.of(m)}`" for m in names.objects.values()
              if isinstance(m, Module) and getattr(m, "inplace", False)]
    if write.hidden and layers:
        return f"{write.who}() in {' or '.join(layers)}, made with inplace=True,"
    return write.who if write.who.endswith("=") else f"{write.who}()"


def _cure(write: Write | None, called: str, forward: Place | None) -> str:
    """What to write instead of a statement that changed a saved tensor."""
    if write is None:
        return f"give the later writer a copy: {called}.clone()."
    if write.who.endswith(".step"):
        again = f"or run `{forward.text}` again" if forward else "or compute the loss again"
        return (f"call every backward() before step(), {again} after it: a loss belongs to the "
                "weights it was computed with.")
    if write.who == "embedding_renorm_":
        return ("an Embedding with max_norm writes into its weight at each call: call it before "
                "its weight is used otherwise, or use a copy there, `.weight.clone()`.")
    if write.hidden:
        return "make the layer without inplace=True."
    if write.who == "__setitem__" and write.statement is not None and S.loop_of(write.statement):
        return ("collect the parts in a list, and put them together after the loop: "
                f"`{called} = torch.stack(parts)`.")
    instead = _out_of_place(write.statement)
    if instead:
        return f"make a new tensor instead of changing the old one: `{instead}`."
    if plain := _plain_call(write.statement, write.who):
        return f"leave out the underscore, which makes a new tensor: `{plain}`."
    if write.where is not None and "inplace" in write.where.text:
        return "leave out inplace=True."
    return (f"change a copy: `{called} = {called}.clone()` before this line."
            if called.isidentifier() else f"change a copy of it: {called}.clone().")


def _out_of_place(found: ast.stmt | None) -> str:
    """`y = y + 1` for y += 1, `y = y.mul(2)` for y.mul_(2); "" for anything else."""
    if isinstance(found, ast.AugAssign) and isinstance(found.target, ast.Name):
        plain = ast.unparse(ast.BinOp(found.target, found.op, found.value))
        return f"{found.target.id} = {plain}"
    call = found.value if isinstance(found, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        name = call.func.attr[:-1]
        if is_function_in_place(call):
            plain = ast.Call(ast.Attribute(call.func.value, name), call.args, call.keywords)
            return f"{ast.unparse(call.args[0])} = {ast.unparse(plain)}"
        if call.func.attr.endswith("_") and hasattr(Tensor, name):
            owner = ast.unparse(call.func.value)
            return f"{owner} = {owner}.{name}({', '.join(map(ast.unparse, call.args))})"
    return ""


def _plain_call(found: ast.stmt | None, who: str) -> str:
    """`torch.sigmoid(h).mul(2)`, where a longer statement calls mul_() once; "" for others."""
    calls = [n for n in ast.walk(found) if isinstance(n, ast.Call) and isinstance(
        n.func, ast.Attribute) and n.func.attr == who] if found is not None else []
    if len(calls) != 1 or not who.endswith("_") or not hasattr(Tensor, who[:-1]):
        return ""
    call: Any = calls[0]
    return ast.unparse(ast.Call(ast.Attribute(call.func.value, who[:-1]), call.args, call.keywords))
