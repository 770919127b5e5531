"""What an error of autograd says after PyTorch's own sentence: who did what on which line.

One function for each topic that `autograd/explain.py` asks for; each returns plain text, or "" if
nothing more is known. All of this runs only after something has failed.
"""

from __future__ import annotations

import ast
import sys
from types import FrameType

from .._state import state
from .._tensor import Tensor
from ..autograd.engine import execute, freeing
from ..autograd.node import LEAF_SEQ, Node
from ..nn.modules.module import Module
from . import breaks, reading
from . import source as S
from .cuts import in_place_text
from .misfits import in_module  # noqa: F401  a topic like those below
from .names import Names
from .places import Place, is_own, of_frame, outwards, place, user_frames
from .programs import called_name, env_of
from .stories import Story

TRACE = "Run it with `retrograd run --trace` (or inside `with torch.debug.trace():`) to see {}."
SILENCED = ("Do not set `{0}.requires_grad = True`: the error would go away, but backward() would "
            "stop at `{0}` and nothing would be trained.")


def frames_of_pass() -> list[FrameType]:
    """The user's frames, from the one that called backward(): not those of his Functions."""
    start = next((f for f in outwards(sys._getframe(1)) if f.f_code.co_name == "execute"
                  and f.f_globals.get("__name__") == execute.__module__), None)
    return user_frames(start or sys._getframe(1))


# --------------------------------------------------------------------------- a changed value

AFTER_BACKWARD = ("write after backward(), or compute the loss again after writing. Without .data, "
                  "under no_grad(), a write like this is an error.")


def modified(node: Node, name: str, tensor: Tensor, writer=None) -> str:
    """Which statement saved a tensor, which one changed it, and what to write instead.

    `writer` is the version cell that knows of the write, where that is not the tensor's own.
    """
    frames = frames_of_pass()
    names, here = Names(frames), of_frame(frames[0])
    cell = tensor._cell if writer is None else writer
    called = names.of(tensor) or names.of_memory(tensor._cell)
    thing = f"`{called}`" if called else f"a tensor of shape {tuple(tensor._data.shape)}"
    operator = reading.operator_name(node)
    was_result = name in getattr(getattr(type(node), "operator", None), "outputs", ())
    needs = thing if not was_result else f"its result {thing}" if called else f"its result, {thing}"
    keeper = _layer(names, called) or f"{operator}()"
    saved_at = reading.place_of(node) or _line_that_saved(frames[0], operator, called, was_result)
    story = Story(f"{thing.removeprefix('a ')} was changed between its use and backward():"
                  if called else "A tensor was changed between its use and backward():")
    story.add(saved_at, f"{keeper} kept {needs}: a gradient is computed from it"
              + ("" if saved_at else f" (saved as {name!r} of {node.name()})"))
    write = _write(cell)
    if write is not None:
        who, where = write
        story.add(where, f"{_writer(who, where, names)} changed {thing} in place")
    else:
        story.add(None, f"Since then {thing} was changed in place (out=, resize or the like).")
    story.add(here, f"backward needs {thing} as it was")
    story.cure = _cure_of_write(write, called or "x") if writer is None else AFTER_BACKWARD
    if saved_at is None:
        story.after.append(TRACE.format(f"the line that called {keeper}"))
    return str(story)


def _layer(names: Names, called: str | None) -> str:
    """The Module that a parameter belongs to, such as "net.layer2 (Linear)"; else ""."""
    owner = (called or "").rpartition(".")[0]
    module = next((m for m in names.objects.values() if names.of(m) == owner), None)
    return f"{owner} ({type(module).__name__})" if isinstance(module, Module) else ""


def _write(cell) -> tuple[str, Place] | None:
    """(who, where) of the last write to a memory."""
    if cell[1] is None:
        return None
    who, code, offset = cell[1]
    return who, place(code, offset)


