"""A tagger whose log_softmax goes over the steps, and not over the tags."""
import torch
from torch import nn
import torch.nn.functional as F

net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    scores = F.log_softmax(net(torch.randn(2, 5, 4)), dim=1)
    loss = F.nll_loss(scores.transpose(1, 2), torch.randint(0, 3, (2, 5)))
    opt.zero_grad()
    loss.backward()
    opt.step()
