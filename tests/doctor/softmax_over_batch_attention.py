import torch
from torch import nn

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(1, 2) / 8 ** 0.5
        weights = scores.softmax(dim=0)
        return self.out((weights @ self.v(x)).mean(1))


net = Attention()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = nn.functional.cross_entropy(net(torch.randn(4, 5, 8)), torch.randint(2, (4,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
