"""What an error of autograd says after PyTorch's own sentence: who did what on which line.

One function for each topic that `autograd/explain.py` asks for; each returns plain text, or "" if
nothing more is known. All of this runs only after something has failed.
"""

from __future__ import annotations

import ast
import linecache
import re
from types import FrameType
from typing import Any

from .._state import state
from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.module import Module
from . import breaks, reading
from . import source as S
from .changed import modified
from .cuts import in_place_text
from .freed import freed
from .misfits import in_module
from .names import Names
from .places import Place, of_frame, user_frames
from .programs import assigned, called_name, env_of
from .slopes import CURE, CURES, at, first_bad, operands_at, values_at
from .stories import Story

__all__ = ["computed_parameter", "freed", "in_module", "modified", "nan_gradient", "non_leaf",
           "not_recorded", "not_scalar", "nothing_to_optimize", "saved_inference",
           "undifferentiated", "untracked", "unused", "written_leaf"]

TAKEN = ("select", "slice", "indexing", "index")
SILENCED = ("Do not set `{0}.requires_grad = True`: the error would go away, but backward() would "
            "stop at `{0}` and nothing would be trained.")


# --------------------------------------------------------------------------- a broken graph

def nan_gradient(node: Node, array: Any) -> str:
    """A gradient is nan: which element, and what came in there."""
    index, kind = first_bad(array)
    operator = reading.operator_name(node)
    values = values_at({s.name: s.array for s in reading.saved(node)}, index, operator)
    story = Story(f"The gradient of {operator}() is {kind}{at(index)}:")
    where = reading.place_of(node) or _traced_at(node)
    story.add(where, (", ".join(values) or "it was computed") + " here")
    story.cure = CURES.get(operator, CURE).format(*operands_at(where, operator)) + "."
    return str(story)


def _traced_at(node: Node) -> Place | None:
    """The line that made a node, as anomaly mode has noted it."""
    stack = node.metadata.get("traceback_") or [""]
    found = re.match(r'  File "(.*)", line (\d+), in (.*)', stack[-1])
    return None if found is None else Place(
        found[1], int(found[2]), linecache.getline(found[1], int(found[2])).strip(), found[3])


def not_recorded(t: Tensor, position: int) -> str:
    """Where the graph broke on the way to `t`, which backward() was called on."""
    frame = user_frames()[0]
    here = of_frame(frame)
    found, search = breaks.find(frame, position)
    if found is None and not search.frozen:
        found = breaks.find(frame, position, drawn=True)[0]
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
        _tell_frozen(story, frame, *search.frozen[0])
    else:
        _tell_unrecorded(story, frame, search.plain, name, here)
    return str(story)


def _tell_frozen(story: Story, frame: FrameType, path: str, module: Module) -> None:
    """A network is frozen, or what is not frozen of it went into nothing."""
    names = Names([frame])
    path = names.of(module) or path
    count = sum(1 for _ in module.parameters())
    story.add(frozen_at(frame), f"all {count} parameters of `{path}` are frozen "
              "(requires_grad=False)")
    story.cure = f"unfreeze what you want to train: `{path}.requires_grad_(True)`."
    for whole in [m for m in names.objects.values() if isinstance(m, Module) and m is not module]:
        unused = [(name, m) for name, m in whole.named_children() if breaks.trainable(m)]
        if unused and any(m is module for m in whole.modules()):
            name, kind = f"{names.of(whole)}.{unused[0][0]}", type(whole).__name__
            env = env_of(frame)
            story.add(env and assigned(env, name), f"`{name}` can be trained, and forward() of "
                      f"{kind} does not call it")
            called = [part for part, m in whole.named_children() if not breaks.trainable(m)]
            story.cure = (f"put it in the place of a layer that forward() calls, such as "
                          f"`{names.of(whole)}.{called[-1]}`; or call it in forward().")
            return


