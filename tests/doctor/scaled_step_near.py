"""Two optimizers, one of them by itself; gradients divided by hand; a scaler that is switched off."""
import torch
from torch import nn

torch.manual_seed(0)
net, critic, third = nn.Linear(4, 1), nn.Linear(4, 1), nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.01)
of_third = torch.optim.SGD(third.parameters(), lr=0.01)
scaler, off = torch.amp.GradScaler("cpu"), torch.amp.GradScaler("cpu", enabled=False)
for _ in range(4):
    x = torch.randn(8, 4)
    opt.zero_grad()
    of_critic.zero_grad()
    scaler.scale(net(x).pow(2).mean()).backward()
    critic(x).pow(2).mean().backward()
    of_critic.step()
    scaler.unscale_(opt)
    scaler.step(opt)
    of_third.zero_grad()
    scaler.scale(third(x).pow(2).mean()).backward()
    for p in third.parameters():
        p.grad /= scaler.get_scale()
    of_third.step()
    scaler.update()
    of_critic.zero_grad()
    off.scale(critic(x).pow(2).mean()).backward()
    of_critic.step()
