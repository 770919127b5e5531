import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(40, 3)
y = x @ torch.tensor([[1.0], [2.0], [-1.0]])

def adjust_learning_rate(optimizer, epoch):
    """lr decayed by 10 every 3 epochs"""
    if epoch % 3 == 2:
        for group in optimizer.param_groups:
            group['lr'] * 0.1

for epoch in range(9):
    adjust_learning_rate(opt, epoch)
    for i in range(0, 40, 10):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x[i:i+10]), y[i:i+10])
        loss.backward()
        opt.step()
