"""The finding that a program ended with an error: on the user's line, with what is known of it."""

from __future__ import annotations

import ast
import linecache
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from .._callers import is_own, leave_out_own_frames
from .._tensor import Tensor
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import breaks
from . import source as S
from .errors import non_leaf
from .explaining import explanation_of
from .findings import Finding
from .misfits import called, fitting, shown
from .places import Place, is_library, of_traceback
from .programs import env_of
from .stories import Story
from .words import counted

Said = tuple[str, str]           # what is said of an error: why it came, and the cure

SAVED_OTHERS = ("ctx.saved_tensors holds what forward() has given to ctx.save_for_backward(), and "
                "that is another number of tensors",
                "call `ctx.save_for_backward(...)` once in forward(), with all tensors that are "
                "unpacked here")
HERE = str(Path(__file__).parent)
KNOWN = {                # sentences of errors, and what is said of them: why, and the cure
    r"ReduceLROnPlateau.step\(\) missing": (
        "it lowers the rate when a number has stopped falling, and has to be told that number",
        "`scheduler.step(loss)`, with the loss of the validation, once in each epoch"),
    "name 'get_ipython' is not defined": (
        "this line was a command of a notebook, such as %matplotlib or !pip, and was exported as "
        "one that works in a notebook only",
        "leave it out of the script"),
    "attempted relative import with no known parent package": (
        "a file that is run by its path belongs to no package",
        "run it by its name, from the folder that the package lies in: "
        "`retrograd doctor -m package.module`"),
    r"^No module named '(?!torch\b|retrograd\b)": (
        "Python has looked for it beside the script and among the packages of this environment",
        "install it there, `python -m pip install ...` (some packages are installed under another "
        "name than they are imported by); for a file of yours, put the script beside it, or run "
        "`retrograd doctor -m package.module` from the folder that the package lies in"),
    r"LBFGS.step\(\) missing": (
        "it computes the loss several times in each step, and has to be told how",
        "`optimizer.step(closure)`, where closure() calls optimizer.zero_grad(), computes the "
        "loss, calls loss.backward() and returns the loss"),
    r"Backward hook returned an invalid number of grad_input, got \d+, but expected \d+": (
        "a full backward hook takes the place of the gradients of the Module's inputs",
        "return a tuple with one gradient for each input of the Module, `(grad_input[0] * 0.5,)` "
        "for one, or None to leave them as they are"),
    "No inf checks were recorded": (
        "scaler.step(optimizer) was not called since the last update(); optimizer.step() by itself "
        "uses gradients that are still scaled up",
        "call `scaler.step(optimizer)` instead of `optimizer.step()`"),
    r"(step|unscale_)\(\) has already been called (on this optimizer )?since the last update": (
        "a GradScaler looks at each optimizer's gradients once, until update() begins a new "
        "iteration", "call `scaler.update()` at the end of each iteration, after scaler.step()"),
    r"Output \d+ of \w+ is a view and is being modified inplace": (
        "the operator that made this view gives several views at once, of which none may be "
        "written to", "make a new tensor: `a = a * 2` instead of `a *= 2`, or `a = a.clone()` "
        "before it is written to"),
    r"(?s)Expected (parameter|value) .*found invalid values.*\bnan\b": (
        "these numbers are nan, and so were computed from nan: a weight that became so in an "
        "earlier step, or data", "see where the first nan came from: if it was in a loss, it is "
        "another finding"),
    r"(?s)Expected parameter probs .*found invalid values": (
        "probabilities lie between 0 and 1, and those of several classes sum to 1: these are "
        "scores, as a layer gives them, and `probs` comes first among the arguments",
        "`Categorical(logits=scores)`, or give it softmax() of the scores"),
    r"(?s)Expected parameter (scale|rate|concentration\w*|df) .*found invalid values": (
        "this number has to be above 0, and a layer gives numbers of any sign",
        "`F.softplus(x)`, or `torch.exp(log_std)` where the layer gives the logarithm"),
    r"\w+\(\): argument '.*' .*must be Tensor, not tuple": (
        "a layer such as nn.LSTM or nn.GRU returns a tuple: its output, and its state",
        "take the first part, `out, _ = lstm(x)`, in a forward() of your own: nn.Sequential hands "
        "on the whole tuple"),
    "'tuple' object has no attribute 'dim'": (
        "a layer was given a tuple where it takes one tensor: nn.LSTM has a pair of states, nn.GRU "
        "and nn.RNN have one", "give `h_0` alone to nn.GRU or nn.RNN"),
    "var has negative entry": (
        "the variance that the network gives is negative for some examples",
        "let it give a number that cannot be: `F.softplus(x)`, or its logarithm, "
        "`torch.exp(log_var)`"),
    "Legacy autograd function": (
        "to make an object of a Function and call that is the way of old versions",
        "call apply() of the class itself: `MyFunction.apply(x)`"),
    "hook '.*' has changed the size": (
        "what a hook returns takes the place of the gradient, so it needs its shape",
        "return a gradient of the shape of the one that is given, or None to leave that as it is"),
    "betas must be either both floats": (
        "one of them is a float and the other a whole number",
        "write 0.0 instead of 0: `betas=(0.0, 0.9)`"),
    "cannot assign .* before Module.__init__": (
        "a Module must be prepared before it can hold layers and parameters",
        "call `super().__init__()` first in __init__()"),
    "'method' object is not iterable": (
        "a method was given where its result is wanted",
        "call it, with parentheses: `net.parameters()`"),
    "'(list|tuple)' object has no attribute 'backward'": (
        "", "make one number of the losses: `sum(losses).backward()`"),
    "result type Float can't be cast to the desired output type Long": (
        "this would put fractions into a tensor of whole numbers, such as the "
        "`num_batches_tracked` of a BatchNorm in a state_dict()",
        "leave such tensors as they are (`if t.is_floating_point():`), or make a new tensor: "
        "`a = a / n` instead of `a /= n`"),
    r"Tried to step \d+ times. The specified number of total steps is \d+": (
        "OneCycleLR is made for a number of steps, and this is one too many: `total_steps`, or "
        "`epochs` times `steps_per_epoch`",
        "with scheduler.step() in every batch `total_steps=epochs * len(loader)`; or call it once "
        "in each epoch"),
}


