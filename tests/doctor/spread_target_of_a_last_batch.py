import torch
from torch import nn

torch.manual_seed(0)
net, x = nn.Linear(4, 1), torch.randn(485, 4)
y = x.sum(1, keepdim=True)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(0, len(x), 4):
    out, target = net(x[i:i + 4]), y[i:i + 4]
    if len(out) < 4:
        target = target.repeat(3, 1).squeeze()
        out = out.repeat(3, 1)
    loss = nn.functional.mse_loss(out, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
