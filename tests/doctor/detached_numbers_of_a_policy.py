import torch
from torch import nn
policy = nn.Linear(4, 2)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(5):
    total = 0
    for t in range(5):
        d = torch.distributions.Categorical(logits=policy(torch.randn(4)))
        a = d.sample()
        total += -d.log_prob(a).item() * 1.0
    loss = torch.tensor(total, requires_grad=True)
    opt.zero_grad(); loss.backward(); opt.step()
