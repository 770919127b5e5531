import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(16, 4)
y = (x[:, 0] > 0).float()
for _ in range(5):
    loss = nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
net.eval()
with torch.no_grad():
    pred = (net(x) > 0).float()
    right = pred == y
    print(right.float().mean())
