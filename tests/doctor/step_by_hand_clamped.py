import torch
import torch.nn as nn
D = nn.Linear(2, 1)
opt = torch.optim.RMSprop(D.parameters(), lr=5e-5)
for i in range(6):
    loss = D(torch.randn(8, 2)).mean() - D(torch.randn(8, 2)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    for p in D.parameters():
        p = p.clamp(-0.01, 0.01)
