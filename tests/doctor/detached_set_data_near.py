import torch, copy
from torch import nn
q = nn.Linear(4, 2); tq = copy.deepcopy(q); opt = torch.optim.Adam(q.parameters(), 1e-3)
for it in range(8):
    s, a, r, s2 = torch.randn(16, 4), torch.randint(0, 2, (16, 1)), torch.randn(16, 1), torch.randn(16, 4)
    with torch.no_grad(): y = r + 0.9 * tq(s2).max(1, keepdim=True).values
    loss = nn.functional.mse_loss(q(s).gather(1, a), y)
    opt.zero_grad(); loss.backward(); opt.step()
    for p, t in zip(q.parameters(), tq.parameters()): t.data = 0.99 * t.data + 0.01 * p