def _writer(who: str, where: Place, names: Names) -> str:
    """The writer in words: add_(), an assignment to a part, a layer made with inplace=True."""
    if who == "__setitem__":
        return "this assignment"
    layers = [f"`{names.of(m)}`" for m in names.objects.values()
              if isinstance(m, Module) and getattr(m, "inplace", False)]
    if is_own(where.file) and layers:
        return f"{who}() in {' or '.join(layers)}, made with inplace=True,"
    return who if who.endswith("=") else f"{who}()"


def _cure_of_write(write, called: str) -> str:
    """What to write instead of a statement that changed a saved tensor."""
    if write is None:
        return f"give the later writer a copy: {called}.clone()."
    who, where = write
    if who.endswith(".step"):
        return ("call every backward() before step(), or compute the loss again after it: a loss "
                "belongs to the weights it was computed with.")
    if is_own(where.file):
        return "make the layer without inplace=True."
    source = S.read(where.file)
    found = None if source is None else _statement_at(source, where)
    if isinstance(found, ast.AugAssign) and isinstance(found.target, ast.Name):
        name = found.target.id
        plain = ast.unparse(ast.BinOp(found.target, found.op, found.value))
        return f"make a new tensor instead of changing the old one: `{name} = {plain}`."
    if isinstance(found, ast.Expr) and isinstance(found.value, ast.Call):
        call = found.value
        if isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_") and hasattr(
                Tensor, call.func.attr[:-1]):
            owner = ast.unparse(call.func.value)
            new = f"{owner}.{call.func.attr[:-1]}({', '.join(map(ast.unparse, call.args))})"
            return f"make a new tensor instead of changing the old one: `{owner} = {new}`."
    if "inplace" in where.text:
        return "leave out inplace=True."
    return (f"change a copy: `{called} = {called}.clone()` before this line."
            if called.isidentifier() else f"change a copy of it: {called}.clone().")


def _statement_at(source: S.Source, where: Place) -> ast.stmt | None:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.stmt) and node.lineno <= where.line <= (node.end_lineno or 0):
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.For, ast.While, ast.With,
                                     ast.If, ast.Try)):
                return node
    return None


SYMBOLS = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div, "matmul": ast.MatMult,
           "mm": ast.MatMult, "mv": ast.MatMult, "dot": ast.MatMult, "bmm": ast.MatMult,
           "pow_scalar": ast.Pow, "pow": ast.Pow, "rpow": ast.Pow, "remainder": ast.Mod}


def _line_that_saved(frame: FrameType, operator: str, called: str | None, was_result: bool):
    """The one line of the running function that can have recorded `operator` on `called`."""
    env = env_of(frame)
    if env is None:
        return None
    owner = called.partition(".")[0] if called else ""
    found = {S.statement(n).lineno: env.source.place(S.statement(n)) for n in S.inside(env.scope)
             if isinstance(n, ast.Call) and (S.dotted(n.func) == owner != called if called else
                                             _calls_module(n, env))}
    for node in S.inside(env.scope):
        if called is None or not _records(node, operator):
            continue
        statement = S.statement(node)
        names = {ast.unparse(t) for t in S.targets(statement)} if was_result else \
            {ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.expr)}
        if called in names and statement.lineno not in found:
            found[statement.lineno] = env.source.place(statement)
    if len(found) > 1:
        loss = breaks.argument(env, of_frame(frame))
        lines = set() if loss is None else breaks.lines_behind(loss, env)
        found = {line: where for line, where in found.items() if line in lines}
    return next(iter(found.values())) if len(found) == 1 else None


def _calls_module(node: ast.Call, env) -> bool:
    return isinstance(env.values.get(S.dotted(node.func)), Module)


