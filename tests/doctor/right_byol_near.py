import torch, copy
import torch.nn as nn
import torch.nn.functional as F
online = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8))
predictor = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
target = copy.deepcopy(online)
for p in target.parameters():
    p.requires_grad_(False)
opt = torch.optim.Adam([*online.parameters(), *predictor.parameters()], lr=1e-3)
for i in range(10):
    x = torch.randn(16, 6)
    a, b = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    p1, p2 = predictor(online(a)), predictor(online(b))
    with torch.no_grad():
        z1, z2 = target(a), target(b)
    loss = 2 - F.cosine_similarity(p1, z2).mean() - F.cosine_similarity(p2, z1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(target.parameters(), online.parameters()):
            p.mul_(0.99).add_(q, alpha=0.01)
