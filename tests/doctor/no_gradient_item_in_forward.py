import torch
import torch.nn as nn
class Attn(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 1)
        self.out = nn.Linear(4, 1)
    def forward(self, x):
        w = torch.softmax(self.score(x), 1)
        ctx = torch.zeros(x.size(0), 4)
        for b in range(x.size(0)):
            for t in range(x.size(1)):
                ctx[b] = ctx[b] + w[b, t].item() * x[b, t]
        return self.out(ctx)
net = Attn()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(5):
    loss = (net(torch.randn(3, 4, 4)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