def _records(node: ast.AST, operator: str) -> bool:
    """Whether an expression may be what records this operator."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, SYMBOLS.get(operator, ()))
    if isinstance(node, ast.Call):
        return called_name(node) in (operator, operator.split("_")[0]) or S.dotted(
            node.func) == f"{operator}.apply"
    return False


# --------------------------------------------------------------------------- a freed graph

def freed(node: Node) -> str:
    """Which node, which earlier pass freed it and where, and what carries it over."""
    frames = frames_of_pass()
    here, names = of_frame(frames[0]), Names(frames)
    task, story = state.task, Story("An earlier backward() has used up a part of this graph:")
    operator = reading.operator_name(node)
    earlier = _freed_by(node, None if task is None else task.roots[0][0])
    made = reading.place_of(node)
    if made is not None:
        story.add(made, f"{operator}() kept tensors that its gradient is computed from")
    if earlier is not None:
        first, root = earlier
        story.add(first, "this backward pass used them up and freed them" if made else
                  f"this backward pass freed what {operator}() ({node.name()}) had kept")
    else:
        root = None
    if task is None:
        story.lead = "An earlier backward() has used up what this node had kept:"
        story.add(here, "so it cannot be read here any more")
        story.cure = "read it before backward(), or call backward(retain_graph=True)."
        return str(story)
    same = "the same line, run again: it" if earlier and str(earlier[0]) == str(here) else "this"
    story.add(here, f"{same} needs what {operator}() had kept once more")
    carried = _carried(task.roots[0][0], node, root, frames[0], names)
    for where, remark in carried.steps:
        story.add(where, remark)
    story.cure, story.after = carried.cure, carried.after
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


def _carried(root: Node, node: Node, number: int | None, frame: FrameType, names: Names) -> Story:
    """What connects this pass with the earlier one, and the cure for that."""
    story = Story("")
    env = env_of(frame)
    if number is not None and root._seq <= number:
        if _computed_before_loop(story, env, frame):
            return story
        story.cure = ("compute the loss again before calling backward() again. (If you do mean to "
                      "go through one graph twice, the first call must be "
                      "backward(retain_graph=True).)")
        return story
    shared = _shared(root, node, number)
    name = next((n for n in map(names.of, shared) if n), None)
    again = None if env is None else carried_by_loop(env, of_frame(frame))
    if name is None and again is not None:
        name, where, part = again
        story.add(where, f"`{name}` brings the graph of the turn before along")
        story.cure = (f"cut it off at the start of each turn: `{name} = {name}.detach()`."
                      if not part else "call backward() on the new part alone, and add up numbers: "
                      f"`part = {part}; part.backward(); {name} += part.item()`.")
        return story
    if name is None:
        story.cure = ("compute everything that the loss needs again for each backward(), or "
                      "detach() what shall not be trained.")
        return story
    where = None if env is None else _assigned(env, name)
    if where is not None:
        story.add(where, f"`{name}` was computed once and is part of both graphs")
    call = None if env is None else S.at(env.scope, of_frame(frame))
    looped = call is not None and S.loop_of(call) is not None
    story.cure = (f"compute `{name}` anew for each backward()" + (
        ", that is, inside the loop." if looped else
        ", or add the losses up and call backward() once."))
    story.after.append(f"(If what `{name}` was computed from shall not be trained, use "
                       f"`{name}.detach()`.)")
    return story


def _shared(root: Node, node: Node, number: int | None) -> list[Node]:
    """The newest nodes that an earlier pass has been through, on the way to `node`."""
    limit = node._seq if number is None else number
    way = [n for n in reading.path(root, node) if n._seq <= limit]
    old = [n for n in reading.nodes([root]) if n._seq <= limit]
    return [*way, *old]


def _assigned(env, name: str) -> Place | None:
    found = S.assignments(env.scope, name) or S.assignments(env.source.tree, name)
    return env.source.place(found[-1]) if found else None


def _computed_before_loop(story: Story, env, frame: FrameType) -> bool:
    """For a loop that calls backward() on a loss from before it; adds where that was computed."""
    call = None if env is None else S.at(env.scope, of_frame(frame))
    loop = None if call is None else S.loop_of(call)
    loss = None if loop is None else breaks.argument(env, of_frame(frame))
    found = S.assignments(env.scope, loss.id) if isinstance(loss, ast.Name) else []
    if not found or any(S.loop_of(n) is loop for n in found):
        return False
    story.add(env.source.place(found[-1]), f"`{loss.id}` is computed once, before the loop")
    story.cure = f"compute `{loss.id}`, and what it is computed from, inside the loop."
    return True


def carried_by_loop(env, here: Place) -> tuple[str, Place, str] | None:
    """(name, place, what is added) of a variable that a loop computes from its own last value.

    What is added is "" but for sums: loss for total = total + loss. Also self.h = f(self.h).
    """
    call = S.at(env.scope, here)
    loop = None if call is None else S.loop_of(call)
    if loop is None:
        return None
    inside = [n for n in ast.walk(loop) if not isinstance(n, S.Scope)]
    methods = [n for n in ast.walk(env.source.tree) if isinstance(n, ast.Assign)
               and isinstance(n.targets[0], ast.Attribute)]
    for statement in [*inside, *methods]:
        value = getattr(statement, "value", None)
        for target in S.targets(statement):
            name = ast.unparse(target)
            known = env.values.get(name) if isinstance(target, ast.Name) else ()
            if value is None or not isinstance(known, (Tensor, tuple, list)):
                continue
            reads = {ast.unparse(n) for n in ast.walk(value)
                     if isinstance(n, (ast.Name, ast.Attribute))}
            if isinstance(statement, ast.AugAssign):
                return name, env.source.place(statement), ast.unparse(value)
            if name in reads and "detach" not in ast.unparse(value):
                added = value.right if isinstance(value, ast.BinOp) and isinstance(
                    value.op, ast.Add) and ast.unparse(value.left) == name else None
                return name, env.source.place(statement), ast.unparse(added) if added else ""
    return None


# --------------------------------------------------------------------------- a broken graph

def not_recorded(t: Tensor, position: int) -> str:
    """Where the graph broke on the way to `t`, which backward() was called on."""
    frame = user_frames()[0]
    here = of_frame(frame)
    found, search = breaks.find(frame, t, position)
    name = "loss" if search.start is None else ast.unparse(search.start)
    simple = name if name.isidentifier() else "loss"
    search.plain.pop(name, None)
    story = Story(f"It was not recorded how `{name}` was computed, so there is no way back from "
                  "it:")
    if found is None or found.kind not in ("constant", "create_graph"):
        story.after.append(SILENCED.format(simple))
    if found is not None:
        story.cut_at(found)
    elif search.frozen:
        path, module = search.frozen[0]
        count = sum(1 for _ in module.parameters())
        story.add(_frozen_at(frame), f"all {count} parameters of `{path}` are frozen "
                  "(requires_grad=False)")
        story.cure = f"unfreeze what you want to train: `{path}.requires_grad_(True)`."
    elif not state.grad:
        story.add(here, "recording is off here (torch.no_grad or set_grad_enabled(False))")
        story.cure = "compute the loss and call backward() where recording is on."
    elif search.plain:
        _tell_plain(story, search.plain, name, here)
    else:
        story.add(here, f"nothing was recorded for `{name}`")
        story.cure = ("see that it is computed from something that requires grad, without "
                      "no_grad(), detach(), item(), numpy() or torch.tensor() on the way.")
    return str(story)


def _tell_plain(story: Story, plain: dict[str, Place | None], name: str, here: Place) -> None:
    """Nobody asked for gradients: the tensors that everything was computed from."""
    made = {n: where for n, where in plain.items() if where is not None}
    for n, where in list(made.items())[:4]:
        story.add(where, f"`{n}` does not require grad")
    if not made:
        listed = ", ".join(f"`{n}`" for n in list(plain)[:6])
        story.add(here, f"nothing that `{name}` was computed from requires grad: {listed}")
    wanted = "it" if len(plain) == 1 else "those of them that you want the gradient of"
    story.cure = f"make {wanted} with requires_grad=True, before anything is computed from it."


def _frozen_at(frame: FrameType) -> Place | None:
    """The line that froze parameters: p.requires_grad = False or requires_grad_(False)."""
    env = env_of(frame)
    for node in [] if env is None else ast.walk(env.source.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            if node.value.value is False and any(
                    getattr(t, "attr", "") == "requires_grad" for t in node.targets):
                return env.source.place(node)                   # type: ignore[union-attr]
        if isinstance(node, ast.Call) and called_name(node) == "requires_grad_" and any(
                getattr(a, "value", None) is False for a in (
                    *node.args, *(k.value for k in node.keywords))):
            return env.source.place(node)                       # type: ignore[union-attr]
    return None


# --------------------------------------------------------------------------- gradients and leaves

def non_leaf(t: Tensor) -> str:
    """Where a computed tensor comes from, and which leaf's gradient was probably meant."""
    frames = user_frames()
    names, here = Names(frames), of_frame(frames[0])
    name = names.of(t) or _owner_of_grad(frames[0]) or "it"
    made = _made_at(t, frames[0], name)
    story = Story(f"`{name}` was computed, and backward() keeps the gradients of leaves only:")
    story.add(made or here, f"`{name}` was computed here" if made else
              f"`{name}` is the result of {reading.operator_name(t.grad_fn)}()")
    changed = _requires_grad_too_early(frames[0], name)
    if changed:
        story.steps[-1] = made, "requires_grad was set on a tensor that this line computes with"
        story.cure = f"set it on the result: `{changed}`."
        return str(story)
    update = _self_update(frames[0], made)
    if update:
        story.steps[-1] = made, f"this makes a new `{name}`, a result, out of the old one, a leaf"
        story.cure = f"change the same tensor instead: `with torch.no_grad(): {update}`."
        return str(story)
    leaves = [f"`{n}.grad`" for leaf in reading.leaves([t.grad_fn]) if (n := names.of(leaf))]
    story.cure = f"call `{name}.retain_grad()` before backward()"
    story.cure += f", or read the gradient of a leaf: {', '.join(leaves[:4])}." if leaves else "."
    return str(story)


