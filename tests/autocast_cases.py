"""Calls under autocast, for both libraries: their results' dtypes and values."""

from __future__ import annotations

import warnings

# a (3, 3), b (3, 3, 3), c (3, 3, 3, 3), d (3, 3, 3, 3, 3), v (3,), e 2 I: all of one dtype
CALLS = (
    "torch.mm(a, a)", "a @ a", "torch.matmul(a, v)", "torch.bmm(b, b)", "torch.addmm(a, a, a)",
    "torch.addbmm(a, b, b)", "torch.baddbmm(b, b, b)", "torch.mv(a, v)", "torch.dot(v, v)",
    "torch.einsum('ij,jk->ik', a, a)", "torch.tensordot(a, a, 1)", "torch.inner(a, a)",
    "torch.linalg.multi_dot([a, a, a])", "torch.linalg.vecdot(v, v)", "F.linear(a, a, v)",
    "torch.nn.Linear(3, 2).to(a.dtype)(a)", "F.conv1d(b, b)", "F.conv2d(c, c)", "F.conv3d(d, d)",
    "F.conv_transpose2d(c, c)", "torch.nn.Conv2d(3, 2, 2).to(a.dtype)(c)", "F.prelu(a, v)",
    "F.scaled_dot_product_attention(b, b, b)", "torch.nn.MultiheadAttention(3, 1).to(a.dtype)"
    "(b, b, b)[0]", "torch.nn.LSTM(3, 3).to(a.dtype)(b)[0]", "torch.nn.RNN(3, 3).to(a.dtype)(b)[0]",
    "torch.nn.GRU(3, 3).to(a.dtype)(b)[0]", "torch.nn.RNNCell(3, 3).to(a.dtype)(a)",
    "torch.nn.LSTMCell(3, 3).to(a.dtype)(a, (a, a))[0]",
    "torch.nn.LSTMCell(3, 3).to(a.dtype)(a)[1]", "torch.nn.GRUCell(3, 3).to(a.dtype)(a, a)",
    "torch.nn.GRUCell(3, 3)(a.bfloat16())", "torch.nn.GRU(3, 3)(b.bfloat16())[0]",
    "torch.matrix_power(e, 3)", "F.softmax(a, 0)", "F.layer_norm(a, (3,))", "F.relu(a)",
    "torch.exp(a)", "a + a", "a * v", "a.sum()", "a.prod()", "torch.cdist(a, a)",
    "F.mse_loss(a, a)", "F.l1_loss(a, v)", "F.cross_entropy(a, t)", "F.nll_loss(a, t)",
    "F.binary_cross_entropy_with_logits(a, a)", "F.kl_div(a, a)", "F.huber_loss(a, v)",
    "F.avg_pool2d(c, 2)", "F.avg_pool3d(d, 2)", "F.max_pool3d(d, 2)",
    "F.pad(c, (1, 1, 1, 1), mode='reflect')", "F.pad(c, (1, 1, 1, 1))", "F.pad(b, (1, 1), "
    "'replicate')", "torch.inverse(e)", "torch.linalg.inv(e)", "torch.linalg.cholesky(e)",
    "torch.linalg.solve(e, a)", "torch.linalg.svdvals(e)", "torch.linalg.qr(e)[0]",
    "torch.quantile(a, 0.5)", "torch.fft.fft(a).real", "torch.trace(a)", "torch.cat([a, w])",
    "torch.index_copy(a, 0, t, w)", "torch.mm(a.double(), a.double())",
    "torch.mm(a.half(), a.half())", "torch.mm(a.float(), a.bfloat16())", "F.linear(a, a).float()",
)

PAIRS = (("float32", "bfloat16"), ("bfloat16", "bfloat16"), ("float32", "float16"))
CASES = [(code, *pair) for code in CALLS for pair in PAIRS
         if not ("LSTM" in code and pair[1] == "float16")]      # PyTorch has no such kernel


def call_run(torch, code, dtype, lower):
    torch.manual_seed(0)
    F, dtype = torch.nn.functional, getattr(torch, dtype)
    given = {"a": torch.randn(3, 3), "b": torch.randn(3, 3, 3), "c": torch.randn(3, 3, 3, 3),
             "d": torch.randn(3, 3, 3, 3, 3), "v": torch.ones(3), "e": torch.eye(3) * 2}
    names = {"torch": torch, "F": F, "t": torch.tensor([0, 1, 2]), "w": torch.ones(3, 3),
             **{name: t.to(dtype) for name, t in given.items()}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autocast("cpu", dtype=getattr(torch, lower)):
            result = eval(code, names)
    return [str(result.dtype), [round(x, 7) for x in result.detach().double().flatten().tolist()]]


def training_run(torch, cache):
    """Losses and the dtypes on the way, of a network trained under autocast."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(),
                              torch.nn.LayerNorm(64), torch.nn.Linear(64, 3))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    x, y = torch.randn(8, 1, 6, 6), torch.arange(8) % 3
    losses, dtypes = [], []
    for _ in range(5):
        optimizer.zero_grad()
        with torch.autocast("cpu", cache_enabled=cache):
            out = net(x)
            loss = torch.nn.functional.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        dtypes += [str(out.dtype), str(loss.dtype), *{str(p.grad.dtype) for p in net.parameters()}]
    return [losses, dtypes]


def names(node):
    """The names of the nodes below, each once, sorted."""
    found, waiting = {}, [node]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found[node] = node.name().split("::")[-1]
            waiting += [fn for fn, _ in node.next_functions]
    return sorted(found.values())


def graph_run(torch, cache):
    """The nodes of two uses of one weight: with the cache it is cast once."""
    w, x = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
    with torch.autocast("cpu", cache_enabled=cache):
        return names(((x @ w) @ w).sum().grad_fn)


def run_all(torch):
    return {"calls": {" | ".join(case): call_run(torch, *case) for case in CASES},
            "training": [training_run(torch, cache) for cache in (True, False)],
            "graphs": [graph_run(torch, cache) for cache in (True, False)]}
