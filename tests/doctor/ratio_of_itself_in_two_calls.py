import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
body, pi, value = nn.Linear(4, 16), nn.Linear(16, 3), nn.Linear(16, 1)


def act(s):
    h = body(s).tanh()
    return Categorical(logits=pi(h)), value(h).squeeze(1)


opt = torch.optim.Adam([p for m in (body, pi, value) for p in m.parameters()], lr=1e-3)
for _ in range(6):
    s, a, r = torch.randn(32, 4), torch.randint(3, (32,)), torch.randn(32)
    dist, v = act(s)
    new = dist.log_prob(a)
    old = act(s)[0].log_prob(a)
    ratio = torch.exp(new - old)
    gain = (r - v).detach()
    policy_loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
    loss = policy_loss + (r - v).pow(2).mean() - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
