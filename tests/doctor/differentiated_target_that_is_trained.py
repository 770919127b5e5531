import torch, copy
import torch.nn as nn
import torch.nn.functional as F
online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target = copy.deepcopy(online)
opt = torch.optim.Adam(list(online.parameters()) + list(target.parameters()), lr=1e-3)
for i in range(20):
    s, s2 = torch.randn(8, 4), torch.randn(8, 4)
    a, r = torch.randint(0, 2, (8,)), torch.randn(8)
    q = online(s)[torch.arange(8), a]
    y = r + 0.9 * target(s2).max(1).values
    loss = F.mse_loss(q, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
