"""What is said of an error by the program's variables where it happened: why, and the cure."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from .._callers import is_own
from .._tensor import Tensor
from ..autograd.node import Node
from ..nn.modules.container import ModuleDict, ModuleList
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import breaks
from . import source as S
from .cuts import gives_positions
from .errors import non_leaf
from .explaining import explanation_of
from .misfits import called, fitting, shown
from .places import of_traceback
from .programs import called_function, env_of
from .sentences import NO_TENSORS, Said
from .stories import Story
from .words import counted

HERE = str(Path(__file__).parent)
SPOKEN = {"__getitem__": "what is indexed here is", "__setitem__": "what is written to here is"}
NUMBER_OF_GRADIENTS = (r"function (\w+)Backward returned an incorrect number of gradients "
                       r"\(expected (\d+), got (\d+)\)")
NO_GRADIENT = r"expected Variable or None \(got (\w+)\)$"
GRADIENT_OF_A_NUMBER = (r"function (\w+)Backward returned a gradient different than None at "
                        r"position (\d+), but the corresponding forward input was not a Variable")


def by_circumstances(error: BaseException, sentence: str, text: str,
                     last: TracebackType) -> Said | None:
    """What is said of an error by the program's variables where it happened."""
    if 'missing the required "forward"' in sentence:
        return no_forward(last)
    if sentence.startswith("Boolean value of Tensor"):
        return given_to_a_class(last)
    if not_tensor := re.search("must be Tensor, not (\\w+)$", sentence):
        return (was_made_of_a_class(last, not_tensor[1]) or list_of_tensors(last)
                or (NO_TENSORS if not_tensor[1] == "list" else None))
    if "object is not callable" in sentence and (
            said := hidden_method(last) or closure_is_a_tensor(last)):
        return said
    if "NoneType" in sentence and (said := closure_without_return(last)
                                   or forward_without_return(last)):
        return said
    if "torch.return_types." in sentence and (said := values_and_places(last)):
        return said
    if sentence.startswith("Jacobian mismatch"):
        return of_gradcheck(last)
    if "object has no attribute 'backward'" in sentence:
        return why_no_tensor(last.tb_frame)
    if isinstance(error, (AttributeError, TypeError)) and not text:
        return (why_no_gradient(last) or computed_with_a_tuple(last) or no_self(sentence, last)
                or no_number(error, last) or another_attribute(error))
    if sentence.startswith("only one element tensors") and (said := list_in_tensor(last)):
        return said
    said = state_of_another(last) or returned_by_backward(sentence, last)
    if said is None and "\n  " not in text:                # no line of the program is told of
        story, cure = parts(text)
        given, fits = given_to_a_function(last)
        said = given or story, fits or cure
    return said


def returned_by_backward(sentence: str, last: TracebackType) -> Said | None:
    """For a Function whose backward() returns too many gradients, or in another order."""
    if counts := re.match(NUMBER_OF_GRADIENTS, sentence):
        name, wanted, got = counts.groups()
        return (f"{name}.backward() returns {got}{at_return(last, name)}",
                f"return one for each argument of {name}.forward(), {wanted} here, in the same "
                "order: None for one that needs none, such as a number")
    if wrong := re.match(GRADIENT_OF_A_NUMBER, sentence):
        name, position = wrong.groups()
        return (f"argument {position} of {name}.forward() is no tensor that requires grad, and "
                f"{name}.backward() returns a gradient in its place{at_return(last, name)}",
                f"return the gradients in the order of the arguments of {name}.forward(), and "
                "None for this one")
    if kind := re.match(NO_GRADIENT, sentence):
        nodes = [n for f in frames_of(last) if isinstance(n := f.f_locals.get("node"), Node)]
        name = nodes[-1].name().removesuffix("Backward") if nodes else ""
        array = kind[1] == "ndarray"
        return (f"backward() of the Function {name} returns "
                f"{'a NumPy array' if array else f'an object of the type {kind[1]}'}"
                f"{at_return(last, name)}",
                "return tensors" + (", `torch.from_numpy(...)` of the array" if array else ""))
    return None


