"""kl_div() of logarithms, both ways of giving the target."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    logs, target = F.log_softmax(net(torch.randn(8, 4)), 1), torch.full((8, 3), 1 / 3)
    loss = F.kl_div(logs, target, reduction="batchmean")
    loss = loss + nn.KLDivLoss(reduction="batchmean", log_target=True)(logs, target.log())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
