import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)
        self.dim = dim
        self.query = nn.Parameter(torch.randn(dim) * 0.1)
        self.out = nn.Linear(dim, 2)

    def forward(self, x):                   # (B, T, D)
        keys = torch.tanh(self.proj(x))
        weights = torch.softmax(keys @ self.query, dim=1)
        return self.out((weights.unsqueeze(-1) * x).sum(1))

torch.manual_seed(0)
net = Attention(6)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(8, 5, 6)
    y = (x.mean((1, 2)) > 0).long()
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
