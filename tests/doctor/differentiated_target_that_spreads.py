"""Both mistakes of this target are told, and no third one that follows from them."""
import torch
from torch import nn

q = nn.Linear(4, 2)
optimizer = torch.optim.Adam(q.parameters(), 1e-3)
for i in range(20):
    state, after = torch.randn(8, 4), torch.randn(8, 4)
    action, reward = torch.randint(0, 2, (8,)), torch.randn(8)
    value = q(state).gather(1, action.unsqueeze(1))
    target = reward + 0.99 * q(after).max(1)[0]
    loss = nn.functional.mse_loss(value, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
