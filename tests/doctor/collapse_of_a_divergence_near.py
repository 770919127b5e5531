"""The same beside a cross entropy, and a target that is detached."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for k in range(16):
    x = torch.randn(32, 6)
    one, two = net(x), net(x)
    if k < 8:
        loss = F.cross_entropy(one, x[:, :3].argmax(1)) + F.kl_div(
            one.log_softmax(1), two.softmax(1), reduction="batchmean")
    else:
        loss = F.kl_div(one.log_softmax(1), two.detach().softmax(1), reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
