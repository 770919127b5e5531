import torch
from torch import nn

torch.manual_seed(0)
trained = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
checkpoint = {"module." + key: t for key, t in trained.state_dict().items()}
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
net.load_state_dict(checkpoint, strict=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(4):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