def _tell_unrecorded(story: Story, frame: FrameType, plain: dict[str, Place | None], name: str,
                     here: Place) -> None:
    """Nothing was cut: recording is off, or nothing that requires grad went into `name`."""
    if not state.grad:
        _tell_switched(story, frame, here)
    elif (late := required_late(frame, name)) is not None:
        story.add(late[0], f"`{late[1]}` is told to require grad here, when `{name}` had been "
                  "computed from it already")
        story.cure = "do that before anything is computed from it."
    elif plain and (unused := unused_result(frame)) is not None:
        story.add(unused[0], f"`{unused[1]}` is a result with a history, and is used nowhere")
        story.add(here, f"`{name}` was computed without it")
        story.cure = f"compute the loss from `{unused[1]}`."
    elif plain:
        _tell_plain(story, plain, name, here)
    else:
        story.add(here, f"nothing was recorded for `{name}`")
        story.cure = ("see that it is computed from something that requires grad, without "
                      "no_grad(), detach(), item(), numpy() or torch.tensor() on the way.")


def _tell_switched(story: Story, frame: FrameType, here: Place) -> None:
    """Recording is off: by a call of set_grad_enabled() that no `with` ends, or by a block."""
    env = env_of(frame)
    calls = [] if env is None else [
        n.value for n in env.source.nodes if isinstance(n, ast.Expr)
        and isinstance(n.value, ast.Call) and called_name(n.value) == "set_grad_enabled"]
    if calls and env is not None:
        text = ast.unparse(calls[0])
        story.add(env.source.place(calls[0]), "this lasts until it is called again, and has left "
                  "recording off")
        story.add(here, "so it is off here")
        story.cure = f"`with {text}:` around the part that it is meant for."
        return
    story.add(here, "recording is off here (torch.no_grad or set_grad_enabled(False))")
    story.cure = "compute the loss and call backward() where recording is on."


def unused_result(frame: FrameType) -> tuple[Place, str] | None:
    """The line that sets a variable to a tensor with a history which the file never reads."""
    env = env_of(frame)
    if env is None:
        return None
    read = {n.id for n in ast.walk(env.scope) if isinstance(n, ast.Name)
            and isinstance(n.ctx, ast.Load)}
    for name, value in env.values.items():
        if isinstance(value, Tensor) and reading.head(value) is not None and name not in read:
            for made in S.assignments(env.scope, name)[-1:]:
                return env.source.place(made), name
    return None


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


def required_late(frame: FrameType, name: str) -> tuple[Place, str] | None:
    """The line that made a tensor require grad after `name` was computed, and that tensor."""
    env = env_of(frame)
    made = [] if env is None else S.assignments(env.scope, name)[-1:]
    for node in S.inside(env.scope) if made and env is not None else ():
        owner: ast.expr | None = None
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute) and (
                node.targets[0].attr == "requires_grad"):
            owner = node.targets[0].value
        elif isinstance(node, ast.Call) and called_name(node) == "requires_grad_" and isinstance(
                node.func, ast.Attribute):
            owner = node.func.value
        if owner is not None and node.lineno > made[0].lineno and (
                ast.unparse(owner) in S.names_in(made[0])):
            return env.source.place(S.statement(node)), ast.unparse(owner)
    return None


def frozen_at(frame: FrameType) -> Place | None:
    """The line that froze parameters: p.requires_grad = False or requires_grad_(False)."""
    env = env_of(frame)
    for node in [] if env is None else env.source.nodes:
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

def non_leaf(t: Tensor, frames: list[FrameType] | None = None) -> str:
    """Where a computed tensor comes from, and which leaf's gradient was probably meant."""
    frames = user_frames() if frames is None else frames
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
    whole, bracket, key = name.partition("[")
    source = next((leaf for leaf in reading.leaves([t.grad_fn]) if names.of(leaf) == whole), None)
    if bracket and source is not None and reading.operator_name(t.grad_fn) in TAKEN:
        story.cure = f"read that part of the gradient of `{whole}`: `{whole}.grad[{key}`."
        return str(story)
    leaves = [f"`{n}.grad`" for leaf in reading.leaves([t.grad_fn]) if (n := names.of(leaf))]
    story.cure = f"call `{name}.retain_grad()` before backward()"
    story.cure += f", or read the gradient of a leaf: {', '.join(leaves[:4])}." if leaves else "."
    return str(story)


