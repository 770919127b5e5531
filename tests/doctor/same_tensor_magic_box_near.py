import torch
from torch import nn
policy = nn.Linear(4, 2); opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for ep in range(6):
    d = torch.distributions.Categorical(logits=policy(torch.randn(5, 4)))
    a = d.sample(); lp = d.log_prob(a)
    box = torch.exp(lp - lp.detach())
    loss = -(box * torch.randn(5)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
