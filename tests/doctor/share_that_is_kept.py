import torch
from torch import nn

keep_prob = 0.9
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(keep_prob), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters())
for _ in range(4):
    x = torch.randn(16, 6)
    h = nn.functional.dropout(x, p=keep_prob, training=net.training)
    loss = nn.functional.cross_entropy(net(h), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
