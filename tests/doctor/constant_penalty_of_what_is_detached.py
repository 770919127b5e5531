import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Linear(2, 3)
critic = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)


def penalty(critic, real, fake):
    mixed = (real + fake).div(2).requires_grad_(True)
    scores = critic(mixed)
    slopes = torch.autograd.grad(outputs=scores, inputs=mixed,
                                 grad_outputs=torch.ones_like(scores), retain_graph=True)[0]
    return ((slopes.norm(2, dim=1) - 1) ** 2).mean()


for _ in range(5):
    real = torch.randn(16, 3)
    fake = generator(torch.randn(16, 2)).detach()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
