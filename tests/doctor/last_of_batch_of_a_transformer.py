import torch
from torch import nn

encoder, out = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*encoder.parameters(), *out.parameters()])
for _ in range(3):
    x = torch.randn(6, 6, 8)                 # a row for each text, the first of its steps is [CLS]
    h = encoder(x)[:, 0]
    loss = nn.functional.cross_entropy(out(h), torch.randint(0, 2, (6,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