def at_return(last: TracebackType, name: str) -> str:
    """Where the backward() of a Function returns, in the file that an error came from, or ""."""
    source = S.read(last.tb_frame.f_code.co_filename)
    found = [n for c in source.nodes if isinstance(c, ast.ClassDef) and c.name == name
             for f in c.body if getattr(f, "name", "") == "backward" for n in ast.walk(f)
             if isinstance(n, ast.Return)] if source is not None else []
    return f", at {source.place(found[-1])}" if found and source is not None else ""


def parts_of_statement(trace: TracebackType, *kinds: type) -> Iterator[tuple[Any, breaks.Env]]:
    """The nodes of these kinds in the statement that raised an error, with what is known there."""
    env = env_of(trace.tb_frame)
    statement = None if env is None else S.statement_at(env.source, of_traceback(trace))
    for node in ast.walk(statement) if statement is not None else ():
        if env is not None and isinstance(node, kinds):
            yield node, env


def given_to_a_class(trace: TracebackType) -> Said | None:
    """For nn.CrossEntropyLoss(output, target): what was called, and the cure."""
    for call, env in parts_of_statement(trace, ast.Call):
        kind = breaks.Search().value(call.func, env)
        if isinstance(kind, type) and issubclass(kind, Module) and call.args:
            name, given = ast.unparse(call.func), ", ".join(map(ast.unparse, call.args))
            return (f"`{name}(...)` makes a Module, and takes settings, no tensors",
                    f"make it first, and call what was made: `{name}()({given})`")
    return None


def was_made_of_a_class(trace: TracebackType, kind: str) -> Said | None:
    """For `x = nn.ReLU(h)`, an `x` that is no tensor: the line that made it, and the cure."""
    for name, env in parts_of_statement(trace, ast.Name):
        value = breaks.Search().value(name, env)
        if not isinstance(value, Module) or type(value).__name__ != kind:
            continue
        text = ast.unparse(name)
        for made in S.assignments(env.scope, text)[-1:]:
            call = getattr(made, "value", None)
            if isinstance(call, ast.Call) and breaks.Search().value(
                    call.func, env) is type(value) and call.args:
                function = ast.unparse(call.func)
                given = ", ".join(map(ast.unparse, call.args))
                return (f"`{function}(...)` makes a Module, and takes settings, no tensors; "
                        f"`{text}` is that Module since {env.source.place(made)}",
                        f"make it first, and call what was made: `{function}()({given})`")
    return None


def list_of_tensors(trace: TracebackType) -> Said | None:
    """For a function that was given a list of tensors: which variable it is, and the cure."""
    for node, env in parts_of_statement(trace, ast.Name):
        value = breaks.Search().value(node, env)
        if isinstance(value, (list, tuple)) and value and all(
                isinstance(t, Tensor) for t in value):
            text = ast.unparse(node)
            return (f"`{text}` is a {type(value).__name__} of {len(value)} tensors; a DataLoader "
                    "makes one of samples that are lists of numbers, with a tensor for each place",
                    f"make one tensor of them, `torch.stack({text}, dim=1)`; or let the dataset "
                    "return `torch.tensor([...])` for a sample")
    return None


def hidden_method(trace: TracebackType) -> Said | None:
    """For `net.train()`, where `self.train = True` has put a bool in the method's place."""
    for node, env in parts_of_statement(trace, ast.expr):
        owner = breaks.Search().value(node, env)
        hidden = [name for name in vars(owner) if callable(getattr(Module, name, None))] \
            if isinstance(owner, Module) else []
        if hidden:
            name, kind = hidden[0], type(owner).__name__
            return (f"`{name}()` is a method of every Module, and `self.{name} = ...` in {kind} "
                    "has put something else in its place",
                    f"another name for the attribute, such as `self.{name}_`")
    return None


def closure_without_return(trace: TracebackType) -> Said | None:
    """For an optimizer that computes with what its closure returns: None."""
    inside: TracebackType | None = trace
    while inside is not None:
        values = inside.tb_frame.f_locals
        code = getattr(values.get("closure"), "__code__", None)
        if isinstance(values.get("self"), Optimizer) and code is not None:
            name = "the closure" if code.co_name == "<lambda>" else f"`{code.co_name}`"
            return (f"step() computes with the loss that {name} returns, and it returns None",
                    "end it with `return loss`")
        inside = inside.tb_next
    return None


