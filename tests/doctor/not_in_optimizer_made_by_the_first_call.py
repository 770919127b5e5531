import torch
from torch import nn
torch.manual_seed(0)
class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 16), None
    def forward(self, x):
        h = torch.relu(self.body(x))
        if self.head is None:
            self.head = nn.Linear(h.size(1), 1)
        return self.head(h)
net = Lazy()
opt = torch.optim.Adam(net.parameters())
for step in range(5):
    loss = net(torch.randn(8, 6)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
