import torch
from torch import nn

torch.manual_seed(0)
net, outputs = nn.Linear(4, 3), []
optimizer = torch.optim.AdamW(net.parameters())
for _ in range(10):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    outputs.append({"loss": loss, "n": 8})
