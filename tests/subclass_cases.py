"""What functions do with instances of Tensor's subclasses, for both libraries."""

from __future__ import annotations

import warnings

# `z`: an instance of a plain subclass; the type of the result, and of its parts, is recorded
CALLS = (
    "z + 1", "1 + z", "z + torch.ones(2)", "torch.ones(2) + z", "z * z", "2 * z", "-z", "abs(z)",
    "z / 2", "1 / z", "z ** 2", "2 ** z", "z // 2", "z % 2", "z == z", "z < 1", "~(z > 0)", "z @ z",
    "torch.add(z, 1)", "z.add(1)", "torch.add(torch.ones(2), z)", "z.add_(1)", "z.sum()",
    "torch.sum(z, dim=0)", "z.mean(0)", "z[0]", "z[z > 0]", "z.T", "z.data", "z.detach()",
    "z.clone()", "z.to(torch.float64)", "z.double()", "z.reshape(1, 2)", "z.view(2, 1)",
    "z.unsqueeze(0)", "z.contiguous()", "z.permute(0)", "z.expand(2, 2)", "torch.exp(z)", "z.exp()",
    "torch.matmul(z, z)", "torch.cat([z, torch.ones(2)])", "torch.cat([torch.ones(2), z])",
    "torch.stack([z, z])", "torch.where(z > 0, z, 0)", "z.max()", "z.max(0)", "torch.topk(z, 1)",
    "z.split(1)", "torch.chunk(z, 2)", "z.unbind()", "torch.broadcast_tensors(z, torch.ones(2))",
    "torch.meshgrid(z, z, indexing='ij')", "list(z)", "z.argmax()", "z.norm()",
    "torch.linalg.norm(z)", "torch.special.expm1(z)", "torch.fft.fft(z)", "torch.einsum('i->', z)",
    "torch.nn.functional.relu(z)", "torch.nn.functional.softmax(z, 0)",
    "torch.nn.functional.linear(z, torch.ones(3, 2))", "torch.nn.functional.mse_loss(z, z)",
    "torch.nn.functional.pad(z, (1, 1))", "torch.nn.Linear(2, 2)(z)", "torch.nn.ReLU()(z)",
    "torch.zeros_like(z)", "torch.randn_like(z)", "z.new_zeros(3)", "z.new_tensor([1.0])",
    "torch.as_tensor(z)", "torch.flatten(z)", "torch.clamp(z, 0, 1)", "z.masked_fill(z > 0, 1)",
    "torch.tensor([1.0]) * z", "z.copy_(z)", "z.zero_()", "z.requires_grad_()", "z.shape",
    "z.dtype", "z.size()", "z.dim()", "len(z)", "z.tolist()", "z.numpy()", "bool(z[0])",
    "float(z[0])", "repr(z)", "str(z[0])", "z.grad", "z.is_leaf", "torch.equal(z, z)",
    "torch.is_tensor(z)", "torch.nn.Parameter(torch.ones(2)) * 2",
    "torch.nn.Parameter(torch.ones(2)) + z", "z.as_subclass(torch.Tensor)",
    "z._base is None", "z.as_subclass(type(z)) is z", "torch.bernoulli(z * 0)", "z.type()",
    "(z * torch.ones(2, requires_grad=True)).grad_fn.name()",
    "torch.ones(2, requires_grad=True).as_subclass(type(z)).grad_fn.name()",
    "torch.autograd.grad((z.requires_grad_() * 2).sum(), z)",
    "torch.optim.SGD([z.requires_grad_()], 0.1).step()",
    "z.__repr__(tensor_contents='a=1')", "z.double().__repr__(tensor_contents='a=1')",
    "z[:0].__repr__(tensor_contents='a=1')", "z.to('meta').__repr__(tensor_contents='a=1')",
    "(z.requires_grad_() * 2).__repr__(tensor_contents='a=1')",
    "torch.ones(2, dtype=torch.int32).__repr__(tensor_contents='a' * 90)",
    "torch.eye(2).to_sparse().__repr__(tensor_contents='a=1')",
    "torch.overrides.has_torch_function((z,))",
    "torch.overrides.has_torch_function((torch.nn.Parameter(torch.ones(1)), 1))",
)
# `x`: an instance of a class that notes what it is asked; the notes are recorded
ASKED = (
    "x + 1", "1 + x", "x.add(1)", "torch.add(x, other=1)", "x.sum(dim=0)", "torch.sum(x)", "x @ x",
    "x[0]", "x.shape", "x.T", "x.grad", "x.reshape(1, 2)", "torch.cat([x, torch.ones(1)])",
    "torch.cat(tensors=[x])", "x.add_(1)", "x % 2", "torch.nn.Linear(2, 1)(x)",
    "torch.where(x > 0, x, 0)", "x.to(torch.float64)", "x.detach()", "len(x)", "x.dim()", "x.exp()",
    "torch.zeros_like(x)", "x.requires_grad_()", "torch.nn.functional.relu(x)", "x[0:1]",
    "x.__setitem__(0, 1)", "torch.ones(2).mul(x)", "x.is_contiguous()",
    "1 - x", "x == 1", "x != 1", "x.bool() & x.bool()", "x.bool() | True", "x.bool() ^ x.bool()",
    "x.int() << 1", "x.int() >> x.int()", "x.bool().__iand__(False)", "x.__imod__(2)",
    "x.__ipow__(2)", "+x",
)
REFUSALS = ("torch.add(n, 1)", "n + 1", "1 + n", "torch.sum(n)", "torch.nn.functional.dropout(n)",
            "n.exp()", "n == 1", "torch.cat([n])")
