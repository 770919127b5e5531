"""The source does not tell what goes into the function; that it calls detach() was seen."""
import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(4, 3), nn.Linear(3, 4)
steps = {"encode": encoder, "cut": lambda h: h.detach(), "decode": decoder}
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
for _ in range(3):
    x = torch.randn(8, 4)
    h = x
    for step in ("encode", "cut", "decode"):
        h = steps[step](h)
    loss = (h - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
