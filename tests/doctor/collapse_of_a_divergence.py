import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(8):
    x = torch.randn(32, 6)
    weak, strong = net(x + 0.01 * torch.randn_like(x)), net(x + 0.3 * torch.randn_like(x))
    loss = F.kl_div(strong.log_softmax(1), weak.softmax(1), reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
