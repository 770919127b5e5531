import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Linear(3, 2)
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)).requires_grad_(False)
log_alpha = torch.zeros(1, requires_grad=True)
target_entropy = -1.0
actor_opt = torch.optim.Adam(actor.parameters(), 1e-3)
alpha_opt = torch.optim.Adam([log_alpha], 1e-2)
for _ in range(8):
    s = torch.randn(32, 3)
    mean, log_std = actor(s).chunk(2, 1)
    policy = Normal(mean, log_std.clamp(-5, 2).exp())
    u = policy.rsample()
    log_prob = policy.log_prob(u) - torch.log(1 - u.tanh() ** 2 + 1e-6)
    loss = (log_alpha.exp().detach() * log_prob - critic(torch.cat([s, u.tanh()], 1))).mean()
    actor_opt.zero_grad()
    loss.backward()
    actor_opt.step()
    gap = (-log_prob - target_entropy).detach()
    alpha_loss = torch.mean(log_alpha.exp() * gap)
    alpha_opt.zero_grad()
    alpha_loss.backward()
    alpha_opt.step()
