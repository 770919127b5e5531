import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Linear(3, 2)
critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
of_generator = torch.optim.RMSprop(generator.parameters(), lr=1e-3)
of_critic = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
for _ in range(6):
    real, fake = torch.randn(8, 2) + 2, generator(torch.randn(8, 3))
    loss = critic(fake.detach()).mean() - critic(real).mean()
    of_critic.zero_grad()
    loss.backward()
    of_critic.step()
    loss = critic(fake).mean()
    of_generator.zero_grad()
    loss.backward()
    of_generator.step()
