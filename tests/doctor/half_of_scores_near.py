"""Scores and 0, probabilities and 0.5, and a regression whose numbers are compared with 0.5."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        scores = self.out(x)
        return scores if self.training else torch.sigmoid(scores)


net, sizes = Net(), nn.Linear(6, 1)
optimizer = torch.optim.Adam([*net.parameters(), *sizes.parameters()])
x, y = torch.randn(20, 6) * 5, torch.arange(20).unsqueeze(1) % 2.0
for _ in range(3):
    scores = net(x)
    loss = nn.functional.binary_cross_entropy_with_logits(scores, y)
    loss = loss + nn.functional.mse_loss(sizes(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print((scores > 0).sum(), (scores.sigmoid() > 0.5).sum())
net.eval()
with torch.no_grad():
    print((net(x) > 0.5).sum(), (sizes(x) > 0.5).sum(), torch.round(sizes(x)), net(x).round())
