import torch
from torch import nn

torch.manual_seed(0)
scales = [nn.Linear(8, 1) for _ in range(3)]
params = [p for s in scales for p in s.parameters()]
opt = torch.optim.SGD(params, lr=0.05)
x, y = torch.randn(40, 8), torch.randn(40, 1)
for epoch in range(10):
    total = 0
    for net in scales:
        total =+ nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    total.backward()
    opt.step()
print(total.item())
