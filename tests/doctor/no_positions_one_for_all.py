"""`pe[:, T]` where `pe[:, :T]` was meant, and numbers of positions that are all 0."""
import torch
from torch import nn

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self, zeros):
        super().__init__()
        self.zeros = zeros
        self.tokens = nn.Embedding(10, 16)
        self.places = nn.Embedding(12, 16) if zeros else None
        self.register_buffer("pe", torch.randn(1, 12, 16))
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.out = nn.Linear(16, 4)

    def forward(self, x):
        if self.zeros:
            h = self.tokens(x)
            h = h + self.places(torch.zeros_like(x))
        else:
            h = self.tokens(x) + self.pe[:, x.size(1)]
        return self.out(self.layer(h))


for net in (Tagger(False), Tagger(True)):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(4):
        x = torch.randint(0, 10, (6, 8))
        y = (torch.arange(8) // 2).expand(6, 8)
        loss = nn.functional.cross_entropy(net(x).transpose(1, 2), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
