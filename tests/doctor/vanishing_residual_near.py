import torch
from torch import nn
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(8), nn.Linear(8, 8)
    def forward(self, x):
        return x + torch.sigmoid(self.fc(self.norm(x)))
net = nn.Sequential(*[Block() for _ in range(30)], nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
for i in range(6):
    loss = net(torch.randn(8, 8)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
