import torch
from torch import nn

net, target = nn.Linear(4, 2), nn.Linear(4, 2)
target.load_state_dict(net.state_dict())
optimizer = torch.optim.Adam(net.parameters())
for _ in range(4):
    state, following, reward = torch.randn(16, 4), torch.randn(16, 4), torch.rand(16)
    action = torch.randint(2, (16,))
    q = net(state).max(1)[0]
    with torch.no_grad():
        wanted = reward + 0.99 * target(following).max(1)[0]
    loss = nn.functional.smooth_l1_loss(q, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
