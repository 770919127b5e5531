"""Random small programs over leaves, views, writes in place, hooks and backward passes.

`program(seed)` is a list of statements, most of which make sense. `trace(statements, torch)` runs
them one by one and notes what each did: the error's type and first sentence, or the state of the
tensor it made or changed. Two libraries agree on a program when they leave the same trace.
"""

from __future__ import annotations

import random
import warnings

from comparing import first_sentence

SHAPES = [(), (3,), (2, 3), (1, 3), (2, 1)]
UNARY = ["exp", "sin", "tanh", "neg", "abs", "sigmoid", "relu", "square", "clone", "detach"]
BINARY = ["+", "-", "*", "/"]
REDUCE = ["sum()", "mean()", "sum(0)", "sum(-1, keepdim=True)", "mean(0)", "prod()", "max()"]
VIEWS = [
    *("[0]", "[:1]", "[1:]", "[..., 0]", "[..., 1:]", "[None]", ".t()", ".view(-1)"),
    *(".reshape(3, -1)", ".unsqueeze(0)", ".squeeze()", ".expand(2, 3)", ".transpose(0, -1)"),
    *(".flatten()", ".diagonal()", ".unbind()[0]", ".chunk(2)[0]", ".detach()", ".data"),
]
IN_PLACE = [
    *("{x}.mul_({y})", "{x}.add_({y})", "{x}.sub_(1)", "{x}.div_(2)", "{x}.exp_()", "{x}.zero_()"),
    *("{x}.copy_({y})", "{x}[0] = {y}", "{x}[:1] *= 2", "{x} += {y}", "{x}.neg_()", "{x}.tanh_()"),
    *("{x}.fill_(0.5)", "{x}.relu_()"),
]


def program(seed: int, length: int = 14) -> list[str]:
    pick = random.Random(seed)
    names, statements = [], []

    def value():
        return pick.choice(names)

    def new(expression):
        name = f"v{len(names)}"
        names.append(name)
        return f"{name} = {expression}"

    def numbers(shape):
        if not shape:
            return round(pick.uniform(-2, 2), 1)
        return [numbers(shape[1:]) for _ in range(shape[0])]

    for _ in range(pick.randint(1, 3)):
        tracked = ", requires_grad=True" if pick.random() < 0.75 else ""
        leaf = f"torch.tensor({numbers(pick.choice(SHAPES))}, dtype=torch.float64{tracked})"
        statements += [new(leaf), new(f"{names[-1]} * 1.5")]

    def expression():
        kind = pick.random()
        if kind < 0.25:
            return f"{value()}.{pick.choice(UNARY)}()"
        if kind < 0.55:
            other = pick.choice([value(), value(), "2.5"])
            return f"{value()} {pick.choice(BINARY)} {other}"
        if kind < 0.7:
            return f"{value()}.{pick.choice(REDUCE)}"
        return f"{value()}{pick.choice(VIEWS)}"

    while len(statements) < length:
        kind = pick.random()
        if kind < 0.5:
            statements.append(new(expression()))
        elif kind < 0.72:
            statements.append(pick.choice(IN_PLACE).format(x=value(), y=value()))
        elif kind < 0.78:
            inner = f"{value()}.mul_(2)" if pick.random() < 0.5 else new(expression())
            statements.append(f"with torch.no_grad(): {inner}")
        elif kind < 0.82:
            statements.append(f"{value()}.retain_grad()")
        elif kind < 0.85:
            statements.append(f"{value()}.register_hook(lambda g: g * 2)")
        elif kind < 0.87:
            statements.append(f"{value()}.requires_grad_()")
        elif kind < 0.96:
            keep = pick.choice(["", "retain_graph=True"])
            statements.append(f"{value()}.sum().backward({keep})")
        else:
            options = pick.choice(["", ", create_graph=True", ", retain_graph=True"])
            inputs = f"[{value()}, {value()}]"
            call = f"torch.autograd.grad({value()}.sum(), {inputs}, allow_unused=True{options})"
            statements.append(new(f"{call}[0].clone()"))  # its own version is no matter
    return statements + [f"{name}.sum().backward()" for name in names[-2:]]


def trace(statements: list[str], torch, watch: bool = True) -> list:
    """What each statement did, as plain data.

    Looking at a view brings its history up to date. Without `watch` nobody looks before the end,
    and a statement is said to have done nothing, or to have failed; hooks are left out, since
    PyTorch crashes on one of a view whose history is out of date.
    """
    namespace, seen = {"torch": torch}, []

    def states():
        return {n: state(v) for n, v in namespace.items() if isinstance(v, torch.Tensor)}

    for statement in statements:
        if not watch and "register_hook" in statement:
            seen.append({})
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(statement, namespace)
        except NameError:
            seen.append("not made")
            continue
        except Exception as error:
            seen.append([type(error).__name__, first_sentence(str(error))])
            continue
        seen.append(states() if watch else {})
    return seen if watch else [*seen, states()]


def script(statements: list[str], failed: list[bool]) -> str:
    """The program as a file that runs: statements that failed are caught, the last one is not."""
    lines = ["import torch"]
    for statement, fails in zip(statements, [*failed, False], strict=False):
        if fails:
            lines += ["try:", f"    {statement}", "except Exception as error:", "    print(error)"]
        else:
            lines.append(statement)
    return "\n".join(lines)


def state(tensor):
    """A tensor's numbers and place in the graph; asking a view for them can be an error itself."""
    try:
        return read(tensor)
    except RuntimeError as error:
        return first_sentence(str(error))


def read(tensor):
    kept = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    return {
        "values": tensor.detach().tolist(),
        "requires_grad": tensor.requires_grad,
        "is_leaf": tensor.is_leaf,
        "grad_fn": type(tensor.grad_fn).__name__,
        "version": tensor._version,
        "grad": None if kept is None else kept.detach().tolist(),
    }
