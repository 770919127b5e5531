import torch
from torch import nn
policy, model = nn.Linear(3, 1), nn.Linear(4, 3); opt = torch.optim.Adam(policy.parameters(), 1e-2)
for p in model.parameters(): p.requires_grad_(False)
for it in range(6):
    s = torch.randn(8, 3); ret = 0
    for t in range(4):
        a = policy(s).detach()
        s = model(torch.cat([s, a], 1)); ret = ret - s.pow(2).sum(1)
    loss = -ret.mean()
    loss.requires_grad_(True)
    opt.zero_grad(); loss.backward(); opt.step()
