import torch
from torch import nn
from torch.nn import functional as F

images, texts = nn.Linear(10, 8), nn.Linear(6, 8)
scale = nn.Parameter(torch.tensor(2.6))
optimizer = torch.optim.Adam([*images.parameters(), *texts.parameters(), scale])
for _ in range(4):
    x = torch.randn(16, 10)
    a = F.normalize(images(x), dim=0)
    b = F.normalize(texts(x[:, :6]), dim=0)
    scores = scale.exp() * a @ b.t()
    loss = F.cross_entropy(scores, torch.arange(16))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
