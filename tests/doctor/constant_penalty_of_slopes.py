import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-4)
def penalty_of(critic, real, fake):
    share = torch.rand(len(real), 1)
    x = (share * real + (1 - share) * fake).requires_grad_(True)
    slopes = torch.autograd.grad(critic(x).sum(), x)[0]
    return ((slopes.norm(2, dim=1) - 1) ** 2).mean()
for _ in range(3):
    real, fake = torch.randn(8, 2), torch.randn(8, 2) + 1
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty_of(critic, real, fake)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
