import torch
from torch import nn
W, a1, a2, head = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1), nn.Linear(8, 2)
opt = torch.optim.Adam([p for m in (W, a1, a2, head) for p in m.parameters()], lr=1e-2)
x, y, adj = torch.randn(6, 4), torch.randint(0, 2, (6,)), torch.ones(6, 6)
for it in range(6):
    h = W(x)
    e = nn.functional.leaky_relu(a1(h) + a2(h).squeeze(1))
    att = torch.softmax(e.masked_fill(adj == 0, -1e9), 1)
    loss = nn.functional.cross_entropy(head(att @ h), y)
    opt.zero_grad(); loss.backward(); opt.step()
