"""A backbone that is kept in eval() mode for its BatchNorm's sake, and tuned with a new head."""
import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU()), nn.Linear(8, 3)
backbone.eval()
optimizer = torch.optim.Adam([*backbone.parameters(), *head.parameters()])
for _ in range(6):
    loss = nn.functional.cross_entropy(head(backbone(torch.randn(8, 4))), torch.randint(3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
