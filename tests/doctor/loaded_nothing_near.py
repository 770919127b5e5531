"""A part of what is loaded fits, or what does not is refused and renamed."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
part = {key: t.clone() for key, t in net.state_dict().items() if key.startswith("0.")}
net.load_state_dict({**part, "head.weight": torch.zeros(1)}, strict=False)
renamed = {"module." + key: t for key, t in part.items()}
try:
    net.load_state_dict(renamed)
except RuntimeError:
    net.load_state_dict({key[7:]: t for key, t in renamed.items()}, strict=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(4):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
