"""A penalty with its graph, and a loss that slopes weigh as constants, each made by a function."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-4)
def penalty_of(critic, x):
    x = x.clone().requires_grad_(True)
    slopes = torch.autograd.grad(critic(x).sum(), x, create_graph=True)[0]
    return ((slopes.norm(2, dim=1) - 1) ** 2).mean()
def weighed(critic, x):
    x = x.clone().requires_grad_(True)
    slopes = torch.autograd.grad(critic(x).sum(), x)[0]
    return (slopes.norm(2, dim=1) * critic(x).pow(2).squeeze(1)).mean()
for _ in range(3):
    x = torch.randn(8, 2)
    loss = critic(x).mean() + 10 * penalty_of(critic, x) + 0.1 * weighed(critic, x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
