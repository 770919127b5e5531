import torch
from torch import nn
torch.manual_seed(0)
rnn, out = nn.GRU(6, 16), nn.Linear(16, 5)
opt = torch.optim.Adam([*rnn.parameters(), *out.parameters()])
crit = nn.CTCLoss(blank=0)
for step in range(5):
    targets = torch.randint(1, 5, (4, 6)), torch.full((4,), 20), torch.full((4,), 6)
    h, _ = rnn(torch.randn(20, 4, 6))
    loss = crit(out(h), *targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
