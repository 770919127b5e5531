import torch
from torch import nn

torch.manual_seed(0)
rnn, out = nn.LSTM(6, 16, batch_first=True, bidirectional=True), nn.Linear(32, 5)
opt = torch.optim.Adam([*rnn.parameters(), *out.parameters()])
crit = nn.CTCLoss(blank=0)
for step in range(5):
    targets = torch.randint(1, 5, (12, 4)), torch.full((12,), 12), torch.full((12,), 4)
    h, _ = rnn(torch.randn(12, 12, 6))
    loss = crit(out(h).log_softmax(2), *targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
