import torch
from torch import nn
torch.manual_seed(0)
img = (torch.rand(32, 64) * 255).to(torch.uint8)
img = (img // 255).float()
y = torch.randint(0, 3, (32,))
net = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    loss = nn.functional.cross_entropy(net(img), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
