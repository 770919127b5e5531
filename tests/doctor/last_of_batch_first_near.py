import torch
from torch import nn
rnn, head = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 2)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
for it in range(5):
    out, (h, _) = rnn(torch.randn(6, 6, 3))
    y = torch.randint(0, 2, (6,))
    loss = nn.functional.cross_entropy(head(out[:, -1] + h[-1]), y)
    opt.zero_grad(); loss.backward(); opt.step()