def _owner_of_grad(frame: FrameType) -> str:
    """"self.h" where a frame stands at `self.h.grad`."""
    text = of_frame(frame).expression
    return text.removesuffix(".grad") if text.endswith(".grad") else ""


def _made_at(t: Tensor, frame: FrameType, name: str) -> Place | None:
    """The line that computed a tensor: traced, or the one that assigns its name."""
    known = reading.place_of(t.grad_fn)
    env = env_of(frame)
    return known or (None if env is None else _assigned(env, name))


def _self_update(frame: FrameType, made: Place | None) -> str:
    """`w -= 0.1 * w.grad` for the line w = w - 0.1 * w.grad."""
    env = env_of(frame)
    found = None if env is None or made is None else _statement_at(env.source, made)
    return "" if found is None else in_place_text(found)


def _requires_grad_too_early(frame: FrameType, name: str) -> str:
    """`x = (torch.ones(2) * 2).requires_grad_()` for x = torch.ones(2, requires_grad=True) * 2."""
    env = env_of(frame)
    found = S.assignments(env.scope, name) if env is not None else []
    value = getattr(found[-1], "value", None) if found else None
    if not isinstance(value, (ast.BinOp, ast.Call)):
        return ""
    text, flag = ast.unparse(value), ", requires_grad=True"
    if flag not in text or text.endswith(flag + ")") and isinstance(value, ast.Call) and any(
            k.arg == "requires_grad" for k in value.keywords):
        return ""
    text = text.replace(flag, "")
    return f"{name} = {f'({text})' if isinstance(value, ast.BinOp) else text}.requires_grad_()"


