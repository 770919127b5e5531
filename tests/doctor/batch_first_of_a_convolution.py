import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
conv, out = nn.Conv2d(1, 8, 3, padding=1), nn.Linear(8, 5)
opt = torch.optim.Adam([*conv.parameters(), *out.parameters()])
for step in range(5):
    targets = torch.randint(1, 5, (12, 4)), torch.full((12,), 12), torch.full((12,), 4)
    h = conv(torch.randn(12, 1, 6, 12)).relu().mean(2).permute(0, 2, 1)
    log_probs = out(h).log_softmax(2)
    loss = F.ctc_loss(log_probs, *targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
