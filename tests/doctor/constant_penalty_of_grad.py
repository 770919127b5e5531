import torch
import torch.nn as nn
D = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(D.parameters())
for i in range(5):
    x = torch.randn(8, 2, requires_grad=True)
    out = D(x)
    out.sum().backward(retain_graph=True)
    gp = (x.grad.norm(dim=1) - 1).pow(2).mean()
    loss = out.mean() + 10 * gp
    opt.zero_grad(); loss.backward(); opt.step()