def closure_is_a_tensor(trace: TracebackType) -> Said | None:
    """For `optimizer.step(loss)`, which would call the loss."""
    inside: TracebackType | None = trace
    while inside is not None:
        values = inside.tb_frame.f_locals
        if isinstance(values.get("self"), Optimizer) and isinstance(values.get("closure"), Tensor):
            return ("step() does not take the loss: it uses the gradients that loss.backward() has "
                    "filled in", "`loss.backward()`, and after it `optimizer.step()`, with nothing "
                    "in the parentheses")
        inside = inside.tb_next
    return None


def forward_without_return(trace: TracebackType) -> Said | None:
    """For what computes with the result of a network whose forward() does not return it."""
    for node, env in parts_of_statement(trace, ast.Call, ast.Name):
        made = S.assignments(env.scope, node.id)[-1:] if isinstance(node, ast.Name) and (
            breaks.Search().value(node, env) is None) else []
        call = getattr(made[0], "value", None) if made else node
        body = called_function(breaks.Search().value(call.func, env)) if isinstance(
            call, ast.Call) else None
        source = S.read(body.__code__.co_filename) if body is not None else None
        scope = None if body is None or source is None else source.scope(body.__code__)
        if source is None or not isinstance(scope, ast.FunctionDef) or any(
                isinstance(n, (ast.Return, ast.Yield)) for n in S.inside(scope)):
            continue
        last = scope.body[-1]
        value = ast.unparse(last.targets[0] if isinstance(last, ast.Assign) else last.value
                            ) if isinstance(last, (ast.Assign, ast.Expr)) else "y"
        return (f"`{ast.unparse(call)}` gave None: {scope.name}(), at {source.place(scope)}, has "
                "no `return`", f"end {scope.name}() with `return {value}`")
    return None


def values_and_places(trace: TracebackType) -> Said | None:
    """For a pair such as torch.max(x, dim) returns, where a tensor is wanted."""
    for node, env in parts_of_statement(trace, ast.Call, ast.Name):
        held = breaks.Search().value(node, env) if isinstance(node, ast.Name) else None
        if isinstance(held, tuple) and hasattr(held, "values") or gives_positions(node):
            text = S.bracketed(node)
            return (f"`{text}` is a pair of tensors, `values` and `indices`, as max(), min(), "
                    "sort() and topk() give it for a dimension",
                    f"take one of them: `{text}.values`, or `{text}.indices`, which are the places "
                    "(of scores the numbers of the classes)")
    return None


def no_self(sentence: str, trace: TracebackType) -> Said | None:
    """For a method that is defined without `self`."""
    taken = re.match(r"(\w+)\.(\w+)\(\) takes \d+ positional arguments? but \d+ w", sentence)
    env = env_of(trace.tb_frame) if taken else None
    for node in env.source.nodes if env is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == taken[2] and isinstance(
                node.parent, ast.ClassDef) and node.parent.name == taken[1] and (
                S.parameter_names(node)[:1] != ["self"] and not node.decorator_list):
            given = ", ".join(["self", ast.unparse(node.args)]).removesuffix(", ")
            return (f"Python gives a method its object as the first argument, and {taken[2]}(), at "
                    f"{env.source.place(node)}, has no place for it",
                    f"`def {taken[2]}({given}):`")
    return None


def no_number(error: BaseException, trace: TracebackType) -> Said | None:
    """For an optimizer that was given None or a text where it takes a number."""
    frames = [f for f in frames_of(trace) if isinstance(f.f_locals.get("self"), Optimizer)
              and f.f_code.co_name == "__init__"]
    values = frames[0].f_locals if frames and "not supported between" in str(error) else {}
    for name, value in values.items():
        if value is None and name in ("lr", "weight_decay", "momentum", "eps"):
            return (f"`{name}` is None here: an option of argparse that is not given, and has no "
                    "`default=`, for one", f"give it a number, `{name}=1e-3`")
        if isinstance(value, str):
            return (f"`{name}` is a text here, {value!r}: one that was read from a file or from "
                    "the command line, for one (YAML reads 1e-3 as a text, and 1.0e-3 as a number)",
                    f"make a number of it: `float({value!r})`; for argparse give `type=float`")
    return None


