import torch
from torch import nn

backbone, head = nn.Linear(8, 16).requires_grad_(False), nn.Linear(16, 4)
optimizer = torch.optim.Adam([*backbone.parameters(), *head.parameters()])
for epoch in range(6):
    if epoch == 3:
        for p in backbone.parameters():
            p.requires_grad == True
    x = torch.randn(16, 8)
    loss = nn.functional.cross_entropy(head(backbone(x).relu()), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
