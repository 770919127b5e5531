import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(14):
    x = torch.randn(32, 3)
    mean, log_var = net(x).unbind(1)
    log_var = log_var.clamp(min=-10.0)
    loss = (0.5 * torch.exp(-log_var) * (x.sum(1) - mean) ** 2 + 0.5 * log_var).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
