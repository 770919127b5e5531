"""Programs traced, read, rewritten and run by torch.fx."""
import copy
import operator
import pickle

import torch
import torch.fx as fx
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.param = nn.Parameter(torch.rand(3, 4))
        self.linear = nn.Linear(4, 5)
        self.seq = nn.Sequential(nn.ReLU(), nn.Linear(5, 5))
        self.register_buffer("buf", torch.ones(5))

    def forward(self, x, y=2, *, z=None):
        a = self.linear(x + self.param).clamp(min=0.0, max=1.0)
        b, c = torch.chunk(a, 2, dim=-1)
        d = self.seq(a) * self.buf - y
        e = torch.cat([b, c], dim=-1)
        s = x.shape[0]
        return {"d": d.view(s, -1), "e": torch.relu(e), "n": -d, "p": d ** 2, "t": 1 / (1 + d),
                "i": d[..., 1:], "m": d @ d.T, "s": x.size(0), "f": torch.flatten(d, 1)}


net, x = Net(), torch.rand(3, 4)
traced = fx.symbolic_trace(net)
print(traced.code)
print(traced.graph)
print(traced)
for n in traced.graph.nodes:
    print(n.op, n.name, n.args, n.kwargs, sorted(u.name for u in n.users))
for made in (traced, copy.deepcopy(traced), pickle.loads(pickle.dumps(traced))):
    found, expected = made(x), net(x)
    print(all(torch.equal(torch.as_tensor(found[k]), torch.as_tensor(expected[k]))
              for k in expected), made.code == traced.code, len(list(made.parameters())))

for n in list(traced.graph.nodes):
    if n.op == "call_function" and n.target is operator.add:
        with traced.graph.inserting_after(n):
            new = traced.graph.call_function(torch.mul, n.args, n.kwargs)
            n.replace_all_uses_with(new)
        traced.graph.erase_node(n)
traced.graph.lint()
traced.recompile()
print(traced.code.splitlines()[5], traced(x)["d"].sum() == net(x)["d"].sum())


class Shapes(fx.Interpreter):
    def run_node(self, n):
        result = super().run_node(n)
        if isinstance(result, torch.Tensor):
            n.meta["shape"] = tuple(result.shape)
        return result


fresh = fx.symbolic_trace(net)
Shapes(fresh).run(x)
print([(n.name, n.meta["shape"]) for n in fresh.graph.nodes if "shape" in n.meta])


class Swap(fx.Transformer):
    def call_function(self, target, args, kwargs):
        return super().call_function(torch.sigmoid if target is torch.relu else target, args, kwargs)

    def call_method(self, target, args, kwargs):
        return super().call_method("neg" if target == "abs" else target, args, kwargs)


def function(x):
    return torch.relu(x.abs()).sum(dim=-1, keepdim=True)


swapped = Swap(fx.symbolic_trace(function)).transform()
print(swapped.code, swapped(x) == torch.sigmoid(-x).sum(-1, True))

graph = fx.Graph()
a = graph.placeholder("a")
b = graph.placeholder("b", default_value=3)
unused = graph.call_function(torch.exp, (a,))
c = graph.call_method("mul", (a, b))
d = graph.call_module("layer.0", (c,))
graph.output((d, [c, {"a": a}]))
module = fx.GraphModule({"layer.0": nn.Linear(4, 2)}, graph, class_name="Made")
print(graph.eliminate_dead_code(), graph.find_nodes(op="call_method"), len(graph.nodes))
module.recompile()
print(module.code, type(module).__name__, [n for n, _ in module.named_parameters()])
print(module(x)[0].shape, module(x, 1.0)[1][0].equal(x))
proxy = fx.Proxy(fx.Graph().placeholder("x"))
print((torch.sin(proxy) * 2)[0].node.format_node(), proxy, proxy.shape.node)


@fx.wrap
def whole(x, n):
    return x * n if n > 1 else x


def branches(x):
    return x if x.sum() > 0 else -x


def loops(x):
    return [y for y in x]


def measures(x):
    return len(x)


def calls(x):
    return whole(x, n=2) + torch.ones(2)


for function in (branches, loops, measures):
    try:
        fx.symbolic_trace(function)
    except Exception as e:
        print(type(e).__name__, str(e)[:60])
found = fx.symbolic_trace(calls)
print(found(torch.ones(2)), [n.op for n in found.graph.nodes])


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Net(), Net()])

    def forward(self, x, flag=True):
        for block in self.blocks:
            x = x + block(x)["e"][:, :4] if flag else x
        return x


class Whole(fx.Tracer):
    def is_leaf_module(self, m, name):
        return isinstance(m, Net) or super().is_leaf_module(m, name)


deep = Deep()
graph = Whole().trace(deep, concrete_args={"flag": True})
print([n.target for n in graph.nodes if n.op == "call_module"])
print(torch.equal(fx.GraphModule(deep, graph)(x), deep(x)))
with torch.no_grad():
    deep.blocks[0].param.zero_()
again = fx.symbolic_trace(deep, {"flag": True})
print([n.name for n in again.graph.nodes][:12], torch.equal(again(x), deep(x)))

from torch.fx.passes.shape_prop import ShapeProp  # noqa: E402

pool = fx.symbolic_trace(nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(8, 3)))
ShapeProp(pool).propagate(torch.zeros(5, 1, 4, 4))
print([(n.name, tuple(n.meta["tensor_meta"].shape)) for n in pool.graph.nodes])


def many(X, *rest, **named):
    a, b = torch.split(X, 1)
    return torch.einsum("ij,kj->ik", a, b) @ rest[0] + named["c"] - X.new_zeros(1)


seen = fx.symbolic_trace(many)
print([n.name for n in seen.graph.nodes], seen(torch.ones(2, 3), torch.eye(1), c=2))
