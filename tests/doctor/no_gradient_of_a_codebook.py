import torch
from torch import nn


class Quantized(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(8, 4), nn.Linear(4, 8)
        self.codes = nn.Embedding(16, 4)

    def forward(self, x):
        z = self.encoder(x)
        nearest = torch.cdist(z, self.codes.weight).argmin(1)
        q = self.codes(nearest)
        return self.decoder(q), z, q


net = Quantized()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.randn(16, 8)
    out, z, q = net(x)
    loss = (out - x).pow(2).mean() + (q - z.detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
