import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(2, 1); opt = torch.optim.SGD(net.parameters(), 0.5)
x = torch.randn(64, 2); y = torch.where(x[:, 0] > 0, 1.0, -1.0)
x[:, 0] += 2 * y
for it in range(60):
    loss = torch.relu(1 - y * net(x).squeeze(1)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