def frames_of(trace: TracebackType | None) -> Iterator[FrameType]:
    """The frames that an error has gone through, outermost first."""
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def another_attribute(error: BaseException) -> Said | None:
    """For an attribute of a Module that is nearly that of another name."""
    module = getattr(error, "obj", None)
    if not isinstance(error, AttributeError) or not isinstance(module, Module) or not error.name:
        return None
    own = [n for n in (*vars(module), *module._parameters, *module._buffers, *module._modules)
           if not n.startswith("_") and n != "training"]
    near = get_close_matches(error.name, own, n=1)
    kind = type(module).__name__
    return (f"{kind} has `{'`, `'.join(own[-6:])}`" if own else "",
            f"`{near[0]}`, which it has; or set `self.{error.name}` in __init__()" if near
            else f"set `self.{error.name} = ...` in __init__() of {kind}")


def list_in_tensor(trace: TracebackType) -> Said | None:
    """For torch.tensor() of a list of tensors that have several elements each."""
    for call, _ in parts_of_statement(trace, ast.Call):
        if S.dotted(call.func) in ("torch.tensor", "torch.Tensor", "torch.FloatTensor",
                                   "np.array") and call.args:
            text = ast.unparse(call.args[0])
            return ("it makes a tensor of numbers, and is given tensors of several each",
                    f"`torch.stack({text})`, which also keeps the history of each")
    return None


def of_gradcheck(trace: TracebackType) -> Said:
    """For gradcheck() that has found different numbers: whether float32 is the reason."""
    inside: TracebackType | None = trace
    while inside is not None:
        given = [t for v in list(inside.tb_frame.f_locals.values())
                 for t in (v if isinstance(v, (tuple, list)) else (v,))]
        if any(isinstance(t, Tensor) and t.requires_grad and t.itemsize < 8 for t in given):
            return ("gradcheck() changes each number by 1e-6 and looks at what comes out: float32 "
                    "has 7 digits, too few to see that",
                    "give it float64: `x.double().detach().requires_grad_()`")
        inside = inside.tb_next
    return ("what backward() computes differs from what changing the inputs a little gives",
            "look at the formula in backward(); the numbers above say for which element it is "
            "wrong")


def why_no_tensor(frame: FrameType) -> Said | None:
    """For a loss that is a plain number: where it stopped being a tensor, and the cure."""
    found, _ = breaks.find(frame)
    if found is None:
        return None
    story = Story("It is a plain number by then:")
    story.cut_at(found)
    return parts(str(story))


def why_no_gradient(trace: TracebackType) -> Said | None:
    """For a line that computes with `x.grad`, which is None: why it is, and the cure."""
    for node, env in parts_of_statement(trace, ast.Attribute):
        t = breaks.Search().value(node.value, env) if node.attr == "grad" else None
        if isinstance(t, Tensor) and t._grad is None:
            story, cure = parts(missing(t, trace.tb_frame))
            used = getattr(getattr(node, "parent", None), "attr", "")
            if not cure and t.requires_grad and used in ("zero_", "detach_"):
                cure = f"`if {ast.unparse(node)} is not None:` before it, or do it after backward()"
            return story, cure or (
                f"make sure that a loss is computed from `{ast.unparse(node.value)}`, by lines "
                "that run after it has come to require grad, and call backward() before this line"
                if t.requires_grad
                else f"`{ast.unparse(node.value)}.requires_grad_()` before anything is computed "
                "from it")
    return None


