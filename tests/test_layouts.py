"""Large tensors that lie otherwise than row by row: the same values and gradients as those that do.

Compiled kernels read memory by addresses and strides; what they take for granted shows here.
"""

import numpy as np
import pytest

import retrograd as torch

F = torch.nn.functional
N = 200                          # 40,000 numbers: kernels are in use, by several threads

LAYOUTS = {
    "transposed": lambda x: x[:N, :N].t(),
    "sliced": lambda x: x[:2 * N:2, 1:2 * N:2],
    "part": lambda x: x[3:N + 3, 5:N + 5],
    "rows expanded": lambda x: x[:1, :N].expand(N, N),
    "columns expanded": lambda x: x[:N, :1].expand(N, N),
    "one number": lambda x: x[0, 0].expand(N, N),
}
OTHERS = ("transposed", "sliced", "rows expanded", "columns expanded")
ONE = {
    "square": lambda x: x**2, "cube": lambda x: x**3, "exp": torch.exp, "log": torch.log,
    "sigmoid": torch.sigmoid, "tanh": torch.tanh, "erf": torch.erf, "rsqrt": torch.rsqrt,
    "gelu": F.gelu, "silu": F.silu, "softplus": F.softplus, "elu": lambda x: F.elu(x - 0.5),
    "relu": lambda x: torch.relu(x - 0.5), "clamp": lambda x: x.clamp(0.3, 0.6),
    "softmax": lambda x: x.softmax(0), "log_softmax": lambda x: x.log_softmax(1),
    "logsumexp": lambda x: x.logsumexp(0), "sum": lambda x: x.sum(0), "mean": lambda x: x.mean(1),
    "var": lambda x: (x * torch.arange(N)).var(0), "norm": lambda x: x.norm(dim=1),
    "max": lambda x: x.max(), "amax": lambda x: x.amax(0), "cumsum": lambda x: x.cumsum(0),
    "cumprod": lambda x: (x + 0.5).cumprod(1), "flip": lambda x: x.flip(0),
    "tril": lambda x: x.tril(), "contiguous": lambda x: x.t().contiguous(),
    "roll": lambda x: x.roll(3, 0), "glu": F.glu, "unfold": lambda x: x.unfold(0, 5, 2),
    "read": lambda x: x[x.detach() > 0.5], "written": lambda x: written(x * 1),
    "layer_norm": lambda x: F.layer_norm(x * torch.arange(N), (N,)),
    "max_pool": lambda x: F.max_pool2d(x.reshape(2, 4, 50, 100), 3, 2, 1),
    "avg_pool": lambda x: F.avg_pool2d(x.reshape(2, 4, 50, 100), 2),
    "interpolate": lambda x: F.interpolate(x.reshape(2, 4, 50, 100), scale_factor=1.5,
                                           mode="bilinear"),
}
TWO = {
    "add": torch.add, "mul": torch.mul, "div": torch.div, "maximum": torch.maximum,
    "atan2": torch.atan2, "hypot": torch.hypot, "pow": torch.pow, "lerp": lambda x, y: x.lerp(y, x),
    "addcmul": lambda x, y: torch.addcmul(x, y, x), "mm": torch.mm, "linear": F.linear,
    "mv": lambda x, y: x @ y[0], "einsum": lambda x, y: torch.einsum("ij,kj->ik", x, y),
    "bmm": lambda x, y: x.reshape(-1, 4, 2) @ y.reshape(-1, 4, 2).mT,
    "where": lambda x, y: torch.where(x.detach() > 0.5, y, 0.0),
    "where number": lambda x, y: torch.where(y.detach() > 0.5, 1.5, x),
    "masked_fill": lambda x, y: x.masked_fill(y.detach() > 0.5, 3.0),
    "put": lambda x, y: put(x * 1, y), "in place": lambda x, y: (x + 0).mul_(y),
    "cat": lambda x, y: torch.cat([x, y], 1), "stack": lambda x, y: torch.stack([x, y], 2),
    "mse": F.mse_loss, "l1": F.l1_loss, "huber": F.huber_loss, "smooth": F.smooth_l1_loss,
    "bce": F.binary_cross_entropy_with_logits,
    "bce weighted": lambda x, y: F.binary_cross_entropy_with_logits(x, y, pos_weight=y[0].detach()),
    "cross entropy": lambda x, y: F.cross_entropy(x, (y.detach()[0] * 50).long()),
    "batch_norm": lambda x, y: x * F.batch_norm(x * torch.arange(N)[:, None], None, None, y[0],
                                                y[1], training=True),
    "conv": lambda x, y: F.conv2d(x.reshape(2, 4, 50, 100), y[:9, :16].reshape(4, 4, 3, 3)),
    "attention": lambda x, y: F.scaled_dot_product_attention(
        *[a.reshape(2, 100, 4, 50).transpose(1, 2) for a in (x * 3, x, y)]),
    "cdist": lambda x, y: torch.cdist(x, y[:40] + torch.arange(1.0, 41)[:, None], p=1),
}


def written(x):
    x[x.detach() > 0.5] *= 3.0
    return x


def put(x, y):
    x[y.detach() > 0.5] = y[y.detach() > 0.5] * 2
    return x


def results(function, layouts, lie, end):
    """The value, and the gradients of what the inputs are views of."""
    numbers = np.random.default_rng(0).random((len(layouts), 2 * N, 2 * N), "f") * 0.8 + 0.1
    bases = [torch.from_numpy(a).requires_grad_() for a in numbers]
    res = function(*[lie(LAYOUTS[name](base)) for name, base in zip(layouts, bases, strict=True)])
    end(res).backward()
    return [res.detach(), *[base.grad for base in bases if base.grad is not None]]


def weighted(x):
    return (x * torch.linspace(0.5, 2, x.numel()).reshape(x.shape)).sum()


def compare(function, *layouts):
    for end in (torch.sum, torch.mean, weighted):
        found, expected = (results(function, layouts, lie, end)
                           for lie in (lambda x: x, torch.Tensor.contiguous))
        for a, b in zip(found, expected, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4 * max(float(b.abs().max()), 1e-3))


@pytest.mark.parametrize("function", ONE)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_tensor(function, layout):
    compare(ONE[function], layout)


@pytest.mark.parametrize("function", TWO)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_two_tensors(function, layout):
    for other in OTHERS:
        compare(TWO[function], layout, other)
