import torch
from torch import nn
gate, experts = nn.Linear(4, 3), nn.ModuleList(nn.Linear(4, 2) for _ in range(3))
opt = torch.optim.Adam([*gate.parameters(), *experts.parameters()])
for i in range(8):
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    w = torch.softmax(gate(x), dim=1)
    out = sum(w[:, k:k + 1] * e(x) for k, e in enumerate(experts))
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
