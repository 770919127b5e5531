import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.linspace(-1, 1, 20).unsqueeze(1)
y = x ** 3
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=5)
def closure():
    opt.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    return loss
for i in range(10):
    loss = opt.step(closure)
print(loss.item())
