import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
    def forward(self, t):
        t = t.clone().requires_grad_(True)
        u = self.n(t)
        du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
        return u, du
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(12):
    t = torch.rand(16, 1)
    u, du = net(t)
    u0, _ = net(torch.zeros(1, 1))
    loss = (du + u).pow(2).mean() + (u0 - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