def written_leaf(t: Tensor) -> str:
    """A leaf that requires grad would be changed in place while recording."""
    frame = user_frames()[0]
    here, name = of_frame(frame), Names([frame]).of(t)
    story = Story("")
    story.add(here, f"this would change {f'`{name}`' if name else 'it'} while its own gradient is "
              "asked for, and backward could not tell which value was meant")
    story.cure = f"with torch.no_grad(): {here.text}"
    return str(story)


def not_scalar(t: Tensor) -> str:
    """backward() without a gradient on a tensor of several elements."""
    frame = user_frames()[0]
    here = of_frame(frame)
    name = Names([frame]).of(t)
    story = Story("")
    thing = f"`{name}`" if name else "it"
    story.add(here, f"{thing} has {t._data.size} elements, of shape {tuple(t._data.shape)}; "
              "backward() starts from one number, the loss")
    story.cure = (f"make one number of them first: `{name or 'loss'}.mean().backward()` "
                  "(or sum()).")
    return str(story)


def unused(t: Tensor, position: int) -> str:
    """autograd.grad() for an input that the outputs were not computed from."""
    frames = user_frames()
    here, name = of_frame(frames[0]), Names(frames).of(t)
    env = env_of(frames[0])
    asked = None if env is None else breaks.asked_for(env, here, position)
    story = Story("")
    if name is None and asked is not None and not isinstance(asked, ast.Name):
        text = ast.unparse(asked)
        story.add(here, f"`{text}` makes a new tensor here, and the result was not computed from "
                  "that one")
        inner = next((n.id for n in ast.walk(asked) if isinstance(n, ast.Name)), "it")
        story.cure = (f"ask for the gradient of `{inner}`, or keep `{text}` in a variable and "
                      "compute with that.")
        return str(story)
    thing = f"`{name}`" if name else f"the tensor at index {position}"
    result = None if env is None else breaks.argument(env, here)
    cut = None if result is None or env is None else breaks.Search(t).why(result, env)
    if cut is not None:
        story.lead = f"The way back to {thing} is cut:"
        story.cut_at(cut)
        return str(story)
    story.add(here, f"{thing} was not used to compute this result, or was cut off on the way")
    story.cure = ("ask for what the result was computed from; with allow_unused=True the gradient "
                  "of anything else is None.")
    return str(story)


