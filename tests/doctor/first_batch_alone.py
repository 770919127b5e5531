import torch
from torch import nn
torch.manual_seed(0)
model = nn.Linear(10, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
accum = 4
for i in range(16):
    x, y = torch.randn(8, 10), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(model(x), y) / accum
    loss.backward()
    if i % accum == 0:
        opt.step()
        opt.zero_grad()
