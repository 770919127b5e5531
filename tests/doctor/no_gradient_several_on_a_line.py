"""Several statements on a line, as in notebooks."""
import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(4, 3), nn.Linear(3, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
for _ in range(3):
    x = torch.randn(8, 4)
    code = torch.tensor(encoder(x).tolist())
    loss = (decoder(code) - x).pow(2).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
