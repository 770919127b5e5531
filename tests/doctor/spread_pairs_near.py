import torch
from torch import nn
net = nn.Linear(5, 1); opt = torch.optim.Adam(net.parameters(), lr=0.01)
for it in range(6):
    s = net(torch.randn(10, 5)).squeeze(1)
    margin = s.unsqueeze(1) - s
    loss = torch.relu(1 - margin).mean()
    opt.zero_grad(); loss.backward(); opt.step()
