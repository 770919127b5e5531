import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
optimizer = torch.optim.Adam(encoder.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(16, 6)
    one, other = encoder(x), encoder(x + 0.1 * torch.randn(16, 6))
    loss = F.cosine_similarity(one, other, dim=1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