FOREIGN = ("torch.add(d, 1)", "torch.mean(d)", "torch.ones(1) + d", "torch.ones(1) * d",
           "torch.add(torch.ones(1), d)", "torch.cat([d, torch.ones(1)])", "torch.exp(d)",
           "torch.nn.functional.linear(torch.ones(1), d)",
           "torch.matmul(torch.ones(2), d)", "torch.zeros_like(d)", "torch.sum(d, dim=1)",
           "torch.where(torch.ones(1) > 0, d, 0)", "torch.is_tensor(d)")


def shape_of(value, own):
    """The type of a result and of its parts; `own` is the subclass, whatever its name."""
    name = "own" if type(value) is own else type(value).__name__
    if isinstance(value, (tuple, list)) and not isinstance(value, str):
        return [name, *(shape_of(v, own) for v in value)]
    return [name, value] if isinstance(value, (str, bool)) else name


def outcome(function):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function()
    except Exception as error:
        return [type(error).__name__, str(error).split("\n")[0]]


def plain_run(torch, code):
    Own = type("Own", (torch.Tensor,), {})
    z = torch.tensor([1.0, 2.0]).as_subclass(Own)
    return outcome(lambda: shape_of(eval(code, {"torch": torch, "z": z}), Own))


def asked_run(torch, code):
    notes = []

    class Noted(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            notes.append([func.__name__, [t.__name__ for t in types], len(args)])
            return super().__torch_function__(func, types, args, kwargs)

    x = torch.tensor([1.0, 2.0]).as_subclass(Noted)
    result = outcome(lambda: shape_of(eval(code, {"torch": torch, "x": x}), Noted))
    return [result, notes]


def refusal_run(torch, code):
    class Never(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    n = torch.ones(2).as_subclass(Never)
    kind, text = outcome(lambda: shape_of(eval(code, {"torch": torch, "n": n}), Never))
    return [kind, str(text).replace("torch.Tensor.", "torch.")]


def foreign_run(torch, code):
    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return [func.__name__, [t.__name__ for t in types], len(args), sorted(kwargs or ())]

    return outcome(lambda: eval(code, {"torch": torch, "d": Duck()}))


RUNS = {"plain": (plain_run, CALLS), "asked": (asked_run, ASKED),
        "refusals": (refusal_run, REFUSALS), "foreign": (foreign_run, FOREIGN)}


def run_all(torch):
    return {name: {code: run(torch, code) for code in codes}
            for name, (run, codes) in RUNS.items()}
