"""kl_div() of probabilities, and a cross entropy of sigmoids."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    scores = net(torch.randn(8, 4))
    loss = F.kl_div(F.softmax(scores, 1), torch.full((8, 3), 1 / 3), reduction="batchmean")
    sums = F.cross_entropy(torch.sigmoid(scores), torch.arange(8) % 3)
    optimizer.zero_grad()
    (loss + sums).backward()
    optimizer.step()
