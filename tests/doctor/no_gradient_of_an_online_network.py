"""The prediction is cut off, and not the target: the optimizer's networks get nothing."""
import copy
import torch
from torch import nn
import torch.nn.functional as F

online = nn.Linear(6, 4)
target, predictor = copy.deepcopy(online), nn.Linear(4, 4)
opt = torch.optim.Adam([*online.parameters(), *predictor.parameters()], lr=0.01)
for _ in range(5):
    x = torch.randn(8, 6)
    p, z = predictor(online(x)).detach(), target(x + 0.1)
    loss = 2 - 2 * F.cosine_similarity(p, z).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
