import torch
from torch import nn, optim

class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.l1 = nn.Linear(2, 8)
        self.l2 = nn.Linear(8, 1)
    def forward(self, x):
        return self.l2(torch.tanh(self.l1(x)))

torch.manual_seed(0)
x = torch.randn(64, 2)
y = x.prod(1, keepdim=True)
for epoch in range(10):
    net = Net()
    opt = optim.Adam(net.parameters(), lr=0.01)
    for i in range(0, 64, 16):
        opt.zero_grad()
        loss = nn.MSELoss()(net(x[i:i + 16]), y[i:i + 16])
        loss.backward()
        opt.step()
    print(epoch, loss.item())
