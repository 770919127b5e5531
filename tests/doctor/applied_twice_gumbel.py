import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
gate, experts = nn.Sequential(nn.Linear(6, 4), nn.Softmax(dim=1)), nn.Linear(6, 4)
opt = torch.optim.Adam([*gate.parameters(), *experts.parameters()])
for _ in range(4):
    x = torch.randn(16, 6)
    choice = F.gumbel_softmax(gate(x), tau=0.5)
    loss = ((choice * experts(x)).sum(1) - x[:, 0].abs()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
