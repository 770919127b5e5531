import torch
from torch import nn
a, b = nn.Linear(4, 3), nn.Linear(6, 3)
oa, ob = torch.optim.Adam(a.parameters()), torch.optim.Adam(b.parameters())
a(torch.randn(2, 4)).sum().backward(); oa.step()
ob.load_state_dict(oa.state_dict())
b(torch.randn(2, 6)).sum().backward(); ob.step()
