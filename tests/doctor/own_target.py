import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder = nn.Linear(6, 4)
optimizer = torch.optim.Adam(encoder.parameters(), lr=0.01)
for _ in range(4):
    x = torch.randn(8, 6)
    z = torch.cat([encoder(x), encoder(x + 0.1 * torch.randn(8, 6))])
    z = F.normalize(z, dim=1)
    scores = z @ z.t() / 0.1
    loss = F.cross_entropy(scores, torch.arange(16))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