def untracked(t: Tensor) -> str:
    """A hook, retain_grad() or a gradient was asked for on a tensor that does not require grad."""
    frame = user_frames()[0]
    here, name = of_frame(frame), Names([frame]).of(t)
    story = Story("There is no gradient for " + (f"`{name}`:" if name else "this tensor:"))
    found, search = (None, None) if name is None or not name.isidentifier() else \
        breaks.find_named(frame, name)
    if found is not None:
        story.cut_at(found)
        return str(story)
    made = search.plain.get(name) if search is not None and name is not None else None
    whole = t._data.dtype.kind in "biu"
    story.add(made or here, f"{f'`{name}`' if name else 'it'} " + (
        "holds whole numbers or True/False, which have no gradient" if whole else
        "does not require grad, nor does anything that it was computed from"))
    if not whole:
        story.cure = f"`{name or 't'}.requires_grad_()` before anything is computed from it."
    return str(story)


def saved_inference(t: Tensor) -> str:
    """A tensor of inference mode would be kept for backward: which, and where it was made."""
    frame = user_frames()[0]
    here, name = of_frame(frame), Names([frame]).of(t)
    story = Story("")
    found, _ = (None, None) if name is None or not name.isidentifier() else \
        breaks.find_named(frame, name)
    if found is not None and found.place is not None:
        story.add(found.opened or found.place, f"torch.inference_mode() is on here, and "
                  f"{f'`{name}`' if name else 'a tensor'} was made in it")
    story.add(here, f"{f'`{name}`' if name else 'it'} would have to be kept for backward here")
    story.cure = (f"use `{name or 't'}.clone()` here, or torch.no_grad() instead of "
                  "torch.inference_mode().")
    return str(story)
