"""A first reward of 0: its part of the sum has a history all the same."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), 1e-2)
for episode in range(8):
    loss = 0
    for t in range(5):
        p = torch.softmax(policy(torch.randn(4)), 0)
        action = torch.multinomial(p, 1).item()
        loss += -torch.log(p[action]) * float(action)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
