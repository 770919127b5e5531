import torch
import torch.nn as nn
q = nn.Linear(4, 4)
opt = torch.optim.SGD(q.parameters(), lr=0.1)
mask = torch.tril(torch.ones(5, 5))
for i in range(4):
    x = torch.randn(2, 5, 4)
    s = q(x) @ x.transpose(1, 2)
    s = s * mask + (1 - mask) * float('-inf')
    loss = (torch.softmax(s, -1) @ x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
