import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(6, 5)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(6):
    log_probs = net(torch.randn(12, 4, 6)).log_softmax(2)
    lengths = torch.randint(1, 4, (4,))
    letters = torch.randint(1, 5, (4, 3)).masked_fill(torch.arange(3) >= lengths[:, None], 0)
    loss = F.ctc_loss(log_probs, letters, torch.full((4,), 12), lengths)
    last = F.ctc_loss(log_probs, torch.randint(0, 4, (8,)), torch.full((4,), 12),
                      torch.full((4,), 2), blank=4)
    opt.zero_grad()
    (loss + last).backward()
    opt.step()
