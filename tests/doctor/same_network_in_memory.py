import torch
from torch import nn

critic, slow = nn.Linear(4, 1), nn.Linear(4, 1)
for p, q in zip(critic.parameters(), slow.parameters()):
    q.data = p.data
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(6):
    state, reward = torch.randn(8, 4), torch.randn(8, 1)
    with torch.no_grad():
        wanted = reward + 0.9 * slow(torch.randn(8, 4))
    loss = (critic(state) - wanted).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
