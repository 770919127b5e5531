import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(6, 5)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(6):
    log_probs = net(torch.randn(12, 4, 6)).log_softmax(2)
    letters = torch.randint(0, 4, (4, 3))
    loss = F.ctc_loss(log_probs, letters, torch.full((4,), 12), torch.full((4,), 3))
    opt.zero_grad()
    loss.backward()
    opt.step()
