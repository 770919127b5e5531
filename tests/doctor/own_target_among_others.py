import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder = nn.Linear(6, 4)
optimizer = torch.optim.Adam(encoder.parameters(), lr=0.01)
places = torch.cat([torch.arange(8, 16), torch.arange(8)])
for _ in range(4):
    x = torch.randn(8, 6)
    z = torch.cat([encoder(x), encoder(x + 0.1 * torch.randn(8, 6))])
    z = F.normalize(z, dim=1)
    scores = z @ z.t() / 0.1
    loss = F.cross_entropy(scores, places)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
