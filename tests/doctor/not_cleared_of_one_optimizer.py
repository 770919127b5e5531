import torch
import torch.nn as nn
a, b = nn.Linear(4, 4), nn.Linear(4, 1)
oa, ob = torch.optim.SGD(a.parameters(), 0.1), torch.optim.SGD(b.parameters(), 0.1)
for i in range(8):
    loss = b(torch.tanh(a(torch.randn(8, 4)))).pow(2).mean()
    oa.zero_grad()
    oa.zero_grad()
    loss.backward()
    oa.step(); ob.step()
