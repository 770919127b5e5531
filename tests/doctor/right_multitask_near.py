"""Two heads, one optimizer with groups, a part that is frozen at first, learned weights of losses."""
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.heads = nn.ModuleDict({"a": nn.Linear(8, 1), "b": nn.Linear(8, 3)})
        self.log_var = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


net = Net()
net.trunk.requires_grad_(False)
optimizer = torch.optim.SGD([{"params": net.trunk.parameters(), "lr": 1e-3},
                             {"params": [*net.heads.parameters(), net.log_var]}], lr=1e-2)
for step in range(6):
    if step == 3:
        net.trunk.requires_grad_(True)
    out = net(torch.randn(8, 4))
    one = nn.functional.l1_loss(out["a"], torch.randn(8, 1))
    two = nn.functional.cross_entropy(out["b"], torch.randint(0, 3, (8,)))
    losses = torch.stack([one, two])
    loss = (losses * (-net.log_var).exp() + net.log_var).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
