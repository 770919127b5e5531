"""The scores of a teacher as the target of kl_div()."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
teacher, net = nn.Linear(4, 3), nn.Linear(4, 3)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.randn(8, 4)
    with torch.no_grad():
        scores = teacher(x)
    loss = F.kl_div(F.log_softmax(net(x), 1), scores, reduction="batchmean")
    loss = loss + F.kl_div(F.log_softmax(net(x), 1), scores.log_softmax(1), log_target=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
