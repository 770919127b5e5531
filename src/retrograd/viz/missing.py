"""Parameters that no edge of a graph leads to, and the lines that cut them off."""

from __future__ import annotations

from types import FrameType

from .._tensor import Tensor
from ..debug import breaks
from ..debug.cuts import Break
from ..debug.names import Names
from ..debug.places import of_frame, user_frames
from ..debug.programs import env_of
from ..nn.modules.module import Module

MOST = 20                # parameters that a cut is looked for


def outermost(modules: dict[str, Module]) -> dict[str, Module]:
    """The Modules that are in no other, each by the name that the outermost frame has for it."""
    inner = {id(inside) for m in modules.values() for inside in m.modules() if inside is not m}
    names = {id(m): name for name, m in modules.items() if name != "self"}
    return {names.get(id(m), name): m for name, m in modules.items() if id(m) not in inner}


def apart(modules: dict[str, Module], leaves: set[int]) -> dict[str, Tensor]:
    """The parameters of the Modules at work, by name, that are not among the leaves of a graph.

    `leaves` are ids; a Module none of whose parameters is there is not at work.
    """
    found: dict[int, tuple[str, Tensor]] = {}
    for name, module in modules.items():
        parameters = dict(module.named_parameters())
        if any(id(p) in leaves for p in parameters.values()):
            found |= {id(p): (f"{name}.{path}" if name else path, p)
                      for path, p in parameters.items() if p.requires_grad and id(p) not in leaves}
    return dict(found.values())


def cuts(parameters: list[Tensor], frame: FrameType, result: Tensor | None = None,
         ) -> dict[int, Break]:
    """By id, what cuts parameters off from the result that a graph is drawn of.

    `frame` stands at the line that calls backward(), or that has a variable for `result`.
    """
    env = env_of(frame) if parameters else None
    if env is None:
        return {}
    name = None if result is None else Names(user_frames(frame)).of(result)
    goal = breaks.variable(name, env) if name and name.isidentifier() else breaks.argument(
        env, of_frame(frame))
    found = {id(p): breaks.Search(p).why(goal, env) or breaks.Search(p, drawn=True).why(goal, env)
             for p in parameters[:MOST]} if goal is not None else {}
    return {key: cut for key, cut in found.items() if cut is not None and cut.place is not None}


def grouped(missing: dict[str, Tensor], found: dict[int, Break]) -> list[tuple[Break, list[str]]]:
    """The cuts, a line once, and the names of what each cuts off."""
    lines: dict[str, tuple[Break, list[str]]] = {}
    for name, p in missing.items():
        cut = found.get(id(p))
        if cut is not None:
            lines.setdefault(f"{cut.place} {cut.what}", (cut, []))[1].append(name)
    return list(lines.values())
