import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
target_net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
target_net.load_state_dict(net.state_dict())
optimizer = torch.optim.Adam(net.parameters())

for _ in range(60):
    state, action = torch.randn(8, 4), torch.randint(2, (8, 1))
    with torch.no_grad():
        value = target_net(torch.randn(8, 4)).amax(1, keepdim=True)
    loss = nn.functional.mse_loss(net(state).gather(1, action), torch.randn(8, 1) + 0.99 * value)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
