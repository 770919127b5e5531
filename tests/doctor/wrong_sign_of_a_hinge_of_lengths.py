import torch
import torch.nn.functional as F
from torch import nn


class TripletLoss(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, anchor, positive, negative):
        d_positive = F.pairwise_distance(anchor, positive)
        d_negative = F.pairwise_distance(anchor, negative)
        return torch.clamp(d_negative - d_positive + self.margin, min=0).mean()


torch.manual_seed(0)
net, criterion = nn.Linear(6, 4), TripletLoss(0.5)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(5):
    anchor, negative = torch.randn(16, 6), torch.randn(16, 6)
    positive = anchor + 0.1 * torch.randn(16, 6)
    loss = criterion(net(anchor), net(positive), net(negative))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
