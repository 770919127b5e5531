"""Both ways to write a divergence, its target given as logarithms, and densities above 1."""
import torch
import torch.nn.functional as F
from torch import nn

net, frozen = nn.Linear(5, 3), nn.Linear(5, 3).requires_grad_(False)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.randn(8, 5)
    mine, theirs = F.log_softmax(net(x), 1), F.log_softmax(frozen(x), 1)
    loss = F.kl_div(mine, theirs.exp(), reduction="batchmean")
    loss = loss + F.kl_div(theirs, mine.exp(), reduction="batchmean")
    loss = loss + F.kl_div(mine, theirs, reduction="batchmean", log_target=True)
    narrow = torch.distributions.Normal(net(x), 0.1).log_prob(torch.zeros(()))
    loss = loss + F.kl_div(narrow + 3, torch.full((8, 3), 2.0), reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
