import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=10)
x = torch.linspace(-1, 1, 400)[:, None]
y = torch.sin(3 * x)
for _ in range(3):
    def closure():
        opt.zero_grad()
        idx = torch.randperm(400)[:32]
        loss = (net(x[idx]) - y[idx]).pow(2).mean()
        loss.backward()
        return loss
    opt.step(closure)
