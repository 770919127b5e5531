"""A neural ODE whose backward() solves the adjoint equation, in a Function of its own."""
import math

import numpy as np
import torch
from torch import Tensor, nn


def solve(z, t0, t1, f, h_max=0.1):
    n = math.ceil((abs(t1 - t0) / h_max).max().item())
    h, t = (t1 - t0) / n, t0
    for _ in range(n):
        z, t = z + h * f(z, t), t + h
    return z


class Field(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.lin1, self.lin2 = nn.Linear(dim + 1, hidden), nn.Linear(hidden, dim)
        self.elu = nn.ELU(inplace=True)

    def forward(self, x, t):
        return self.lin2(self.elu(self.lin1(torch.cat((x, t.repeat(x.shape[0], 1)), dim=-1))))

    def with_grad(self, z, t, a):
        n, out = z.shape[0], self.forward(z, t)
        dz, dt, *dp = torch.autograd.grad((out,), (z, t) + tuple(self.parameters()),
                                          grad_outputs=(a,), allow_unused=True, retain_graph=True)
        dp = torch.cat([p.flatten() for p in dp]).unsqueeze(0)
        return out, dz, dt.expand(n, 1) / n, dp.expand(n, -1) / n


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z0, t, flat, func):
        with torch.no_grad():
            z = torch.zeros(t.size(0), *z0.size()).to(z0)
            z[0] = z0
            for i in range(t.size(0) - 1):
                z0 = solve(z0, t[i], t[i + 1], func)
                z[i + 1] = z0
        ctx.func = func
        ctx.save_for_backward(t, z.clone(), flat)
        return z

    @staticmethod
    def backward(ctx, g):
        func, (t, z, flat) = ctx.func, ctx.saved_tensors
        steps, n, dim = z.size()
        count = flat.size(0)

        def augmented(aug, ti):
            zi, a = aug[:, :dim], aug[:, dim:2 * dim]
            with torch.set_grad_enabled(True):
                ti, zi = ti.detach().requires_grad_(True), zi.detach().requires_grad_(True)
                f, dz, dt, dp = func.with_grad(zi, ti, a)
            return torch.cat((f, -dz, -dp, -dt), dim=1)

        with torch.no_grad():
            az, ap = torch.zeros(n, dim).to(g), torch.zeros(n, count).to(g)
            at = torch.zeros(steps, n, 1).to(g)
            for i in range(steps - 1, 0, -1):
                f = func(z[i], t[i])
                az += g[i]
                at[i] -= torch.bmm(g[i].unsqueeze(1), f.unsqueeze(-1))[:, 0]
                aug = torch.cat((z[i], az, torch.zeros(n, count).to(z), at[i]), dim=-1)
                aug = solve(aug, t[i], t[i - 1], augmented)
                az[:], at[i - 1] = aug[:, dim:2 * dim], aug[:, 2 * dim + count:]
                ap[:] += aug[:, 2 * dim:2 * dim + count]
            az += g[0]
        return az, at.sum((1, 2)), ap.sum(0), None


torch.manual_seed(0)
np.random.seed(0)
times = torch.linspace(0.0, 2.0, 10)
spiral = torch.matrix_exp(times[:, None, None] * Tensor([[-0.1, -1.0], [1.0, -0.1]]))
seen = (spiral @ Tensor([0.6, 0.3]))[:, None]
field = Field(2, 12)
optimizer = torch.optim.Adam(field.parameters(), lr=0.02)
for step in range(5):
    some = torch.from_numpy(np.sort(np.random.choice(10, 5, replace=False)))
    flat = torch.cat([p.flatten() for p in field.parameters()])
    z = Adjoint.apply(seen[some[0]], times[some], flat, field)
    loss = nn.functional.mse_loss(z, seen[some].detach())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
print([round(p.detach().norm().item(), 3) for p in field.parameters()])
