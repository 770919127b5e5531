import torch
from torch import nn
class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 1)
        self.out = nn.Linear(8, 2)
    def forward(self, x):
        a = torch.softmax(self.score(x), dim=0)
        return self.out((a * x).sum(0, keepdim=True))
net = Pool()
opt = torch.optim.SGD(net.parameters(), lr=.1)
for i in range(6):
    loss = nn.functional.cross_entropy(net(torch.randn(20, 8)), torch.tensor([1]))
    opt.zero_grad()
    loss.backward()
    opt.step()
