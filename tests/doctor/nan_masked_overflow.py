import torch
from torch import nn
lin = nn.Linear(1, 1); opt = torch.optim.SGD(lin.parameters(), lr=0.1)
x = torch.tensor([[300.0], [1.0]])
for it in range(4):
    z = lin(x) + 100
    sp = torch.where(z > 20, z, torch.log1p(torch.exp(z)))
    loss = sp.mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(lin.weight)
