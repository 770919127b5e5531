import torch
from torch import nn
rnn = nn.RNN(2, 16, nonlinearity="relu", batch_first=True)
with torch.no_grad(): rnn.weight_hh_l0.mul_(6)
head = nn.Linear(16, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
for it in range(8):
    out, _ = rnn(torch.randn(8, 40, 2))
    loss = head(out[:, -1]).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss)
