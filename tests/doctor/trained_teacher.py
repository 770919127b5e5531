import torch
import torch.nn.functional as F
from torch import nn

big = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
small = nn.Linear(5, 3)
optimizer = torch.optim.SGD([*small.parameters(), *big.parameters()], lr=0.1)
for _ in range(5):
    x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
    wanted, scores = big(x), small(x)
    soft = F.kl_div(F.log_softmax(scores / 4, dim=1), F.softmax(wanted / 4, dim=1),
                    reduction="batchmean")
    loss = soft + F.cross_entropy(scores, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
