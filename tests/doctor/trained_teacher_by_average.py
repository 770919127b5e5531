import torch
from torch import nn
online = nn.Linear(4, 4)
target = nn.Linear(4, 4)
target.load_state_dict(online.state_dict())
opt = torch.optim.SGD([*online.parameters(), *target.parameters()], lr=0.1)
for it in range(8):
    x = torch.randn(8, 4)
    loss = 2 - 2 * nn.functional.cosine_similarity(online(x), target(x + 0.1)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for o, t in zip(online.parameters(), target.parameters()):
            t.mul_(0.99).add_(0.01 * o)
