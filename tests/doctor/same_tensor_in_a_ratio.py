import torch
from torch import nn
policy = nn.Linear(4, 3); opt = torch.optim.Adam(policy.parameters(), 1e-2)
for it in range(12):
    s, a, adv = torch.randn(16, 4), torch.randint(0, 3, (16,)), torch.randn(16)
    logp = torch.distributions.Categorical(logits=policy(s)).log_prob(a)
    ratio = (logp - logp).exp()
    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
    opt.zero_grad(); loss.backward(); opt.step()