def computed_parameter(t: Tensor) -> str:
    """An optimizer was given a computed tensor."""
    frames = user_frames()
    name = Names(frames).of(t) or ""
    made = _made_at(t, frames[0], name)
    plain = name.replace(".", "").isidentifier()         # not an entry of a list, nor unnamed
    changed = plain and _requires_grad_too_early(frames[0], name) or _flag_on_the_result(made)
    thing = f"`{name}`" if name else "a tensor that is given here"
    story = Story(f"{thing} was computed, and an optimizer changes leaves only:")
    story.add(made or of_frame(frames[0]), "requires_grad was set on a tensor that this line "
              "computes with" if changed else f"{thing if name else 'it'} was computed here" if made
              else f"it is the result of {reading.operator_name(t.grad_fn)}()")
    story.cure = (f"set it on the result: `{changed}`." if changed else
                  f"make a leaf of it first: `{name} = {name}.detach().requires_grad_()`." if plain
                  else "make a leaf of it first: `t.detach().requires_grad_()`, where it is made.")
    return str(story)


def _flag_on_the_result(made: Place | None) -> str:
    """`(torch.ones(2) * 2).requires_grad_()` for a line with torch.ones(2, requires_grad=True) * 2.
    """
    source = None if made is None else S.read(made.file)
    line = None if source is None or made is None else S.statement_at(source, made)
    flag = ", requires_grad=True"
    for node in ast.walk(line) if line is not None else ():
        if isinstance(node, ast.BinOp) and flag in (text := ast.unparse(node)):
            return f"({text.replace(flag, '')}).requires_grad_()"
    return ""


def nothing_to_optimize() -> str:
    """An optimizer was given no parameters: what the Module keeps out of parameters()' sight."""
    frame = user_frames()[0]
    here, env = of_frame(frame), env_of(frame)
    story = Story("")
    call = None if env is None else S.at(env.scope, here)
    given = next((n.func.value for n in ast.walk(call or ast.Pass()) if isinstance(n, ast.Call)
                  and isinstance(n.func, ast.Attribute) and n.func.attr == "parameters"), None)
    module = None if given is None or env is None else breaks.Search().value(given, env)
    if not isinstance(module, Module):
        story.add(here, "there is nothing in what is given here; an iterator such as parameters() "
                  "can be gone through only once")
        story.cure = "keep parameters in a list: `params = list(model.parameters())`."
        return str(story)
    owner = ast.unparse(given)                                     # type: ignore[arg-type]
    if any(True for _ in module.parameters()):
        story.add(here, f"all parameters of `{owner}` are frozen, and left out")
        story.cure = f"unfreeze what you want to train: `{owner}.requires_grad_(True)`."
        return str(story)
    plain = [n for n, t in vars(module).items() if isinstance(t, Tensor) and t.requires_grad]
    lists = [n for n, v in vars(module).items() if isinstance(v, (list, tuple, dict)) and any(
        isinstance(m, Module) for m in (v.values() if isinstance(v, dict) else v))]
    story.add(here, f"`{owner}` has no parameters" + (
        f": `{owner}.{plain[0]}` is a plain tensor, and no nn.Parameter" if plain else
        f": `{owner}.{lists[0]}` is a plain list or dict, whose layers are not found" if lists
        else ""))
    story.cure = (f"`self.{plain[0]} = nn.Parameter(...)` in __init__()." if plain else
                  "keep layers in nn.ModuleList or nn.ModuleDict." if lists else
                  "make its layers in __init__(), as attributes.")
    return str(story)


