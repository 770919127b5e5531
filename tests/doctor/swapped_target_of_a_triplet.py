import torch
from torch import nn

net = nn.Linear(6, 4)
criterion = nn.TripletMarginLoss()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    anchor, negative = torch.randn(16, 6), torch.randn(16, 6)
    positive = anchor + 0.05 * torch.randn(16, 6)
    loss = criterion(net(anchor), net(negative), net(positive))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