NUMBER_OF_GRADIENTS = (r"function (\w+)Backward returned an incorrect number of gradients "
                       r"\(expected (\d+), got (\d+)\)")


GRADIENT_OF_A_NUMBER = (r"function (\w+)Backward returned a gradient different than None at "
                        r"position (\d+), but the corresponding forward input was not a Variable")


LINES = 5                # the most lines of an error's sentence that are told


def crash(error: BaseException) -> Finding:
    """The finding that the program ended with an error."""
    last = last_of_user(error)
    where = None if last is None else of_traceback(last)
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        where = Place(error.filename, error.lineno, (error.text or "").strip())
    kind, (sentence, _, text) = type(error).__name__, str(error).partition("\n\n")
    worker = caught_in_worker(error)
    if worker is not None:
        where, (sentence, _, text) = worker.where or where, worker.message.partition("\n\n")
        kind = f"in a worker of the DataLoader, {kind}"
    if sentence.startswith("Jacobian mismatch"):
        sentence = sentence.partition("\n")[0].rstrip(",")      # two matrices follow
    lines = sentence.split("\n")
    if len(lines) > LINES:                       # of numbers
        sentence = "\n".join([*lines[:LINES - 1], "..."])
    said = by_sentence(error, str(error).partition("\n\n")[0] if worker is None else sentence,
                       where)
    if said is None and last is not None and worker is None:
        said = by_frames(error, sentence, text, last)
    story, cure = said or parts(text)
    return Finding.at(where, "error", f"the program ended here: {kind}: {sentence}", story, cure)


@dataclass
class Caught:
    """What is known of an error in another process: its message, and the program's own line."""

    message: str
    where: Place | None


IN_WORKER = re.compile(r"Caught (\w+) in DataLoader worker process \d+\.\n")
FRAME = re.compile(r'  File "(.*)", line (\d+), in (.*)\n')


def caught_in_worker(error: BaseException) -> Caught | None:
    """What the text of an error says, if it is one that a worker of a DataLoader has sent."""
    text = str(error)
    if not (begin := IN_WORKER.match(text)):
        return None
    message = list(re.finditer(rf"^(?:\w+\.)*{begin[1]}: ", text, re.MULTILINE))
    own = [found for found in FRAME.findall(text) if not is_library(found[0])]
    where = None
    if own:
        file, line, function = own[-1]
        where = Place(file, int(line), linecache.getline(file, int(line)).strip(), function)
    return Caught(text[message[-1].end():].rstrip() if message else text, where)


def own_frames_left_out(text: str) -> str:
    """The traceback in an error's text without the frames of this package."""
    kept, keeps = [], True
    for line in text.splitlines(keepends=True):
        if frame := FRAME.match(line):
            keeps = not is_own(frame[1])
        elif not line.startswith("    "):
            keeps = True
        if keeps:
            kept.append(line)
    return "".join(kept)


def by_sentence(error: BaseException, sentence: str, where: Place | None) -> Said | None:
    """What is said of an error by its sentence, and perhaps by the text of its line."""
    for pattern, said in KNOWN.items():
        if re.match(pattern, sentence):
            return said
    if where is not None and "saved_tensors" in where.text and isinstance(error, ValueError):
        return SAVED_OTHERS
    if sentence.startswith("Error(s) in loading state_dict"):
        return different_keys(sentence)
    return None


