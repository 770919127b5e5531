"""Random small functions under two or three of torch.func's transforms, as source code.

`script(seed)` is Python that leaves the results, a flat list of tensors, in R; it says `torch`.
"""

from __future__ import annotations

import random

UNARY = [
    *("{x}.sin()", "{x}.tanh()", "{x}.sigmoid()", "{x}.square()", "{x}.abs()", "torch.relu({x})"),
    *("{x}.softmax(-1)", "{x}.log_softmax(-1)", "{x}.cumsum(-1)", "{x}.flip(-1)", "first({x})"),
    *("{x} - {x}.mean(-1, keepdim=True)", "{x}.clone().mul_(2.0)", "({x} * {x} + 0.5).sqrt()"),
    *("{x}.roll(1, -1)", "{x}.sort(-1).values", "torch.where({x} > 0, {x}, {x} * 0.1)"),
    *("{x}.cumprod(-1)", "{x}.norm() * {x}", "{x}.logsumexp(-1, True) - {x}", "{x}.detach() * {x}"),
    *("torch.cat([{x}[..., 1:], {x}[..., :1]], -1)", "{x}[..., at].mean() * {x}", "layer({x})"),
    *("{x}.transpose(0, -1).sin().transpose(0, -1)", "{x}.amax(-1, keepdim=True) * {x}"),
    *("torch.einsum('...i,...i->...', {x}, {x}).unsqueeze(-1) * {x}", "{x}.prod(-1, True) + {x}"),
    *("{x}.expand(2, *{x}.shape).sum(0)", "{x}.diff(dim=-1, append={x}[..., :1])"),
    *("{x}.masked_fill({x} > 1, 0.3)", "{x}.select(-1, 0).unsqueeze(-1) + {x}"),
    *("torch.linalg.vector_norm({x}, 3, -1, True) * {x}", "torch.nn.functional.gelu({x})"),
    *("windows({x})", "normed({x})", "{x}.unbind(-1)[0].unsqueeze(-1) * {x}", "{x}[None][0]"),
    *("{x}.sort(-1, True).indices * {x}", "{x}.gather(-1, {x}.argsort(-1))"),
    *("{x} * {x}.argmax(-1, keepdim=True)", "{x}.index_add(-1, at, {x}[..., at])"),
]
BINARY = [
    *("{x} * {y}", "{x} + {y}.sin()", "{x} - 0.5 * {y}", "torch.maximum({x}, {y})"),
    *("{x} / (1.5 + {y}.sigmoid())", "torch.atan2({x}, {y}.square() + 1)", "{y}.lerp({x}, 0.3)"),
    *("({x} * {y}).sum() * {x}", "torch.addcmul({x}, {x}, {y})", "torch.stack([{x}, {y}]).prod(0)"),
    *("torch.hypot({x} + 2, {y})", "torch.dot({x}.reshape(-1), {y}.reshape(-1)) * {x}"),
    *("written({x}, {y})", "{x}.clone().sub_({y}).square_()", "{x}.masked_fill({y} > 0.5, 0.2)"),
    *("torch.logaddexp({x}, {y})", "torch.where({x} > {y}, {x}, {y} * {y})"),
    "(torch.outer({x}.reshape(-1), {y}.reshape(-1)).tanh() @ {x}.reshape(-1)).reshape({x}.shape)",
]
START = '''\
func = torch.func
at = torch.tensor([0, 0])
linear = torch.nn.Linear(1, 1).double()

def first(x):
    y = x.clone()
    y[..., 0] = y[..., -1] * 2
    return y

def written(x, y):
    z = x.clone()
    part = z[..., :1]
    part += y[..., :1] * z[..., -1:]
    z.transpose(0, -1).mul_(y.transpose(0, -1))
    return part + z

def windows(x):
    row = x.reshape(1, 1, -1)
    return torch.nn.functional.conv1d(row, row[..., :1]).view(x.shape)

def normed(x):
    return torch.nn.functional.group_norm(x.reshape(1, 1, -1), 1).reshape(x.shape) + x

def layer(x):
    state = {"weight": x.reshape(-1)[:1, None], "bias": x.sum().reshape(1)}
    return func.functional_call(linear, state, (x.unsqueeze(-1),)).squeeze(-1)

def flat(tree):
    return [tree] if isinstance(tree, torch.Tensor) else [t for part in tree for t in flat(part)]

def total(tree):
    return sum(t.sum() * (1 + 0.3 * k) for k, t in enumerate(flat(tree)))

def along(tensors):
    return tuple(t.cos() for t in tensors)

def stacked(x, dim, scales):
    return x if dim is None else torch.stack([x * s for s in scales], dim)
'''
TRANSFORMS = {
    "grad": "func.grad(lambda *b: total({f}(*b)), {which})(*a)",
    "grad_and_value": "func.grad_and_value(lambda *b: total({f}(*b)), {which})(*a)",
    "aux": "func.grad(lambda *b: (total({f}(*b)), flat({f}(*b))[0]), {which}, has_aux=True)(*a)",
    "jvp": "func.jvp(lambda *b: tuple(flat({f}(*b))), a, along(a))",
    "jacrev": "func.jacrev(lambda *b: tuple(flat({f}(*b))), {which})(*a)",
    "jacfwd": "func.jacfwd(lambda *b: tuple(flat({f}(*b))), {which})(*a)",
    "hessian": "func.hessian(lambda *b: total({f}(*b)), {which})(*a)",
    "vmap": "func.vmap(lambda *b: tuple(flat({f}(*b))), {dims}, {out})(*[stacked(x, d, {scales}) "
            "for x, d in zip(a, {dims})])",
    "chunks": "func.vmap(lambda *b: tuple(flat({f}(*b))), {dims}, chunk_size=2)(*[stacked(x, d, "
              "{scales}) for x, d in zip(a, {dims})])",
}
VJP = """\
    value, pull = func.vjp(lambda *b: tuple(flat({f}(*b))), *a)
    return flat([value, pull(along(value))])"""


