"""Q-learning that goes back through its own target."""
import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
for _ in range(6):
    state, following = torch.randn(8, 4), torch.randn(8, 4)
    action, reward, done = torch.randint(2, (8, 1)), torch.randn(8), torch.zeros(8)
    target = reward + 0.99 * q(following).max(1)[0] * (1 - done)
    loss = nn.functional.mse_loss(q(state).gather(1, action).squeeze(1), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