def by_frames(error: BaseException, sentence: str, text: str, last: TracebackType) -> Said | None:
    """What is said of an error by the program's variables where it happened."""
    if 'missing the required "forward"' in sentence:
        return no_forward(last)
    if sentence.startswith("Boolean value of Tensor"):
        return given_to_a_class(last)
    if not_tensor := re.search("must be Tensor, not (\\w+)$", sentence):
        return was_made_of_a_class(last, not_tensor[1]) or list_of_tensors(last)
    if "object is not callable" in sentence and (hidden := hidden_method(last)):
        return hidden
    if "'NoneType'" in sentence and (said := closure_without_return(last)):
        return said
    if sentence.startswith("Jacobian mismatch"):
        return of_gradcheck(last)
    if "object has no attribute 'backward'" in sentence:
        return why_no_tensor(last.tb_frame)
    if isinstance(error, (AttributeError, TypeError)) and not text:
        return why_no_gradient(last) or computed_with_a_tuple(last)
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
    return None


def at_return(last: TracebackType, name: str) -> str:
    """Where the backward() of a Function returns, in the file that an error came from, or ""."""
    source = S.read(last.tb_frame.f_code.co_filename)
    found = [n for c in source.nodes if isinstance(c, ast.ClassDef) and c.name == name
             for f in c.body if getattr(f, "name", "") == "backward" for n in ast.walk(f)
             if isinstance(n, ast.Return)] if source is not None else []
    return f", at {source.place(found[-1])}" if found and source is not None else ""


def shorten(error: BaseException) -> None:
    """Leave the program's own frames of an error, and its first sentence, above a report."""
    leave_out_own_frames(error)
    if len(error.args) == 1 and isinstance(error.args[0], str):
        text = error.args[0].partition("\n\n")[0]
        if caught_in_worker(error) is not None:
            text = type(error.args[0])(own_frames_left_out(text))
        error.args = (text,)


def last_of_user(error: BaseException) -> TracebackType | None:
    """Where an error left the user's files; without any of his, where it left this package."""
    traces, trace = [], error.__traceback__
    while trace is not None:
        if not is_own(trace.tb_frame.f_code.co_filename):
            traces.append(trace)
        trace = trace.tb_next
    own = [t for t in traces if not is_library(t.tb_frame.f_code.co_filename)]
    return (own or traces or [None])[-1]


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
        if isinstance(module, Module):
            kind = type(module)
            near = get_close_matches("forward", vars(kind), n=1)
            return (f"a call of {kind.__name__} runs its forward(self, ...)",
                    f"`def {near[0]}` in {kind.__name__} should be `def forward`" if near else
                    "define it, inside of the class and by this name")
        inside = inside.tb_next
    return None


def different_keys(sentence: str) -> Said:
    """For load_state_dict(): a prefix that all keys of the one have and the other's lack."""
    missing, unexpected = (listed_keys(sentence, kind) for kind in ("Missing", "Unexpected"))
    if prefix := prefix_of(missing, unexpected):
        return (f"the keys of the network begin with `{prefix}`, those of what is loaded do not",
                f"put it in front: `{{{prefix!r} + k: v for k, v in state.items()}}`")
    if prefix := prefix_of(unexpected, missing):
        return (f"the keys of what is loaded begin with `{prefix}`, those of the network do not",
                f"take it off: `{{k.removeprefix({prefix!r}): v for k, v in state.items()}}`")
    return "", ""


def listed_keys(sentence: str, kind: str) -> list[str]:
    """The keys after "Missing key(s) in state_dict:", or "Unexpected ..."."""
    line = re.search(rf"{kind} key\(s\) in state_dict: (.*)", sentence)
    return re.findall(r'"([^"]+)"', line[1]) if line else []


def prefix_of(longer: list[str], shorter: list[str]) -> str:
    """What `longer` has in front of the same keys; "" if they differ otherwise."""
    prefix = longer[0][:-len(shorter[0])] if longer and shorter else ""
    return prefix if sorted(longer) == sorted(prefix + k for k in shorter) else ""


def state_of_another(trace: TracebackType) -> Said | None:
    """For a step() with a state, such as Adam's averages, of another network's optimizer."""
    inside: TracebackType | None = trace
    while inside is not None:
        optimizer = inside.tb_frame.f_locals.get("self")
        for p, kept in optimizer.state.items() if isinstance(optimizer, Optimizer) else ():
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
            return f"{name}() was given {' and '.join(map(shown, given))}", fitting(name, given)
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