def computed_with_a_tuple(trace: TracebackType) -> Said | None:
    """For a line that computes with a tuple of tensors: ctx.saved_tensors, what nn.LSTM returns."""
    for node, env in parts_of_statement(trace, ast.BinOp, ast.Attribute, ast.Subscript):
        for name in [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]:
            value = breaks.Search().value(name, env)
            if not isinstance(value, tuple) or not any(isinstance(t, Tensor) for t in value):
                continue
            text = ast.unparse(name)
            made = next((m.value for m in S.assignments(env.scope, text)
                         if isinstance(m, ast.Assign)), None)
            names = ", ".join([text, *["_"] * (len(value) - 1)])
            cure = f"take one part of it, such as `{text}[0]`" if made is None else (
                f"unpack it: `{names if len(value) > 1 else f'({text},)'} = {ast.unparse(made)}`")
            return f"`{text}` is a tuple of {counted(len(value), 'part')}", cure
    return None


def no_forward(trace: TracebackType) -> Said | None:
    """For a Module without forward(): whether a method has nearly that name."""
    inside: TracebackType | None = trace
    while inside is not None:
        module = inside.tb_frame.f_locals.get("self")
        if isinstance(module, (ModuleList, ModuleDict)):
            items = "" if isinstance(module, ModuleList) else ".values()"
            return (f"an nn.{type(module).__name__} only holds layers, and does not say in which "
                    "order to call them",
                    f"call them one by one, `for layer in self.layers{items}: x = layer(x)`, or "
                    "take nn.Sequential(*layers)")
        if isinstance(module, Module):
            kind = type(module)
            near = get_close_matches("forward", vars(kind), n=1)
            return (f"a call of {kind.__name__} runs its forward(self, ...)",
                    f"`def {near[0]}` in {kind.__name__} should be `def forward`" if near else
                    "define it, inside of the class and by this name")
        inside = inside.tb_next
    return None


def state_of_another(trace: TracebackType) -> Said | None:
    """For a step() with a state, such as Adam's averages, of another network's optimizer."""
    inside: TracebackType | None = trace
    while inside is not None:
        optimizer = inside.tb_frame.f_locals.get("self")
        states = vars(optimizer).get("state", {}) if isinstance(optimizer, Optimizer) else {}
        for p, kept in states.items():           # there are none yet while it is being made
            for name, t in kept.items():
                if isinstance(t, Tensor) and t._data.ndim and t._data.shape != p._data.shape:
                    return (f"the optimizer keeps a `{name}` of shape {tuple(t._data.shape)} for a "
                            f"parameter of shape {tuple(p._data.shape)}: it was loaded from the "
                            "state of an optimizer of other parameters",
                            "load the state that was saved for this network, with its parameters "
                            "in the same order; after a change of the network begin with a new "
                            "optimizer")
        inside = inside.tb_next
    return None


def given_to_a_function(trace: TracebackType) -> Said:
    """For a function of this package that failed: the tensors it was given, and what would fit."""
    inside = trace.tb_next
    while inside is not None and is_own(inside.tb_frame.f_code.co_filename):
        code, values = inside.tb_frame.f_code, inside.tb_frame.f_locals
        if code.co_filename.startswith(HERE):    # the doctor, who looks on
            inside = inside.tb_next
            continue
        named = [values.get(name) for name in code.co_varnames[:code.co_argcount]]
        given = [t for t in named if isinstance(t, Tensor)]
        if given:
            name = called(code) or code.co_name
            if name == "__new__":
                name = values["cls"].__name__
            if name.startswith("_") and not name.endswith("_"):      # nobody calls it by that name
                return "", ""
            told = SPOKEN.get(name) or f"{name.strip('_')}() was given"
            return f"{told} {' and '.join(map(shown, given))}", fitting(name, given)
        inside = inside.tb_next                  # a wrapper, that has them in *args
    return "", ""


def missing(t: Tensor, frame: FrameType) -> str:
    """Why t.grad is None."""
    if t.requires_grad and not t.is_leaf:
        return non_leaf(t, [frame])
    known = explanation_of(t, None, [frame])
    return "\n".join([*known.says, known.cut] if known.cut else known.says)


def parts(text: str) -> Said:
    """An explanation and its cure."""
    told, _, cure = text.partition("Cure: ")
    return textwrap.dedent(told).strip("\n"), cure.strip()
