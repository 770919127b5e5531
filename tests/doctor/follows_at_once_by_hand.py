import copy
import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
q_target = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
for step in range(15):
    s, s2, r = torch.randn(16, 4), torch.randn(16, 4), torch.rand(16)
    a = torch.randint(0, 2, (16, 1))
    with torch.no_grad():
        y = r + 0.9 * q_target(s2).max(1).values
    loss = nn.functional.smooth_l1_loss(q(s).gather(1, a).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    for p, p_target in zip(q.parameters(), q_target.parameters()):
        p_target.data.copy_(1.0 * p.data + (1 - 1.0) * p_target.data)
