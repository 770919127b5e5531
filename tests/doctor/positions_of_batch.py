import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("positions", torch.randn(100, 1, 16))
        self.embedding, self.dropout = nn.Embedding(20, 16), nn.Dropout(0.1)
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.encoder, self.last = nn.TransformerEncoder(layer, 2), nn.Linear(16, 2)

    def forward(self, tokens):
        h = self.embedding(tokens)
        h = h + self.positions[:h.size(0)]
        return self.last(self.encoder(self.dropout(h)).mean(1))


net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    tokens = torch.randint(20, (6, 9))
    loss = nn.functional.cross_entropy(net(tokens), (tokens[:, 0] > tokens[:, -1]).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