def _owner_of_grad(frame: FrameType) -> str:
    """"self.h" where a frame stands at `self.h.grad`."""
    text = of_frame(frame).expression
    return text.removesuffix(".grad") if text.endswith(".grad") else ""


def _made_at(t: Tensor, frame: FrameType, name: str) -> Place | None:
    """The line that computed a tensor: traced, or the one that assigned its name last."""
    known = reading.place_of(t.grad_fn)
    env = env_of(frame)
    if known or env is None:
        return known
    now = S.statement_at(env.source, of_frame(frame))
    found = [] if now is None else S.last_assignments(env.scope, name.partition("[")[0], now)
    return env.source.place(found[-1]) if found else assigned(env, name)


def _self_update(frame: FrameType, made: Place | None) -> str:
    """`w -= 0.1 * w.grad` for the line w = w - 0.1 * w.grad."""
    env = env_of(frame)
    found = None if env is None or made is None else S.statement_at(env.source, made)
    return "" if found is None else in_place_text(found)


def _requires_grad_too_early(frame: FrameType, name: str) -> str:
    """`x = (torch.ones(2) * 2).requires_grad_()` for x = torch.ones(2, requires_grad=True) * 2."""
    env = env_of(frame)
    found = [] if env is None else [n for n in S.assignments(env.scope, name)
                                    if not isinstance(n, ast.AugAssign)]
    flag = ", requires_grad=True"
    value = next((v for n in found if flag in ast.unparse(v := getattr(n, "value", None) or n)),
                 None)
    if not isinstance(value, (ast.BinOp, ast.Call)):
        return ""
    text = ast.unparse(value)
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
    env = env_of(frame)
    found = None if env is None else S.statement_at(env.source, here)
    story.cure = f"`with torch.no_grad(): {here.text if found is None else ast.unparse(found)}`."
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
    loss = f"`{ast.unparse(result)}`" if result is not None else "this result"
    story.add(here, f"{thing} was not used to compute {loss}, or was cut off on the way")
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
    if not state.grad:
        story.add(here, "recording is off here: inside of torch.no_grad(), or of the forward() of "
                  "a Function, checkpoint()'s too")
        story.cure = "ask for it where recording is on (`if torch.is_grad_enabled():`)."
        return str(story)
    made = search.plain.get(name) if search is not None and name is not None else None
    whole = t._data.dtype.kind in "biu"
    story.add(made or here, f"{f'`{name}`' if name else 'it'} " + (
        "holds whole numbers or True/False, which have no gradient" if whole else
        "does not require grad, nor does anything that it was computed from"))
    if not whole:
        story.cure = f"`{name or 't'}.requires_grad_()` before anything is computed from it."
    return str(story)


def undifferentiated(t: Tensor) -> str:
    """grad() was asked for the gradient of a tensor that does not require grad."""
    frame = user_frames()[0]
    here, name, env = of_frame(frame), Names([frame]).of(t), env_of(frame)
    made = None if env is None or name is None else assigned(env, name)
    asked = breaks.asked_for(env, here, 0) if env is not None and name is None else None
    if isinstance(asked, ast.Call) and called_name(asked) == "detach" and asked.func is not None:
        story = Story(f"There is no gradient for `{ast.unparse(asked)}`:")
        story.add(here, "detach() makes a new tensor here, without a history, and the result was "
                  "not computed from that one")
        story.cure = f"ask for the gradient of `{ast.unparse(asked.func.value)}`."
        return str(story)
    cut = None if name is None or not name.isidentifier() else breaks.find_named(frame, name)[0]
    if not state.grad or made is None or t._data.dtype.kind in "biu" or cut is None:
        return untracked(t)
    story = Story("")
    story.add(made, f"`{name}` does not require grad: {cut.what}")
    story.add(here, f"so there is no gradient for `{name}`")
    story.cure = f"`{name}.requires_grad_()` on a line after {made.line}, before it is used."
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
