"""Freezing that freezes nothing, and a learning rate that stays."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.neck, self.head = nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.neck(torch.relu(self.backbone(x)))))


torch.manual_seed(0)
net = Net()
net.backbone.requires_grad = False
for p in net.neck.parameters():
    p.require_grad = False
for q in net.head.parameters():
    q.requires_grad_ = False
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    optimizer.lr = 0.1 / (epoch + 1)
