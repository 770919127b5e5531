import torch
from torch import nn
heads = nn.ModuleList(nn.Linear(4, 1) for _ in range(3))
opt = torch.optim.SGD(heads.parameters(), lr=0.1)
gate = nn.Linear(4, 3)
opt2 = torch.optim.SGD(gate.parameters(), lr=0.1)
for it in range(6):
    x = torch.randn(4)
    outs = torch.tensor([h(x) for h in heads])
    loss = (torch.softmax(gate(x), 0) * outs).sum().pow(2)
    opt.zero_grad(); opt2.zero_grad(); loss.backward(); opt.step(); opt2.step()