def function(pick, names):
    """The source of f0: a few operators on its arguments."""
    names, lines = list(names), [f"def f0({', '.join(names)}):"]
    for k in range(pick.randint(1, 4)):
        step = pick.choice(BINARY if pick.random() < 0.45 else UNARY)
        lines.append(f"    v{k} = " + step.format(x=pick.choice(names), y=pick.choice(names)))
        names.append(f"v{k}")
    also = f", {pick.choice(names)}.sum()" if pick.random() < 0.3 else ""
    return "\n".join([*lines, f"    return {names[-1]}{also}"])


def transform(pick, k, n):
    """The source of f<k>, which is a transform of the function before it, of n arguments."""
    kind, f = pick.choice([*TRANSFORMS, "vmap", "vjp"]), f"f{k - 1}"
    which = pick.choice([str(pick.randrange(n)), str(tuple(range(n)))])
    dims = [pick.choice([None, 0, -1]) for _ in range(n)]
    if dims == [None] * n:
        dims[0] = 0
    scales = [0.5, 1.0, 1.5][:pick.randint(1, 3)]
    body = VJP if kind == "vjp" else f"    return flat({TRANSFORMS[kind]})"
    return f"def f{k}(*a):\n" + body.format(f=f, which=which, dims=tuple(dims), scales=scales,
                                            out=pick.choice([0, 1]) if None not in dims else 0)


def script(seed: int) -> str:
    pick = random.Random(seed)
    n, depth = pick.randint(1, 3), pick.randint(1, 3)
    shape = pick.choice([(3,), (2, 3), (2, 2), (1,), (2, 1)])
    parts = [START, function(pick, [f"a{i}" for i in range(n)])]
    parts += [transform(pick, k, n) for k in range(1, depth + 1)]
    parts += [f"a = torch.linspace(-1.3, 1.6, {n * shape[0] * (shape[1:] or (1,))[0]}, "
              f"dtype=torch.float64).cos().reshape({n}, *{shape})",
              f"R = f{depth}(*a)"]
    return "\n\n".join(parts)
