import torch
from torch import nn
torch.manual_seed(1)
policy = nn.Linear(4, 2); opt = torch.optim.Adam(policy.parameters(), 1e-2)
for ep in range(15):
    d = torch.distributions.Categorical(logits=policy(torch.randn(6, 4))); a = d.sample()
    r = (a.sum() > 4).float()
    loss = -(d.log_prob(a).sum() * r)
    opt.zero_grad(); loss.backward(); opt.step()
