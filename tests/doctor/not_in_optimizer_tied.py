import torch
import torch.nn as nn
class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 8)
        self.out = nn.Linear(8, 10, bias=False)
        self.out.weight = self.emb.weight
    def forward(self, x):
        return self.out(self.emb(x))
net = LM()
opt = torch.optim.SGD(net.parameters(), lr=0.1)

net.emb.weight = nn.Parameter(torch.randn(10, 8) * 0.02)
for i in range(10):
    x = torch.randint(0, 10, (4, 5))
    loss = nn.functional.cross_entropy(net(x).view(-1, 10), x.roll(1, 1).view(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
